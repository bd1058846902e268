# SPDX-License-Identifier: MIT
# Twice the rows, columns, words, levels, draws or parts take at most twice the work and memory. Counted are
# instructions, by the processor's own counter or, where there is none to be had, by valgrind. What a run does at any
# size is taken off: of three sizes, each twice the one before, the second step may cost 2.3 times what the first does.
# UNA_TEST_LONG=1: every verb, along everything that can grow.
# shellcheck shell=bash
only_plain || return 0
watch=$(dirname "$UNA")/tests/watch
if [ ! -x "$watch" ]; then
    skip "there is no $watch"
    return 0
fi
if [ "$("$watch" count "$UNA" --version 2>/dev/null | tail -n 1 | cut -d' ' -f2)" = - ] && ! command -v valgrind >/dev/null; then
    skip "instructions can be counted neither by the processor nor by valgrind"
    return 0
fi
: >stdout.txt >stderr.txt

counted() {     # counted COMMAND...: "INSTRUCTIONS KILOBYTES" of it, or "failed"; "fresh" makes what it reads anew
    local status instructions memory
    read -r status instructions memory < <("$watch" count "$@" 2>error.txt | tail -n 1)
    if [ "$status" -ne 0 ]; then
        echo failed
        return
    fi
    if [ "$instructions" = - ]; then
        fresh
        instructions=$(valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
            sed -n 's/.*I *refs: *//p' | tr -d ,)
    fi
    echo "${instructions:-failed} $memory"
}

grows() {       # grows NAME SIZE PREPARE COMMAND...: PREPARE SIZE makes what the command, words of una, reads
    local title=$1 size=$2 prepare=$3 work=() memory=() step one alone="--threads 1"
    shift 3
    case $1 in info|study) alone= ;; esac
    for step in 1 2 4; do
        fresh() { rm -rf kept-* tuned-* && "$prepare" $((size * step)) >prepare.txt 2>&1; }    # nothing of an earlier run
        if ! fresh; then
            fail "$title: it cannot be prepared at $((size * step))" "$(cat prepare.txt)"
            return
        fi
        # shellcheck disable=SC2086
        one=$(counted "$UNA" "${@//SIZE/$((size * step))}" $alone)
        if [ "${one%% *}" = failed ]; then
            name=$title
            fail "$title: it fails at $((size * step))" "$(cat prepare.txt error.txt)"
            return
        fi
        work+=("${one% *}")
        memory+=("${one#* }")
    done
    name=$title
    true_that "work: ${work[*]} at $size and twice and four times that" \
        test $((10 * (work[2] - work[1]))) -le $((23 * (work[1] - work[0]) + 10000000))
    true_that "memory: ${memory[*]} KB" test $((10 * (memory[2] - memory[1]))) -le $((23 * (memory[1] - memory[0]) + 80000))
}

numbers() {     # numbers ROWS COLUMNS [SEED]
    awk -v rows="$1" -v columns="$2" -v s="${3:-5}" 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
        BEGIN { for (c = 1; c <= columns; c++) printf "x%d,", c
                print "y"
                for (i = 0; i < rows; i++) { y = 0
                    for (c = 1; c <= columns; c++) { v = u(); if (c < 4) y += c * v; printf "%.4f,", v }
                    printf "%.4f\n", y + 0.1 * u() } }'
}
worded() {      # worded ROWS WORDS: a column of so many different words, in turn
    awk -v rows="$1" -v words="$2" 'BEGIN { print "x1,kind,y"; for (i = 0; i < rows; i++) printf "%.3f,w%d,%.3f\n", (i * 0.5698) % 1, i % words, (i * 0.7549) % 1 + i % words / words }'
}
small="nn(steps=1,width=2)"
rows() { numbers "$1" 3 >in.csv; }
columns() { numbers 12 "$1" >in.csv; }
words() { worded "$1" $(($1 / 2)) >in.csv; }
fitted_columns() { numbers 12 "$1" >in.csv; una fit in.csv --model "$small" --no-verdict --out m.una --quiet; }
warned_columns() { fitted_columns "$1"; sed -i '2,$s/,/ kg,/g' in.csv; }      # the model knows no unit of any of them
fitted_rows() { numbers 40 3 >fit.csv; una fit fit.csv --model "${model:-linear}" --no-verdict --out m.una --quiet; numbers "$1" 3 >in.csv; }
parts() { numbers 40 3 >fit.csv; una fit fit.csv --model "mcd(passes=$1,steps=20,width=2,noise_std=1e-7)" --no-verdict --out m.una --quiet; head -n 3 fit.csv >in.csv; }

