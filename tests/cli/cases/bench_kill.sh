# SPDX-License-Identifier: MIT
# kill -9 at random moments, then the same command to its end: the rows are those of a run that nobody disturbed, in all
# but their seconds; none twice, none torn. Then two runs in one folder, and rows of another results version.
# The linear fits take a millisecond, so that most of the time is spent in writing.
# shellcheck shell=bash
published data 60
kills=5
[ -n "${UNA_TEST_LONG:-}" ] && kills=50

rows_of() {         # the rows of a CSV file without their seconds, in the order of their keys
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "seconds") at = i } { $at = "" ; print }' "$1"
}
same_rows() {       # same_rows FOLDER NAME: as in the folder "calm"
    rows_of "calm/$2.csv" >wanted.txt
    rows_of "$1/$2.csv" >got.txt
    [ -s wanted.txt ] && cmp -s wanted.txt got.txt
}
moment() {          # a moment within the first $1 milliseconds, the same ones in every run of the test
    state=$(((state * 16807) % 2147483647))
    awk -v ms=$((state % $1)) 'BEGIN { printf "%.3f", ms / 1000 }'
}

disturb() {         # disturb EXPERIMENT FLAGS...
    local what=$1 started ended hits=0 whole=0 wrong=0 i
    shift
    started=$(date +%s%N)
    check "$what: undisturbed" 0 una bench "$what" "$@" --out calm
    ended=$(date +%s%N)
    local within=$(((ended - started) / 1000000 + 2))
    rm -rf stormy
    # A run that ended before its moment is looked at and begun anew, with an earlier moment.
    for ((i = 0; hits < kills && i < 20 * kills; i++)); do
        "$UNA" bench "$what" "$@" --out stormy >/dev/null 2>&1 &      # not the function: its shell would be killed
        local process=$!
        sleep "$(moment "$within")"
        kill -9 "$process" 2>/dev/null
        if wait "$process" 2>/dev/null; then
            whole=$((whole + 1))
            same_rows stormy "$what" || wrong=$((wrong + 1))
            rm -rf stormy
            within=$((within * 2 / 3 + 2))
        else
            hits=$((hits + 1))
        fi
    done 2>/dev/null
    check "$what: the same command after $hits kills" 0 una bench "$what" "$@" --out stormy
    true_that "it was killed $kills times" test "$hits" -eq "$kills"
    true_that "rows as if nothing had been" same_rows stormy "$what"
    true_that "so too where it was not killed in time ($whole)" test "$wrong" -eq 0
    true_that "there are rows" test "$(wc -l <"stormy/$what.csv")" -gt 10
    true_that "no row is there twice" test -z "$(cut -d, -f1-6 "stormy/$what.csv" | sort | uniq -d)"
    check "$what: nothing is left to do" 0 una bench "$what" "$@" --out stormy
    out "0 fits made now"
}

state=12345
cubic="--quick --models linear,nn(steps=50) --seeds 8 --quiet"
gap="--quick --data data --models linear,linear(degree=2),nlm(steps=50) --splits 0-3 --quiet"
disturb cubic $cubic
disturb gap $gap

# Two runs share one folder.
una bench gap $gap --out shared >first.txt 2>&1 &
check "the second of two in one folder" 0 una bench gap $gap --out shared
cp stdout.txt second.txt
wait $!
true_that "the first ends well too" test $? -eq 0
made() { sed -n 's/.*(\([0-9]*\) fits made now.*/\1/p' "$1"; }
true_that "each fit was made once" test $(($(made first.txt) + $(made second.txt))) -eq 12
true_that "the rows are the same" same_rows shared gap

# The rows of another results version are other rows.
mkdir older
awk -F, -v OFS=, 'NR > 1 { $6 = 99; $7 = 1e6 } { print }' calm/cubic.csv >older/cubic.csv
check "another results version" 0 una bench cubic $cubic --out older --json
out '"fitted": 16'
numbers() { grep -o '"gap_std[a-z_]*": [^,}]*' "$1"; }        # of rows and means
numbers stdout.txt >mixed.txt
una bench cubic $cubic --out calm --json >calm.txt
numbers calm.txt >apart.txt
true_that "there are numbers" test -s apart.txt
same apart.txt mixed.txt
mkdir told
awk -F, '$6 != 99' older/cubic.csv >told/cubic.csv
true_that "the new rows are the usual ones" same_rows told cubic
true_that "the old ones are kept" test "$(awk -F, '$6 == 99' older/cubic.csv | wc -l)" -eq 16
