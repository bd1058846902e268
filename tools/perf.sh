#!/bin/bash
# SPDX-License-Identifier: MIT
# Times the training step against its PyTorch peer and itself, the sampler against its NumPy peer, Gaussian processes against
# scikit-learn, the kernels against their reference, prediction and large files, and counts instructions. Writes perf/results.md
# and perf/instructions.csv; docs/develop/SPEED.md says how to read them. Some six minutes, and 4 GB in TMPDIR for a while.
#   tools/perf.sh                   build the release, then measure
#   tools/perf.sh --built FOLDER    measure what was built there
# ROUNDS (5) pairs for each comparison; CORE the core that everything is pinned to; UNA_SHARED where peers/ and data/ are (../shared).
# shellcheck disable=SC2046,SC2086  # flags are words: none, or one
set -eu
cd "$(dirname "$0")/.."
rounds=${ROUNDS:-5}
cores=$(nproc 2>/dev/null || echo 1)
core=${CORE:-$((cores > 1 ? 1 : 0))}
peer=${UNA_SHARED:-../shared}/peers/luna_torch.py
tables=${UNA_SHARED:-../shared}/data/uci
hmc_peer=${UNA_SHARED:-../shared}/peers/hmc_numpy.py
python=/usr/bin/python3            # the distribution's: python3-torch belongs to it
build=build
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report=$work/results.md
say() { echo "$@" >&2; }

if [ "${1:-}" = --built ]; then
    build=$2
else
    tools/deps.sh libxsmm-dev libsleef-dev >&2 || say "Without libxsmm and SLEEF in the kernel lab."
    mkdir -p build
    tools/build.sh >build/build.log 2>&1 || { tail -n 40 build/build.log; exit 1; }
fi

line() { echo "$@" >>"$report"; }
pinned() { taskset -c "$core" "$@"; }
value() { sed -n "s/.*\"$1\": \"\{0,1\}\([^,\"}]*\).*/\1/p"; }            # of a key in one line of JSON
least() { sort -g | head -n 1; }
has_package() { tools/deps.sh "$1" >&2 && "$python" -c "import $2" 2>/dev/null; }        # of the distribution, and its module
middle() { sort -g | awk '{ x[NR] = $1 } END { print x[int((NR + 1)/2)] }'; }

# Share of all processors that was busy during two seconds in which we did nothing.
busy() {
    local before after
    before=$(awk '/^cpu /{ print $2+$3+$4+$6+$7+$8+$9, $5 }' /proc/stat)
    sleep 2
    after=$(awk '/^cpu /{ print $2+$3+$4+$6+$7+$8+$9, $5 }' /proc/stat)
    echo "$before $after" | awk '{ b = $3-$1; i = $4-$2; printf "%.0f", (b + i > 0 ? 100*b/(b+i) : 0) }'
}

machine() {
    local flags commit compiler idle_use=$1 load
    compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt" | head -n 1)
    flags=$(lscpu | sed -n 's/^Flags: *//p' | tr ' ' '\n' | grep -xE 'avx2|fma|avx512f|avx512dq|avx512bw|avx512vl' | paste -s -d ' ' || true)
    commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
    git --no-optional-locks diff --quiet HEAD 2>/dev/null || commit="$commit, with changes that are not committed"
    load=$(cut -d ' ' -f 1 /proc/loadavg)
    line "# Speed"
    line
    line "Written by \`make perf\`; docs/develop/SPEED.md says what the numbers mean."
    line
    line "| | |"
    line "|---|---|"
    line "| processor | $(lscpu | sed -n 's/^Model name: *//p' | head -n 1), family $(lscpu | sed -n 's/^CPU family: *//p'), model $(lscpu | sed -n 's/^Model: *//p'); $cores cores seen |"
    line "| instructions | ${flags:-none of avx2, fma, avx512} |"
    line "| caches | L1d $(lscpu | sed -n 's/^L1d cache: *//p'), L2 $(lscpu | sed -n 's/^L2 cache: *//p'), L3 $(lscpu | sed -n 's/^L3 cache: *//p') |"
    line "| compiler | $("${compiler:-cc}" --version | head -n 1) |"
    line "| date | $(date -u '+%Y-%m-%d %H:%M') UTC |"
    line "| commit | $commit |"
    line "| kernels | $(pinned "$build/perf/luna_step" --case cubic --steps 200 --json | value kernels) |"
    line "| pinned to | core $core, one thread |"
    line "| others | $idle_use % of all cores busy before this run, load average $load |"
    line
    if [ "$idle_use" -gt 5 ]; then
        line "**Other work was using the processors.** Times are too long by an unknown amount and ratios are less certain:"
        line "run this again on a quiet machine before drawing conclusions."
        line
    fi
}

