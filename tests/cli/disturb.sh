# SPDX-License-Identifier: MIT
# kill -9 at random moments, then the same command to its end: `disturb EXPERIMENT FLAGS...` compares its rows with those
# of a run that nobody disturbed, in all but their seconds. Needs lib.sh; $kills says how often.
# shellcheck shell=bash
kills=${kills:-5} state=12345

plain() { sed 's/, /; /g' "$1"; }     # a comma inside of a quoted spec is followed by a blank, between columns never
rows_of() {         # the rows of a CSV file in the order of their keys, without columns of seconds
    plain "$1" | awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /seconds/) timed[i] }
        { for (i in timed) $i = "" ; print }'
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
    true_that "no row is there twice" test -z "$(plain "stormy/$what.csv" | cut -d, -f1-6 | sort | uniq -d)"
    check "$what: nothing is left to do" 0 una bench "$what" "$@" --out stormy
    out "0 fits made now"
}