grows "fit, columns" 500 columns fit in.csv --model "$small" --quiet --out m.una
grows "predict, columns" 500 fitted_columns predict m.una in.csv --out out.csv --quiet
grows "predict, columns with a warning each" 1000 warned_columns predict m.una in.csv --out out.csv --quiet
grows "score, parts" 1500 parts score m.una in.csv

# What grows faster is refused with numbers before anything begins.
numbers 60 300 >in.csv
check "linear, too little memory" 4 una fit in.csv --model linear --memory 3M --out never.una
err "linear: the products of 301 features by pairs need" "MB of memory, and only 3.15 MB are allowed" "--only"
check "gp, too little memory" 4 sh -c 'awk "BEGIN { print \"x,y\"; for (i = 0; i < 900; i++) print i \",\" i % 7 }" >rows.csv; "$UNA" fit rows.csv --model gp --memory 8M --out never.una'
err "gp: the covariances of 900 rows need" "MB of memory, and only 8.39 MB are allowed"
check "auto goes without gp then" 0 una fit rows.csv --memory 8M --set 'luna=nlm(steps=2,members=1)' --no-verdict --out m.una
out "The stack has no gp." "covariances of 900 rows"
[ -n "${UNA_TEST_LONG:-}" ] || return 0

levels() { worded 400 "$1" >in.csv; }
fitted_words() { worded "$1" $(($1 / 2)) >in.csv; una fit in.csv --model "$small" --other 3 --no-verdict --out m.una --quiet; }
exact="nlm(steps=1,width=2,members=1)"         # it can be updated, explained, and asked where to measure
exact_columns() { numbers 12 "$1" >in.csv; una fit in.csv --model "$exact" --no-verdict --out m.una --quiet; }
tall_columns() { numbers 80 "$1" >in.csv; }
exact_words() { worded "$1" $(($1 / 2)) >in.csv; una fit in.csv --model "$exact" --other 3 --no-verdict --out m.una --quiet; }
exact_levels() { worded 4000 "$1" >in.csv; una fit in.csv --model "$exact" --no-verdict --out m.una --quiet; }
gp_rows() { numbers 40 3 >fit.csv; una fit fit.csv --model gp --no-verdict --out m.una --quiet; numbers "$1" 3 >in.csv; }
study() {       # of so many trials
    rm -f s.study
    printf '{"x1": {"type": "real", "low": 0, "high": 1}, "x2": {"type": "real", "low": 0, "high": 1}}' >space.json
    una study new s.study --space space.json --quiet
    awk -v rows="$1" 'BEGIN { print "x1,x2,value"; for (i = 1; i <= rows; i++) printf "%.6f,%.6f,%.6f\n", (i * 0.5698403) % 1, (i * 0.7548777) % 1, (i * 0.31) % 1 }' >trials.csv
    [ "${import:-yes}" = no ] || una study import s.study trials.csv --quiet
}
grows "fit, words" 1000 words fit in.csv --model "$small" --other 3 --quiet --out m.una
grows "predict, draws" 2000 fitted_rows predict m.una fit.csv --draws SIZE --out out.csv --quiet
grows "fit, rows" 2000 rows fit in.csv --model linear --quiet --out m.una
grows "fit nn, rows" 2000 rows fit in.csv --model "$small" --quiet --out m.una
# Up to 400 inputs the verdict has a linear regression beside it, whose cost grows with their cube and ends there.
grows "fit, levels" 25 levels fit in.csv --model "$small" --no-verdict --quiet --out m.una
grows "fit with a report, rows" 1000 rows fit in.csv --model linear --quiet --out m.una --report r.html
grows "fit with a report, columns" 100 columns fit in.csv --model "$small" --quiet --out m.una --report r.html
grows "predict, rows" 2000 fitted_rows predict m.una in.csv --out out.csv --quiet
grows "predict, words" 1000 fitted_words predict m.una in.csv --out out.csv --quiet
grows "predict, parts" 1500 parts predict m.una in.csv --out out.csv --quiet
grows "draws of parts" 1500 parts predict m.una in.csv --draws SIZE --out out.csv --quiet
grows "predict gp, rows" 1000 gp_rows predict m.una in.csv --out out.csv --quiet
grows "score, rows" 2000 fitted_rows score m.una in.csv
grows "score, columns" 500 fitted_columns score m.una in.csv
grows "update, rows" 2000 fitted_rows update m.una in.csv --out more.una --quiet
grows "info, columns" 1000 fitted_columns info m.una
grows "info, levels" 25 exact_levels info m.una
grows "info, parts" 1500 parts info m.una
grows "predict, levels" 25 exact_levels predict m.una in.csv --out out.csv --quiet
grows "score, words" 32000 exact_words score m.una in.csv
grows "score, levels" 25 exact_levels score m.una in.csv
grows "update, columns" 500 exact_columns update m.una in.csv --out more.una --quiet
grows "update, words" 32000 exact_words update m.una in.csv --out more.una --quiet
grows "update, levels" 25 exact_levels update m.una in.csv --out more.una --quiet
grows "update --with, rows" 2000 fitted_rows update m.una fit.csv --with in.csv --out more.una --quiet
grows "update --with, columns" 250 exact_columns update m.una in.csv --with in.csv --out more.una --quiet
for what in bands effect observed calibration residuals ignorance; do
    grows "plot of $what, rows" 1000 fitted_rows plot m.una in.csv --what $what --input x1 --out c.svg --quiet
    grows "plot of $what, columns" 1000 fitted_columns plot m.una in.csv --what $what --input x1 --out c.svg --quiet