# One run of either side: microseconds a step in the least and in the median of 5 blocks, after one block or 20 steps to warm up.
ours() {
    pinned "$build/perf/luna_step" --json --case "$1" --steps $((6*$3)) --block "$3" $2 |
        sed 's/.*"us_per_step": \([0-9.]*\), "us_median": \([0-9.]*\).*/\1 \2/'
}
theirs() {
    pinned env OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$python" perf/peer_blocks.py "$peer" "$1" --steps $((5*$3)) --threads 1 $2 |
        sed -n 's/.*"us_least": \([0-9.]*\), "us_median": \([0-9.]*\).*/\1 \2/p'
}

flag_of() { case $1 in tanh | nlm) echo "--$1" ;; esac }
# Steps of a block, ours and PyTorch's: some 30 ms each, so that the least blocks are of like samples.
blocks_of() {
    case $1-$2 in
    cubic-relu) echo "440 33" ;;
    cubic-tanh) echo "390 31" ;;
    boston-relu) echo "75 10" ;;
    boston-tanh) echo "50 9" ;;
    kin8nm-relu) echo "95 13" ;;
    kin8nm-tanh) echo "77 12" ;;
    esac
}

against_peer() {
    line "## LUNA step against PyTorch"
    line
    if [ ! -r "$peer" ]; then
        line "Skipped: the peer program is not at $peer."
    elif ! has_package python3-torch torch; then
        line "Skipped: python3-torch is not here and could not be installed."
    else
        peer_rounds
        line "Microseconds a step, one core. In each of $rounds rounds both sides run one after the other, taking turns to begin; a run has 5"
        line "blocks of steps, of some 30 ms on either side. Least: of all blocks of all rounds, and PyTorch's over ours. Median: the middle"
        line "round's, of each run's middle block. Rounds: the ratio of the least blocks in each. PyTorch $("$python" -c 'import torch; print(torch.__version__)'),"
        line "BLAS $(basename "$(dirname "$(readlink -f /etc/alternatives/libblas.so.3-x86_64-linux-gnu 2>/dev/null || echo unknown)")"), 1 thread."
        line
        line "| case | activation | una, least | PyTorch, least | **PyTorch / una** | una, median | PyTorch, median | PyTorch / una | rounds |"
        line "|---|---|---|---|---|---|---|---|---|"
        for name in cubic boston kin8nm; do
            for act in relu tanh; do
                peer_line "$name" "$act"
            done
        done
    fi
    line
}

# Rows of $work/rows: case, activation, una's least and median, PyTorch's least and median.
column() { awk -v name="$1" -v act="$2" -v at="$3" '$1 == name && $2 == act { print $at }' "$work/rows"; }

peer_line() {
    local rounds_of
    rounds_of=$(awk -v name="$1" -v act="$2" '$1 == name && $2 == act { print $5/$3 }' "$work/rows" | sort -g)
    echo "$(column $1 $2 3 | least) $(column $1 $2 5 | least) $(column $1 $2 4 | middle) $(column $1 $2 6 | middle)" \
         "$(echo "$rounds_of" | head -n 1) $(echo "$rounds_of" | tail -n 1)" |
        awk -v name="$1" -v act="$2" '{ printf "| %s | %s | %.1f | %.1f | **%.2f** | %.1f | %.1f | %.2f | %.1f to %.1f |\n",
            name, act, $1, $2, $2/$1, $3, $4, $4/$3, $5, $6 }' >>"$report"
}

