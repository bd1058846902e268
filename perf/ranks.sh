#!/bin/bash
# SPDX-License-Identifier: MIT
# How much faster several ranks of one thread finish a sweep of equal jobs (100 fits of some 0.25 s), and how long a fit
# waits for its key and the store. On an otherwise quiet machine:
#   perf/ranks.sh [REPEATS [RANKS...]]       3 times 1, 2 and 4 ranks; of each the best counts
# One rank is una without mpirun. Times are of the whole command, with mpirun's own start and the page.
set -eu
una=$(cd "$(dirname "$0")/.." && pwd)/build/una
repeats=${1:-3}
shift $(($# > 0 ? 1 : 0))
[ $# -gt 0 ] || set -- 1 2 4
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

job=(bench split --sets line --models 'nn(steps=2000)' --seeds 5 --threads 1)
sweep() {    # sweep RANKS: seconds, and what it said of waiting
    rm -rf out
    local start=(env) from to
    [ "$1" -eq 1 ] || start=(mpirun --oversubscribe --bind-to none -n "$1")
    from=$(date +%s%N)
    "${start[@]}" "$una" "${job[@]}" --out out >/dev/null 2>err.txt
    to=$(date +%s%N)
    awk -v ns=$((to - from)) 'BEGIN { printf "%.2f ", ns / 1e9 }'
    sed -n 's/.*waited \([0-9.e-]*\) %.*/\1/p' err.txt | grep . || echo -
}

# Turn by turn, so that a busy minute of the machine does not fall on one of them alone.
for ((i = 0; i < repeats; i++)); do
    for ranks in "$@"; do echo "$ranks $(sweep "$ranks")"; done
done >times.txt
echo "load of the machine: $(cut -d ' ' -f 1-3 /proc/loadavg 2>/dev/null), $(nproc) cores"
printf '%5s %9s %7s %16s\n' ranks seconds faster 'waited, percent'
for ranks in "$@"; do
    awk -v r="$ranks" '$1 == r && (best == "" || $2 < best) { best = $2; wait = $3 } $1 == 1 && (!one || $2 < one) { one = $2 }
        END { printf "%5d %9.2f %7s %16s\n", r, best, one ? sprintf("%.2f", one / best) : "-", wait }' times.txt
done
