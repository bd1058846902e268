# SPDX-License-Identifier: MIT
# Several processes under mpirun: the table of one; one speaks; kill -9 of a rank and of all, and the same command goes
# on; a rank without the data, an interruption. And without mpirun, through a server.
# shellcheck shell=bash
only_plain || return 0
. "$(dirname "${BASH_SOURCE[0]}")/../disturb.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_odls_base_sigkill_timeout=0      # after a failure: a second less to wait
export TERM=xterm

check "a store that is no server" 1 una bench cubic --quick --store here.sqlite
err "'here.sqlite' is no address like postgresql://user@host/database"
few="--quick --models linear,gp --seeds 6"
check "alone" 0 una bench cubic $few --out calm
if [ -n "${UNA_TEST_POSTGRES:-}" ] && command -v psql >/dev/null && psql -q "$UNA_TEST_POSTGRES" -c "CREATE DATABASE una_ranks_$$"
then
    server=${UNA_TEST_POSTGRES%/*}/una_ranks_$$
    una bench cubic $few --store "$server" --out here >first.txt 2>&1 &
    check "one of two with a server between them" 0 una bench cubic $few --store "$server" --out there
    cp stdout.txt second.txt
    wait $!
    true_that "the other ends well too" test $? -eq 0
    made() { sed -n 's/.*(\([0-9]*\) fits made now.*/\1/p' "$1"; }
    true_that "each fit was made once" test $(($(made first.txt) + $(made second.txt))) -eq 12
    for place in here there; do true_that "the table $place is that of one" same_rows $place cubic; done
    absent here/bench.sqlite
    psql -q "$UNA_TEST_POSTGRES" -c "DROP DATABASE una_ranks_$$"
else
    skip "there is no server of PostgreSQL"
fi

if una --version | grep -q '^ranks *none'; then
    skip "there is no libuna_mpi beside this una"
    return 0
fi
if ! timeout 20 mpirun --oversubscribe -n 2 true >/dev/null 2>&1; then
    skip "mpirun is not there, or cannot run here"
    return 0
fi
ranks() {       # ranks N ARGUMENTS...: una under mpirun, and the process of each rank in pid.RANK, mpirun's in pid.all
    local count=$1
    shift
    timeout -k 1 60 mpirun --oversubscribe -n "$count" sh -c \
        'echo $PPID >pid.all; echo $$ >"pid.$OMPI_COMM_WORLD_RANK"; exec "$@"' sh "$UNA" "$@"
}
begun() {       # until rank $1 has begun
    local i
    for ((i = 0; i < 200; i++)); do
        [ -s "pid.$1" ] && return 0
        sleep 0.05
    done
    return 1
}

check "what cannot be shared" 0 ranks 4 models --json
no_err
una models --json >alone.txt
same stdout.txt alone.txt
check "wrong usage is told once" 1 ranks 2 bench cubic --nosuchflag
true_that "one line of ours" test "$(grep -c '^una bench: ' stderr.txt)" -eq 1

check "four ranks" 0 ranks 4 bench cubic $few --out four
out "12 fits made now, 0 were there"
err "4 ranks made 12 fits"
true_that "without colours, whatever mpirun shows it" bash -c '! grep -q "$(printf "\033")" stdout.txt'
true_that "the table printed once" test "$(grep -c '^Table: ' stdout.txt)" -eq 1
true_that "the rows are those of one" same_rows four cubic

# Fits of some 50 ms.
slow="--quick --models nn(steps=400) --seeds 8 --threads 1 --quiet"
rm -rf calm
check "undisturbed" 0 una bench cubic $slow --out calm
rm -f pid.*
ranks 4 bench cubic $slow --out stormy >one.txt 2>&1 &
begun 2
sleep 0.3
kill -9 "$(cat pid.2)"
wait $!
true_that "without one rank the job ends" test $? -ne 0
rm -f pid.*
ranks 4 bench cubic $slow --out stormy >all.txt 2>&1 &
begun 3
sleep 0.2
kill -9 "$(cat pid.all)" "$(cat pid.0)" "$(cat pid.1)" "$(cat pid.2)" "$(cat pid.3)" 2>/dev/null
wait $!
check "it goes on" 0 ranks 4 bench cubic $slow --out stormy
true_that "the rows are those of an undisturbed run" same_rows stormy cubic

rm -f pid.*
ranks 2 bench cubic --quick --models 'nn(steps=20000)' --seeds 4 --threads 1 --out slow >stdout.txt 2>stderr.txt &
begun 1
sleep 0.8
kill -TERM "$(cat pid.1)"
wait $!
got=$? name="one rank is interrupted"
true_that "130 is the status of all" test $got -eq 130
err "interrupted; what was fitted is in slow/cubic.csv, and the same call goes on from there"

# Rank 1 has no such folder.
published data 60
elsewhere() {   # elsewhere FOLDER ARGUMENTS...: where rank 1 finds its data
    local folder=$1
    shift
    UNA_DATA=data OTHER=$folder timeout -k 1 60 mpirun --oversubscribe -n 2 sh -c \
        '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && UNA_DATA=$OTHER; exec "$@"' sh "$UNA" "$@"
}
check "a rank without the data" 2 elsewhere nowhere bench uci --sets yacht --quick --models linear --out lacks
err "una bench: rank 1 on host " "the folder nowhere has no uci/yacht.csv"
true_that "one says it" test "$(grep -c 'rank 1 on host' stderr.txt)" -eq 1
absent lacks/uci.csv

table 40 >t.csv
check "a search" 0 una tune t.csv --target y --model linear --over 'degree=1|2|3, prior_var=0.1|1|10' --splits 2 --json
sed 's/"seconds": [^,}]*//g' stdout.txt >alone.txt
check "a search by two" 0 ranks 2 tune t.csv --target y --model linear --over 'degree=1|2|3, prior_var=0.1|1|10' \
    --splits 2 --json
sed 's/"seconds": [^,}]*//g' stdout.txt >two.txt
same alone.txt two.txt
