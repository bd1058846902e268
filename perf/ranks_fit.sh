#!/bin/bash
# SPDX-License-Identifier: MIT
# One training over the rows of several ranks: most memory of a rank, seconds of the whole command, and how well it
# fits. On an otherwise quiet machine, with as many cores as ranks:
#   perf/ranks_fit.sh [ROWS [STEPS [RANKS...]]]      2000000 rows of 10 inputs, 2000 steps, 1, 2 and 4 ranks
# One rank is una without mpirun. Everything is held in memory (--no-scratch); ranks have one thread.
set -eu
una=$(cd "$(dirname "$0")/.." && pwd)/build/una
rows=${1:-2000000} steps=${2:-2000}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- 1 2 4
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

table() {    # table ROWS SEED: a smooth function of ten inputs, four of which matter
    awk -v rows="$1" -v seed="$2" 'BEGIN {
        srand(seed)
        print "a,b,c,d,e,f,g,h,i,j,y"
        for (i = 0; i < rows; i++) {
            for (k = 1; k <= 10; k++) x[k] = 4 * rand() - 2
            y = sin(2 * x[1]) + x[2] * x[3] + 0.5 * x[4] * x[4] + 0.2 * (rand() + rand() + rand() - 1.5)
            for (k = 1; k <= 10; k++) printf "%.5f,", x[k]
            printf "%.5f\n", y
        }
    }'
}
table "$rows" 1 >rows.csv
table 20000 2 >test.csv
echo "rows.csv: $rows rows, $(wc -c <rows.csv | awk '{ printf "%.0f MB", $1 / 1e6 }'); load of the machine:" \
     "$(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) cores"

cat >measured.py <<'END'
import os, resource, subprocess, sys
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
open("most." + os.environ.get("OMPI_COMM_WORLD_RANK", "0"), "w").write("%d\n" % most)
sys.exit(status)
END
spec="luna(steps=$steps, members=1, noise=constant, relevance=off)"
printf '%5s %9s %22s %9s %9s\n' ranks seconds 'most memory of a rank' rmse log_lik
for ranks in "$@"; do
    rm -f most.*
    start=(env)
    [ "$ranks" -eq 1 ] || start=(mpirun --oversubscribe --bind-to none -n "$ranks")
    from=$(date +%s%N)
    "${start[@]}" python3 measured.py "$una" fit rows.csv --target y --model "$spec" --valid 0.15 --threads 1 \
        --no-scratch --quiet --out model.una
    to=$(date +%s%N)
    score() { "$una" score model.una test.csv --json | sed "s/.*\"$1\": \([-0-9.e]*\).*/\1/"; }
    cat most.* | awk -v r="$ranks" -v ns=$((to - from)) -v rmse="$(score rmse)" -v lik="$(score log_lik)" '
        $1 > most { most = $1 } END { printf "%5d %9.1f %19.0f MB %9.4f %9.3f\n", r, ns / 1e9, most / 1000, rmse, lik }'
done
