# SPDX-License-Identifier: MIT
# Names from files of strangers: nothing of them reaches the terminal that it would obey, and JSON stays JSON whatever
# bytes they are made of.
# shellcheck shell=bash
{
    printf 'a\033]0;owned\007\033[2J,caf\351 \342\200\256x,y\n'
    for i in $(seq 30); do echo "$i,$((i * i % 11)),$((3 * i + i % 5))"; done
} >odd.csv
sed "1s/y\$/y$(printf '\351\002')/" odd.csv >target.csv
printf 'od\351d\033[1m: y > 3\n' >concepts.txt
fast="--model linear --no-cache"

harmless() {    # harmless FILE: no control but line ends, no mark that turns the text
    local odd
    odd=$(LC_ALL=C tr -d '\n\t\040-\176\200-\377' <"$1" | wc -c)
    true_that "$name: nothing in $1 that a terminal obeys" test "$odd" = 0
    true_that "$name: no mark in $1 that turns the text" bash -c '! LC_ALL=C grep -q "$(printf "\342\200\256")" "$1"' _ "$1"
}
utf8() {
    json "$@"
    if command -v iconv >/dev/null; then true_that "$name: UTF-8" iconv -f UTF-8 -t UTF-8 -o /dev/null stdout.txt; fi
}

for file in odd target; do
    check "fit $file" 0 una fit $file.csv $fast --out $file.una
    harmless stdout.txt
    check "info $file" 0 una info $file.una
    harmless stdout.txt
    check "info --json $file" 0 una info $file.una --json
    utf8 kind columns
    check "fit --json $file" 0 una fit $file.csv $fast --out $file.una --json
    utf8 spec
    check "score --json $file" 0 una score $file.una $file.csv --json
    utf8 rmse
    check "compare --json $file" 0 una compare $file.csv --models linear --no-cache --json
    utf8 rows
done
check "explain" 0 una explain odd.una odd.csv --concepts concepts.txt
harmless stdout.txt
check "explain --json" 0 una explain odd.una odd.csv --concepts concepts.txt --json
utf8 rows
check "names in info" 0 una info odd.una
out '\x1b]0;owned\x07' '\u202e'

printf 'y\n1\n' >less.csv
check "a missing column" 2 una predict odd.una less.csv --out no.csv
harmless stderr.txt
err '\x1b]0;owned\x07'
