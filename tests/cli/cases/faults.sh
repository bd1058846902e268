# SPDX-License-Identifier: MIT
# Places where writing fails or is not what it seems: full, read-only and mounted goals, users who may not write, updates
# at the same time, what killed runs leave; and blows at single calls of the system (tests/faults).
# shellcheck shell=bash
only_plain || return 0
table 60 >train.csv
table 20 3 >more.csv
una fit train.csv --target y $fast --out model.una --quiet
una update model.una more.csv --out updated.una --quiet
una predict model.una more.csv --out answers.csv --quiet

# ---- blows: some of them here, each once in the long tier, $UNA_TEST_BLOWS for a campaign ----------------------
faults=$(dirname "$UNA")/tests/faults
if [ ! -x "$faults" ]; then
    skip "blows: there is no $faults"
elif [ -n "${UNA_TEST_BLOWS:-}" ]; then
    check "blows" 0 "$faults" "$UNA" "$UNA_TEST_BLOWS" 2
elif [ -n "${UNA_TEST_LONG:-}" ]; then
    check "every blow once" 0 "$faults" "$UNA" 0 2
else
    check "some blows" 0 "$faults" "$UNA" 156 2 update compare "study tell"
fi
if [ -x "$faults" ] && ! grep -q '^skip' stdout.txt; then
    out ": 0 torn, 0 lost, 0 left, 0 silent"
    tail -n 1 stdout.txt
fi

# ---- what a killed run leaves -----------------------------------------------------------------------------------
mkdir left
echo half >left/.una-4000000-0.tmp
check "fit where a killed one was" 0 una fit train.csv --target y $fast --out left/m.una --quiet
true_that "what it left is gone" test "$(ls -A left)" = m.una

# ---- updates at the same time -----------------------------------------------------------------------------------
cp model.una many.una
for i in 1 2 3 4 5 6 7 8; do una update many.una more.csv --quiet & done
wait
check "eight updates at once" 0 una info many.una --json
out '"rows": 220'
true_that "nothing is left" test -z "$(ls -A | grep tmp)"
if command -v flock >/dev/null; then
    cp model.una held.una
    waiting() {     # in the background, until it says that it waits
        "$UNA" update held.una more.csv >stdout.txt 2>stderr.txt 9>&- &
        process=$!
        for ((i = 0; i < 300; i++)); do grep -q waiting stderr.txt && break; sleep 0.1; done
    }
    exec 9<>held.una
    flock 9
    waiting
    kill -TERM $process
    wait $process
    got=$? name="a wait that is ended"
    true_that "130" test $got -eq 130
    err "another process is updating held.una" "interrupted"
    same held.una model.una
    waiting
    cp model.una held.new
    mv held.new held.una                 # who held it has replaced it
    exec 9>&-
    wait $process
    got=$? name="a wait that ends"
    true_that "0" test $got -eq 0
    same held.una updated.una
else
    skip "a wait: there is no program flock"
fi

# ---- mounted, read-only, full -----------------------------------------------------------------------------------
# In a name space of their own, so that mounts go with the shell that made them.
inside() { unshare -m bash -c "set -e; cd '$PWD'; $1" >stdout.txt 2>stderr.txt </dev/null; }
if [ "$(id -u)" -eq 0 ] && inside 'mkdir -p disk; mount -t tmpfs -o size=1m none disk'; then
    check "a goal that is mounted by itself" 0 inside 'echo old >real.una; echo old >goal.una; mount --bind real.una goal.una
        '"$UNA"' fit train.csv --target y --model linear --out goal.una --quiet
        test ! -e goal.una.whole; '"$UNA"' update goal.una more.csv'
    err "written over in place"
    same real.una updated.una
    check "a file of that name is somebody's" 0 inside 'echo mine >goal.una.whole; echo old >goal.una; mount --bind real.una goal.una
        '"$UNA"' fit train.csv --target y --model linear --out goal.una --quiet
        test "$(cat goal.una.whole)" = mine; test ! -e goal.una.whole-2; rm goal.una.whole'
    check "mounted, and read under another name" 1 inside 'cp train.csv twin.csv; mount --bind train.csv twin.csv
        '"$UNA"' fit train.csv --target y --model linear --out twin.csv'
    err "would overwrite"
    check "mounted, and too small" 5 inside 'cp model.una goal.una; mount -t tmpfs -o size=4k none disk; head -c 1000 /dev/zero >disk/real
        mount --bind disk/real goal.una
        awk "BEGIN { for (i = 0; i < 300; i++) printf \"c%d,\", i; print \"y\"; for (r = 0; r < 20; r++) { for (i = 0; i < 300; i++) printf \"%d,\", (r * i) % 7; print r } }" >wide.csv
        '"$UNA"' fit wide.csv --target y --model linear --out goal.una --quiet || { code=$?; cp goal.una.whole whole.una; exit $code; }'
    err "No space left on device" "goal.una.whole"
    check "what lies beside it is whole" 0 una info whole.una
    rm goal.una.whole
    check "a full disk" 5 inside 'mount -t tmpfs -o size=64k none disk; cp model.una disk/m.una; head -c 1m /dev/zero >disk/filler || true
        '"$UNA"' fit wide.csv --target y --model linear --out disk/m.una || { code=$?; cmp disk/m.una model.una; ls -A disk | grep -c tmp && exit 9; exit $code; }'
    err "No space left on device"
    check "a full disk, answers" 5 inside 'mount -t tmpfs -o size=64k none disk; head -c 1m /dev/zero >disk/filler || true
        '"$UNA"' predict model.una more.csv --out disk/a.csv'
    err "No space left on device"
    check "a read-only disk" 5 inside 'mount -t tmpfs -o size=1m none disk; cp model.una more.csv disk; mount -o remount,ro disk
        '"$UNA"' update disk/model.una more.csv --out here.una --quiet; '"$UNA"' predict disk/model.una disk/more.csv --out here.csv --quiet
        '"$UNA"' update disk/model.una more.csv'
    err "Read-only file system"
    same here.una updated.una
    same here.csv answers.csv
else
    skip "mounted, full and read-only goals: no name space for mounts can be had here"
fi

# ---- not root ---------------------------------------------------------------------------------------------------
if [ "$(id -u)" -ne 0 ]; then nobody() { "$UNA" "$@"; }
elif command -v setpriv >/dev/null; then nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$UNA" "$@"; }
fi
chmod a+rx . .. 2>/dev/null
if declare -F nobody >/dev/null && nobody info model.una >/dev/null 2>&1; then
    check "not root, /dev/null" 0 nobody fit train.csv --target y $fast --out /dev/null
    check "not root, answers to /dev/null" 0 nobody predict model.una more.csv --out /dev/null
    nobody fit train.csv --target y $fast --out /dev/stdout >stream.una 2>stderr.txt
    same stream.una model.una
    nobody predict model.una more.csv --out /dev/stdout 2>stderr.txt | cat >stream.csv
    same stream.csv answers.csv
    nobody fit train.csv --target y $fast --out /dev/fd/5 5>other.una >/dev/null 2>stderr.txt
    same other.una model.una
    mkdir -m 755 theirs
    cp model.una theirs
    if [ "$(id -u)" -eq 0 ]; then
        check "not root, a folder of another's" 5 nobody fit train.csv --target y $fast --out theirs/m.una
        err "Permission denied"
        check "not root, a file of another's" 5 nobody update theirs/model.una more.csv
        err "Permission denied"
        same theirs/model.una model.una
    fi
else
    skip "not root: setpriv is not there, or nobody may not come here"
fi
tidy
