# SPDX-License-Identifier: MIT
# The cache of parsed tables: kept, believed, verified, left alone.
export XDG_CACHE_HOME=$PWD/cache
table 60000 >big.csv

check "no cache" 0 una fit big.csv $fast --no-cache --out none.una --quiet
true_that "large enough to be kept" test "$(wc -c <big.csv)" -ge 1048576
absent cache
# Each page is stored to once, which moves the times of the file; stores that follow move none.
python=$(command -v python3) || skip "there is no python3 to change a file through a mapping"
if [ -n "$python" ]; then
    coproc mapper { python3 -c '
import mmap, sys
with open("big.csv", "r+b") as file:
    data = mmap.mmap(file.fileno(), 0)
    for i in range(0, len(data), 512): data[i] = data[i]
    print("ready", flush=True)
    sys.stdin.readline()
    data[-2] = ord("1") if data[-2] != ord("1") else ord("2")
    print("changed", flush=True)
    sys.stdin.readline()'; }
    mapper_pid=$mapper_PID
    exec 3<&"${mapper[0]}" 4>&"${mapper[1]}"
    read -r _ <&3
fi
sleep 0.3                                       # a file just written is not kept
check "kept" 0 una fit big.csv $fast --out first.una --quiet
true_that "a table is there" test "$(find cache/una -name '*.table' | wc -l)" -eq 1
same none.una first.una
check "verified and the same" 0 una fit big.csv $fast --verify-cache --out second.una
no_err
same first.una second.una
check "with both flags the text is parsed" 0 una fit big.csv $fast --no-cache --verify-cache --out both.una
no_err
same first.una both.una

if [ -n "$python" ]; then
    before=$(stat -c '%s %y %z' big.csv)
    echo >&4
    read -r _ <&3
    if [ "$before" = "$(stat -c '%s %y %z' big.csv)" ]; then
        check "bytes changed, times did not: believed" 0 una fit big.csv $fast --out old.una
        no_err
        same first.una old.una
        una fit big.csv $fast --no-cache --out truth.una --quiet
        true_that "another text is another model" test "$(cmp -s truth.una old.una; echo $?)" -eq 1
        check "verified: noticed" 0 una fit big.csv $fast --verify-cache --json --out new.una
        json model
        err "warning: the bytes of big.csv have changed since it was cached"
        same truth.una new.una
        check "the cache has the new table" 0 una fit big.csv $fast --verify-cache --out new.una
        no_err
        same truth.una new.una
    else
        skip "this file system moves the times of a file with every store through a mapping"
    fi
    echo >&4
    wait "$mapper_pid"
fi
check "no value" 1 una fit big.csv --verify-cache=yes
err "--verify-cache takes no value"
