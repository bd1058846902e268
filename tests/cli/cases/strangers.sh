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

# Studies whose schema is a program: refused at once by every verb that opens one, and nothing of it runs.
if ! command -v sqlite3 >/dev/null; then
    skip "there is no sqlite3 to write studies of strangers with; tests/sweep/test_database.c has them too"
    return 0
fi
echo '{"x": {"type": "real", "low": 0, "high": 1}}' >space.json
una study new honest.study --space space.json --acquisition random --quiet
una study ask honest.study >asked.txt
una study tell honest.study 1 0.5
endless="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
strange() {     # strange NAME SQL SAYS
    local verb
    cp honest.study strange.study
    sqlite3 strange.study "$2"
    cp strange.study strange.kept
    for verb in "study show" "study best" "study ask" "info"; do
        check "$1: $verb" 2 timeout 20 "$UNA" $verb strange.study
        err "strange.study was not written by una, or was changed since" "$3"
    done
    check "$1: little memory" 2 timeout 20 "$UNA" study show strange.study --memory 50M
    check "$1: tell" 2 timeout 20 "$UNA" study tell strange.study 1 0.5
    check "$1: import" 2 timeout 20 "$UNA" study import strange.study odd.csv
    same strange.study strange.kept
}
strange "an endless view" "ALTER TABLE study_trial RENAME TO old; CREATE VIEW study_trial AS $endless
    SELECT 'study' AS study, i AS id, 'told' AS state, '{}' AS x, 1.0 AS value, 1 AS attempts, '' AS note, 1 AS asked,
    1 AS told, 1.0 AS expected, 1.0 AS doubt FROM n" "the view 'study_trial'"
strange "an endless study" "ALTER TABLE study RENAME TO old; CREATE VIEW study AS $endless SELECT old.* FROM old, n" \
    "the view 'study'"
strange "a large view" "ALTER TABLE study_trial RENAME TO old; CREATE VIEW study_trial AS
    SELECT study, id, state, hex(zeroblob(300000000)) AS x, value, attempts, note, asked, told, expected, doubt FROM old" \
    "the view 'study_trial'"
strange "a trigger" "CREATE TRIGGER pull AFTER UPDATE ON study_turn BEGIN DELETE FROM study_trial; END" "the trigger 'pull'"
strange "a computed column" "ALTER TABLE study_trial ADD COLUMN more AS (hex(zeroblob(300000000)))" \
    "the table 'study_trial' with AS"
strange "an index that computes" "CREATE INDEX slow ON study_trial (hex(zeroblob(id)))" "the index 'slow'"
check "what is honest is taken" 0 una study ask honest.study
check "and has its trials" 0 una study show honest.study
out "2 trials: 1 told, 0 failed, 1 open"
