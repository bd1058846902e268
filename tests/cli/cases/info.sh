# SPDX-License-Identifier: MIT
# A model file whose header is as long as one may be, and sound: what is too long for eyes is passed over, and a signal
# ends what takes long. gzip ends with the same checksum that follows a header (base/archive.h).
# shellcheck shell=bash
headed() {      # headed FILE: a model file with this header
    local size
    size=$(wc -c <"$1")
    printf 'UNAMODEL\1\0\0\0' >front
    for shift in 0 8 16 24; do
        # shellcheck disable=SC2059  # the byte is the format
        printf "\\$(printf %03o $((size >> shift & 255)))"
    done >>front
    cat front "$1"
    cat front "$1" | gzip -1 | tail -c 8 | head -c 4
}
lists() {       # lists PARTS COUNT: so many parts, each an array of empty arrays
    printf '{"kind": "linear"'
    for ((i = 0; i < $1; i++)); do
        printf ', "part_%d": [' "$i"
        yes '[],' | head -n "$(($2 - 1))" | tr -d '\n'
        printf '[]]'
    done
    printf '}'
}

lists 2 3 >small.json
headed small.json >small.una
check "a header made here" 0 una info small.una
out "linear" "part 0" "part 1" "none"
no_err

lists 1 5000000 >long.json
headed long.json >long.una
check "a part too long for eyes" 0 una info long.una
out "linear" "part 0" "15.0 MB, which --json prints"
true_that "it is passed over" test "$(wc -l <stdout.txt)" -le 3
check "the same as JSON" 0 una info long.una --json
true_that "it is whole" test "$(wc -c <stdout.txt)" -gt 15000000

# Every part is short enough; all of them take seconds.
lists 16 340000 >many.json
headed many.json >many.una
interrupted() { timeout --foreground --preserve-status -s TERM -k 30 1.5 "$UNA" info many.una >/dev/null; }
check "one SIGTERM on the way" 130 interrupted
err "interrupted"
