#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs fuzz targets (fuzz/NAME.c under libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer), several at once, and
# ends with a table. Inputs that are found on the way stay in build-fuzz/work/NAME, findings in build-fuzz/findings.
#   T=600          seconds for each target
#   RUNS=1000000   executions of each instead
#   JOBS=4         processes at once; WORKERS=2  processes for each target, which share what they find
#   tools/fuzz.sh [--no-build] [NAME ...]     --no-build: what stands in build-fuzz/fuzz, for instance brought from
#                                             another machine with its libraries (LD_LIBRARY_PATH)
set -u
cd "$(dirname "$0")/.." || exit 1

build=1
[ "${1:-}" = --no-build ] && { build=0; shift; }
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
workers=${WORKERS:-1}
limit=-max_total_time=${T:-60}
[ -n "${RUNS:-}" ] && limit=-runs=$RUNS

if [ "$build" -eq 1 ]; then
    mkdir -p build-fuzz
    { cmake --preset fuzz && cmake --build build-fuzz -j "$jobs" --target fuzz_targets; } >build-fuzz/build.log 2>&1 ||
        { tail -n 40 build-fuzz/build.log; exit 1; }
fi
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for source in fuzz/*.c; do targets+=("$(basename "$source" .c)"); done
fi

# Files that targets need are made in memory, and go even if a target dies.
UNA_FUZZ_TMP=$(mktemp -d "$(df /dev/shm >/dev/null 2>&1 && echo /dev/shm || echo /tmp)/una-fuzz-XXXXXX") || exit 1
export UNA_FUZZ_TMP
trap 'rm -rf "$UNA_FUZZ_TMP"' EXIT
export LSAN_OPTIONS=suppressions=$PWD/tests/no_leaks:print_suppressions=0
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}      # what una holds is counted by the targets, which is quicker
export UBSAN_OPTIONS=print_stacktrace=1
mkdir -p build-fuzz/work build-fuzz/findings build-fuzz/logs

fuzz() {     # fuzz NAME WORKER
    local name=$1 dictionary=()
    mkdir -p "build-fuzz/work/$name" "fuzz/corpus/$name"
    [ -e "fuzz/support/$name.dict" ] && dictionary=("-dict=fuzz/support/$name.dict")
    "build-fuzz/fuzz/$name" "$limit" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 -detect_leaks=0 -reload=1 \
        -artifact_prefix="build-fuzz/findings/$name-" "${dictionary[@]}" \
        "build-fuzz/work/$name" "fuzz/corpus/$name" >"build-fuzz/logs/$name.$2" 2>&1
    echo $? >"build-fuzz/logs/$name.$2.status"
}

for ((worker = 0; worker < workers; worker++)); do
    for name in "${targets[@]}"; do
        if [ ! -x "build-fuzz/fuzz/$name" ]; then
            echo "there is no target '$name': build-fuzz/fuzz/$name is missing"
            exit 1
        fi
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
        fuzz "$name" "$worker" &
    done
done
wait

value() {    # value WHAT LOG: of "stat::WHAT: 123"
    sed -n "s/^stat::$1: *//p" "$2" | tail -n 1
}

findings=0
all=0
printf '%-10s %14s %10s %8s %8s %8s  %s\n' target executions per_second edges inputs rss_mb findings
for name in "${targets[@]}"; do
    runs=0 rate=0 rss=0 edges=0 bad=0
    for ((worker = 0; worker < workers; worker++)); do
        log=build-fuzz/logs/$name.$worker
        runs=$((runs + $(value number_of_executed_units "$log" | grep . || echo 0)))
        rate=$((rate + $(value average_exec_per_sec "$log" | grep . || echo 0)))
        peak=$(value peak_rss_mb "$log" | grep . || echo 0)
        [ "$peak" -gt "$rss" ] && rss=$peak
        seen=$(grep -oE 'cov: [0-9]+' "$log" | tail -n 1 | grep -oE '[0-9]+' || echo 0)
        [ "$seen" -gt "$edges" ] && edges=$seen
        [ "$(cat "$log.status")" -eq 0 ] || bad=$((bad + 1))
    done
    printf '%-10s %14d %10d %8d %8d %8d  %d\n' "$name" "$runs" "$rate" "$edges" \
           "$(find "build-fuzz/work/$name" -type f | wc -l)" "$rss" "$bad"
    findings=$((findings + bad))
    all=$((all + runs))
done
echo "$all executions, $findings findings"
for name in "${targets[@]}"; do
    for ((worker = 0; worker < workers; worker++)); do
        log=build-fuzz/logs/$name.$worker
        [ "$(cat "$log.status")" -eq 0 ] && continue
        echo
        echo "$name ($log):"
        grep -E 'not so:|runtime error|ERROR: |SUMMARY|Test unit written' "$log" | head -n 8
    done
done
[ "$findings" -eq 0 ]