peer_rounds() {
    local round name act flag mine other
    for round in $(seq "$rounds"); do
        for name in cubic boston kin8nm; do
            for act in relu tanh; do
                say "round $round of $rounds: $name, $act"
                flag=$(flag_of "$act")
                set -- $(blocks_of "$name" "$act")
                if [ $((round % 2)) -eq 1 ]; then
                    mine=$(ours "$name" "$flag" "$1"); other=$(theirs "$name" "$flag" "$2")
                else
                    other=$(theirs "$name" "$flag" "$2"); mine=$(ours "$name" "$flag" "$1")
                fi
                echo "$name $act $mine $other" >>"$work/rows"
            done
        done
    done
}

# A LUNA step evaluates the network and D slopes, forward and back: D + 1 NLM steps, allowed twice that.
luna_against_nlm() {
    local name act flag inputs round kind
    say "LUNA against NLM"
    line "## LUNA step against NLM step, same batch"
    line
    line "Least block of 5 steps in $rounds interleaved runs each; rates count the network without padding. Goal: at most 2.0 (D + 1) NLM steps."
    line
    line "| case | activation | LUNA, us | GFLOP/s | NLM, us | GFLOP/s | LUNA / NLM | 2.0 (D + 1) | |"
    line "|---|---|---|---|---|---|---|---|---|"
    for name in cubic boston kin8nm; do
        case $name in cubic) inputs=1 ;; boston) inputs=13 ;; *) inputs=8 ;; esac
        for act in relu tanh; do
            flag=$(flag_of "$act")
            rm -f "$work/luna" "$work/nlm"
            for round in $(seq "$rounds"); do
                for kind in luna nlm; do
                    pinned "$build/perf/luna_step" --json --case "$name" --steps 600 --block 5 $flag $(flag_of $kind) |
                        sed 's/.*"us_per_step": \([0-9.]*\).*"gflops": \([0-9.]*\).*/\1 \2/' >>"$work/$kind"
                done
            done
            echo "$(least <"$work/luna") $(least <"$work/nlm") $inputs" |
                awk -v name="$name" -v act="$act" '{ most = 2*($5+1); r = $1/$3
                    printf "| %s | %s | %.1f | %s | %.1f | %s | %.1f | %.0f | %s |\n", name, act, $1, $2, $3, $4, r, most, (r <= most ? "reached" : "missed") }' >>"$report"
        done
    done
    line
}

two_at_once() {
    say "two models at once"
    line "## Two models at once"
    line
    if [ "$cores" -lt 2 ]; then
        line "Skipped: one core only."
    else
        line "Time of two on two cores / time of one alone, pairs interleaved: 1.00 when they do not disturb one another. The product"
        line "loop lives in registers and the first cache, so it shows what the machine itself takes away."
        line
        line "| what | pairs | median | least | most |"
        line "|---|---|---|---|---|"
        "$build/perf/pair" --case boston --steps 250 --pairs 11 >>"$report"
    fi
    line
}

predictions() {
    say "prediction"
    line "## Prediction"
    line
    line "Every model of the registry: 1000 rows and 8 inputs to learn from, networks with two hidden layers of 50, members and draws as by"
    line "default (training is cut short, which changes the weights but not the work). 10,000 rows a call; with bands: mean, both stds and"
    line "bounds, which for a mixture (ensemble, hmc, bbvi, mcd) are its quantiles. One thread, processor time, through the public face."
    line
    line "| model | rows a second with bands | rows a second, means alone | us for one row with bands |"
    line "|---|---|---|---|"
    pinned "$build/perf/predict" >>"$report"
    line
}