done
printf 'far: x1 > 0.5\nright: x2 > 0.5\n' >concepts.txt
grows "explain, rows" 1000 fitted_rows explain m.una in.csv --concepts concepts.txt --out why.csv --report why.html
printf 'far: x1 > 0.5\n' >one.txt
grows "explain, columns" 100 exact_columns explain m.una in.csv --concepts one.txt --out why.csv --report why.html
grows "suggest, columns" 100 exact_columns suggest m.una --pool in.csv
grows "suggest without a pool, columns" 50 exact_columns suggest m.una
grows "compare, columns" 100 columns compare in.csv --models "$small" --out kept-SIZE --quiet
# A hole is cut along each column, with a fit of its own, unless columns are named.
grows "gap, columns" 100 tall_columns gap in.csv --model "$small" --pairs 0 --columns x1,x2
grows "compare, rows" 500 rows compare in.csv --models linear --out kept-SIZE --quiet
grows "gap, rows" 300 rows gap in.csv --model linear --pairs 0
grows "suggest, rows" 500 fitted_rows suggest m.una --pool in.csv
grows "tune, trials" 8 rows tune in.csv --model linear --over 'degree=1|2, prior_var=1e-3:10:log' --search random --trials SIZE --out tuned-SIZE --quiet
import=no
grows "study import, trials" 200 study study import s.study trials.csv
import=yes
grows "study export, trials" 200 study study export s.study csv
grows "study show, trials" 200 study study show s.study
grows "study best, trials" 200 study study best s.study
