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
export XDG_CACHE_HOME=$PWD/cache

counted() {     # counted COMMAND...: "INSTRUCTIONS KILOBYTES" of it, or "failed"
    local status instructions memory
    read -r status instructions memory < <("$watch" count "$@" 2>error.txt | tail -n 1)
    if [ "$status" -ne 0 ]; then
        echo failed
        return
    fi
    if [ "$instructions" = - ]; then
        instructions=$(valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
            sed -n 's/.*I *refs: *//p' | tr -d ,)
    fi
    echo "${instructions:-failed} $memory"
}

grows() {       # grows NAME SIZE PREPARE COMMAND...: PREPARE SIZE makes what the command, words of una, reads
    local title=$1 size=$2 prepare=$3 work=() memory=() step one
    shift 3
    for step in 1 2 4; do
        "$prepare" $((size * step)) >prepare.txt 2>&1 || cat prepare.txt
        one=$(counted "$UNA" "${@//SIZE/$((size * step))}" --threads 1)
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
fitted_rows() { numbers 40 3 >fit.csv; una fit fit.csv --model "${model:-linear}" --no-verdict --out m.una --quiet; numbers "$1" 3 >in.csv; }
parts() { numbers 40 3 >fit.csv; una fit fit.csv --model "mcd(passes=$1,steps=20,width=2,noise_std=1e-7)" --no-verdict --out m.una --quiet; head -n 3 fit.csv >in.csv; }

grows "fit, columns" 500 columns fit in.csv --model "$small" --no-cache --quiet --out m.una
grows "predict, columns" 500 fitted_columns predict m.una in.csv --out out.csv --quiet
grows "score, parts" 1500 parts score m.una in.csv
grows "fit, words" 1000 words fit in.csv --model "$small" --other 3 --no-cache --quiet --out m.una
grows "predict, draws" 2000 fitted_rows predict m.una fit.csv --draws SIZE --out out.csv --quiet
[ -n "${UNA_TEST_LONG:-}" ] || return 0