sampling() {
    local peer_words=()
    say "sampling"
    line "## Sampling"
    line
    line "hmc, a 1-50-1 tanh network on 100 rows, one core, runs by turns: gradients a second of the peer's own sampler (fixed step and"
    line "length, all weights), and with the model's defaults the smallest effective sample size a second over f at nine inputs."
    line "Flops of a gradient: 13 for each row and unit and 27 for its tanh; the peak is our double product in the cache."
    line
    if [ -r "$hmc_peer" ] && "$python" -c 'import numpy' 2>/dev/null; then
        peer_words=(--peer "env OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $python $hmc_peer")
    fi
    pinned "$build/perf/hmc" --runs "$rounds" "${peer_words[@]}" | grep -v '^{' >>"$report"
    line
}

gaussian_processes() {
    say "Gaussian processes"
    line "## Gaussian processes against scikit-learn"
    line
    if [ ! -d "$tables" ]; then
        line "Skipped: the tables are not at $tables."
    elif ! has_package python3-sklearn sklearn; then
        line "Skipped: python3-sklearn is not here and could not be installed."
    else
        line "Exact processes on standardised tables, the same kernels, one core and one thread; times are the least of three fits and nine"
        line "predictions. Log evidence: at our optimum and at theirs, each from its own start. scikit-learn $("$python" -c 'import sklearn; print(sklearn.__version__)')."
        line
        pinned env OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$python" perf/gp_sklearn.py "$build/perf/gp" "$tables" --markdown >>"$report" ||
            { line; line "Some goals were missed, or some checks could not be run."; }
    fi
    line
}

large_data() {
    local needed=4000000
    say "large data"
    line "## Data"
    line
    if [ "$(df -Pk "$work" | awk 'NR == 2 { print $4 }')" -lt $needed ]; then
        line "Skipped: the files need 4 GB in $(dirname "$work"); TMPDIR names another place."
    else
        line "Tables of 1e6 rows and 20 columns, and files of 1e7 rows and 9 columns, made for this. Processor time, the least of several;"
        line "each job has a process of its own, so its peak of memory is its own."
        line
        TMPDIR=$work pinned "$build/perf/data" >>"$report" ||
            { line; line "Some jobs could not be run."; }
    fi
    line
}

# Instructions of training alone, in the reference kernels: the same on every run, so a change is a change of the code.
instructions() {
    local table=perf/instructions.csv steps=4 name kind act flags count before
    say "instructions"
    line "## Instructions"
    line
    if ! tools/deps.sh valgrind >&2 || ! command -v valgrind >/dev/null; then
        line "Skipped: valgrind is not here and could not be installed."
        line
        return
    fi
    line "Of $steps training steps with the generic kernels, counted by callgrind; the change is against the table before this run."
    line
    line "| case | instructions | change |"
    line "|---|---|---|"
    echo "case,kernels,instructions" >"$work/instructions.csv"
    for name in cubic boston kin8nm; do
        for kind in luna-relu luna-tanh nlm-relu; do
            flags=$(case $kind in luna-tanh) echo --tanh ;; nlm-relu) echo --nlm ;; esac)
            count=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=una_train_f32 "$build/perf/luna_step" \
                    --case "$name" --steps $steps --kernels generic --count $flags 2>&1 | sed -n 's/.*Collected : //p')
            before=$(sed -n "s/^$name-$kind,generic,//p" "$table" 2>/dev/null || true)
            echo "$name-$kind,generic,$count" >>"$work/instructions.csv"
            echo "$name-$kind $count ${before:-0}" |
                awk '{ printf "| %s | %.0f | %s |\n", $1, $2, ($3 > 0 ? sprintf("%+.2f %%", 100*($2/$3 - 1)) : "new") }' >>"$report"
        done
    done
    cp "$work/instructions.csv" "$table"
    line
}

lab() {
    say "kernel lab"
    line "## Kernels"
    line
    pinned "$build/perf/kernels" >>"$report"
    line
}

machine "$(busy)"
against_peer
luna_against_nlm
two_at_once
predictions
sampling
gaussian_processes
large_data
instructions
lab
line "After the run $(busy) % of all cores were busy. It took $SECONDS s."
cp "$report" perf/results.md
say "written: perf/results.md"
