# SPDX-License-Identifier: MIT
# Names from files of strangers: nothing of them reaches the terminal that it would obey, and JSON stays JSON whatever
# bytes they are made of.
# shellcheck shell=bash
{
    printf 'a\033]0;owned\007\033[2J,caf\351 \342\200\256x\302\233\177,y\n'
    for i in $(seq 30); do echo "$i,$((i * i % 11)),$((3 * i + i % 5))"; done
} >odd.csv
sed "1s/y\$/y$(printf '\351\002')/" odd.csv >target.csv
printf 'od\351d\033[1m: y > 3\n' >concepts.txt
fast="--model linear"

harmless() {    # harmless FILE: no control but line ends, also of two bytes, no mark that turns the text
    local odd
    odd=$(LC_ALL=C tr -d '\n\t\040-\176\200-\377' <"$1" | wc -c)
    true_that "$name: nothing in $1 that a terminal obeys" test "$odd" = 0
    odd=$(LC_ALL=C grep -c "$(printf '\302[\200-\237]\|\342\200[\250-\256]')" "$1")
    true_that "$name: no control of two bytes in $1, and no mark that turns the text" test "$odd" = 0
}
utf8() {
    harmless stdout.txt
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
    check "compare --json $file" 0 una compare $file.csv --models linear --json
    utf8 rows
done
check "explain" 0 una explain odd.una odd.csv --concepts concepts.txt
harmless stdout.txt
check "explain --json" 0 una explain odd.una odd.csv --concepts concepts.txt --json
utf8 rows
check "names in info" 0 una info odd.una
out '\x1b]0;owned\x07' '\u202e' '\u009b'
check "suggest --json" 0 una suggest odd.una --json
utf8 rows
check "names in info --json" 0 una info odd.una --json
out ' \u202ex\u009b\u007f"'
if command -v jq >/dev/null; then
    true_that "$name: the name is the same" \
        test "$(jq '.columns[1] | endswith(" \u202ex\u009b\u007f")' stdout.txt)" = true
fi

# Of a model whose place is taken, and of paths, nothing either.
foreign() {     # foreign MODEL: its kind, of six letters, becomes an escape; the CRC of gzip is that of the header
    local end=$((16 + $(od -An -tu4 -j12 -N4 "$1")))
    LC_ALL=C sed '1s/"kind": "[a-z]\{6\}"/"kind": "\\u001b"/' "$1" >foreign.bytes
    head -c "$end" foreign.bytes >foreign.head
    { cat foreign.head; gzip -c foreign.head | tail -c 8 | head -c 4; tail -c +"$((end + 5))" foreign.bytes; } >evil.una
}
foreign odd.una
check "update in the place of a stranger's model" 0 una update odd.una odd.csv --out evil.una
harmless stdout.txt
out "(replaced: a model of kind \\x1b was there)"
foreign odd.una
check "fit in its place" 0 una fit odd.csv $fast --out evil.una
harmless stdout.txt
out "(replaced: a model of kind \\x1b was there)"
path=$(printf 'p\033[2J\302\233')
{ head -n 1 odd.csv; for i in $(seq 90); do echo "$i,$((i * i % 11)),$((3 * i + i % 5))"; done; } >"$path.csv"
check "fit of an odd path" 0 una fit "$path.csv" $fast --out "$path.una" --report "$path.html"
harmless stdout.txt
for verb in "update $path.una $path.csv --out $path.2.una" "predict $path.una $path.csv --out $path.2.csv" \
            "gap $path.csv --model linear --report $path.html" "suggest $path.una --out $path.2.csv" \
            "explain $path.una $path.csv --concepts concepts.txt --report $path.html --out $path.3.csv" \
            "compare $path.csv --models linear --chart $path.svg" \
            "tune $path.csv --model linear --over degree=1|2" "--dump-columns $path.csv"; do
    check "${verb%% *} of an odd path" 0 una $verb
    harmless stdout.txt
    harmless stderr.txt
done

printf 'y\n1\n' >less.csv
check "a missing column" 2 una predict odd.una less.csv --out no.csv
harmless stderr.txt
err '\x1b]0;owned\x07'

# JSON that would take eighty times its bytes, beyond the limit of memory: refused by its numbers, before it is read.
watch=$(dirname "$UNA")/tests/watch
in_memory() {   # in_memory NAME STATUS MEGABYTES COMMAND...: as check, and it takes at most so many
    local what=$1 wanted=$2 most=$3 memory
    shift 3
    if [ -n "${SANITIZED:-}" ] || [ ! -x "$watch" ]; then
        check "$what" "$wanted" "$@"
        return
    fi
    check "$what" 0 "$watch" count "$@"
    read -r wanted_is _ memory < <(tail -n 1 stdout.txt)
    true_that "$what: status $wanted, not $wanted_is" test "$wanted_is" = "$wanted"
    true_that "$what: at most $most MB, not $((memory / 1000))" test "$memory" -le "$((1000 * most))"
}
objects() { yes '{},' | head -n "$1" | tr -d '\n'; }       # objects COUNT
{ printf '{"a":['; objects 330000; printf '{}]}'; } >short.json      # 1 MB of bytes, 80 of memory
{ printf '{"a":['; objects 330000; objects 330000; printf '{}]}'; } >many.json
{ printf '{"a":['; yes 12345, | head -n 3000000 | tr -d '\n'; printf '1]}'; } >numbers.json
{ printf '{"a":['; objects 4000000; printf '{}]}'; } >million.json
in_memory "many objects" 4 100 "$UNA" explain odd.una odd.csv --concepts many.json --memory 60M
err "many.json: to read its 1.98 MB of JSON may take" "and only 62.9 MB are allowed"
in_memory "millions of objects" 2 100 "$UNA" explain odd.una odd.csv --concepts million.json --memory 100M
err "million.json has 4000004 objects, lists and names in its JSON, and at most 1000000 are read"
in_memory "many numbers" 4 100 "$UNA" explain odd.una odd.csv --concepts numbers.json --memory 100M
err "numbers.json: to read its 18 MB of JSON may take"
in_memory "many numbers, and memory" 2 600 "$UNA" explain odd.una odd.csv --concepts numbers.json --memory 600M
err "concept 'a' names row 12345"
in_memory "a large space" 4 100 "$UNA" study new large.study --space short.json --memory 60M
err "short.json: to read its 0.99 MB of JSON may take"
in_memory "a larger space" 2 100 "$UNA" study new large.study --space many.json --memory 60M
err "many.json has 1980" "bytes of JSON, and at most 1000000 are read"
absent large.study
if [ -x "$watch" ]; then
    yes 12345, | head -n 9000000 | tr -d '\n' | sed 's/^/{"a":[/; s/$/1]}/' >long.json
    read -r status wall _ < <("$watch" stop 0.5 "$UNA" explain odd.una odd.csv --concepts long.json 2>stderr.txt | tail -n 1)
    true_that "54 MB of numbers: a signal is heard ($status after $wall s)" \
        awk -v s="$status" -v w="$wall" 'BEGIN { exit !(s == "early" || (s == 130 && w < 2)) }'
    rm -f long.json
fi
rm -f many.json numbers.json million.json

# Studies whose schema is a program: refused at once by every verb that opens one, and nothing of it runs.
if ! command -v sqlite3 >/dev/null; then
    skip "there is no sqlite3 to write studies of strangers with; tests/store/test_database.c has them too"
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
# Tables that lose what is told, or give it back as something else: with one each second value of 7 was lost, with one
# each ask took what was told before, with one 0 was the best value. All of it with status 0.
again() {       # again TABLE SED: the SQL by which a table is made again in another form, with what it holds
    echo "CREATE TEMP TABLE kept AS SELECT * FROM $1; DROP TABLE $1;"
    sqlite3 honest.study ".schema $1" | sed "$2"
    echo "INSERT INTO $1 SELECT * FROM kept;"
}
strange "a table that ignores" "$(again study_trial 's/value REAL/value REAL UNIQUE ON CONFLICT IGNORE/')" \
    "its table 'study_trial' is not defined as una defines it"
strange "a table that replaces" "$(again study_trial 's/PRIMARY KEY/UNIQUE (study) ON CONFLICT REPLACE, PRIMARY KEY/')" \
    "its table 'study_trial' is not defined as una defines it"
strange "a table of texts" "$(again study_trial 's/value REAL/value TEXT/')" "its table 'study_trial' is not defined"
strange "a turn that ignores" "$(again study_turn 's/token TEXT NOT NULL/token TEXT NOT NULL UNIQUE ON CONFLICT IGNORE/')" \
    "its table 'study_turn' is not defined as una defines it"
sqlite3 honest.study "$(again study_trial 's/ / /')" && check "the same table again" 0 una study show honest.study

odd_cell() {    # odd_cell SQL SAYS VERB...: a cell of another type is named, whoever reads it
    cp honest.study strange.study
    sqlite3 strange.study "$1"
    shift
    local says=$1 verb
    shift
    for verb in "$@"; do
        check "$says: $verb" 2 timeout 20 "$UNA" $verb
        err "strange.study is damaged: the column $says"
    done
}
odd_cell "UPDATE study_trial SET value = 'seven'" "'value' of trial 1 holds a text, and a number belongs there" \
    "study best strange.study" "study show strange.study" "study ask strange.study" "study tell strange.study 1 0.5" \
    "study export strange.study csv" "info strange.study"
odd_cell "UPDATE study_trial SET value = x'37'" "'value' of trial 1 holds bytes, and a number belongs there" \
    "study best strange.study"
odd_cell "UPDATE study SET initial = 'few'" "'initial' of the study holds a text, and a whole number belongs there" \
    "study show strange.study"

check "a comparison" 0 una compare odd.csv --models linear --quiet --out kept
for cell in "'much'" "x'37'"; do
    cp kept/compare.sqlite kept.sqlite
    sqlite3 kept/compare.sqlite "UPDATE value SET value = $cell WHERE measure = 'log_lik' AND fit = 2"
    check "a comparison with $cell" 2 una compare odd.csv --models linear --quiet --out kept
    err "compare.sqlite is damaged: the column 'value' of row 2 holds" "and a number belongs there"
    mv kept.sqlite kept/compare.sqlite
done
sqlite3 kept/compare.sqlite "$(sqlite3 kept/compare.sqlite '.schema value' | sed 's/^/DROP TABLE value; /; s/value REAL/value TEXT/')"
check "a comparison of texts" 2 una compare odd.csv --models linear --quiet --out kept
err "its table 'value' is not defined as una defines it"
rm -rf kept

check "what is honest is taken" 0 una study ask honest.study
check "and has its trials" 0 una study show honest.study
out "2 trials: 1 told, 0 failed, 1 open"

# What lies beside a study. A journal may name any file, for SQLite to remove when it has rolled back: refused, whoever
# opens it, and the file stays.
big_endian() { printf '%b' "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255)))"; }
magic() { printf '\331\325\005\371\040\241\143\327'; }
journal() {     # journal DATABASE NAMED: of pages of 4096 bytes
    local number sum=0
    for number in $(printf '%s' "$2" | od -An -v -tu1); do sum=$((sum + number)); done
    {
        magic; big_endian 0; big_endian 1; big_endian $(($(stat -c %s "$1") / 4096)); big_endian 512; big_endian 4096
        head -c 484 /dev/zero
        big_endian 262145; printf '%s' "$2"; big_endian ${#2}; big_endian $sum; magic
    } >"$1-journal"
}
echo "of mine" >precious.txt
cp honest.study named.study
for verb in "study show" "study best" "study ask" "info"; do
    journal named.study "$PWD/precious.txt"
    check "a journal that names a file: $verb" 2 timeout 20 "$UNA" $verb named.study
    err "named.study-journal names another file" "remove that journal"
    true_that "precious.txt is there" grep -qx "of mine" precious.txt
done
check "a journal that names a file: export" 2 una study export named.study csv
err "named.study-journal names another file"
check "a journal that names a file: tell" 2 una study tell named.study 2 0.5
check "a journal that names a file: run" 2 una study run named.study --trials 1 -- echo {x}
true_that "precious.txt is there" grep -qx "of mine" precious.txt
same named.study honest.study
rm named.study-journal
check "without it" 0 una study show named.study
check "an honest sweep" 0 una compare odd.csv --models linear --folds 2 --out sweep
journal sweep/compare.sqlite "$PWD/precious.txt"
check "a journal beside a sweep" 2 una compare odd.csv --models linear --folds 2 --out sweep
err "compare.sqlite-journal names another file"
true_that "precious.txt is there" grep -qx "of mine" precious.txt

# A log holds what the file does not: it is looked at, too. Links and pipes in the place of either are refused.
cp honest.study logged.study
sqlite3 logged.study 'PRAGMA journal_mode = WAL' 'CREATE VIEW beside AS SELECT 1' '.shell cp logged.study-wal kept-wal' \
    '.shell cp logged.study kept' >/dev/null
cp kept logged.study
cp kept-wal logged.study-wal
check "a view in the log" 2 timeout 20 "$UNA" study show logged.study
err "the view 'beside'"
for end in journal wal; do
    cp honest.study odd.study
    ln -s "$PWD/precious.txt" odd.study-$end
    check "a link as its $end" 2 timeout 20 "$UNA" study ask odd.study
    err "odd.study-$end is not an ordinary file"
    true_that "precious.txt is there" grep -qx "of mine" precious.txt
    rm odd.study-$end
    mkfifo odd.study-$end
    check "a pipe as its $end" 2 timeout 20 "$UNA" study ask odd.study
    err "odd.study-$end is not an ordinary file"
    rm odd.study-$end
done

# Words of a study: none is a command, none reaches the terminal as it is.
cat >words.json <<'END'
{"k": {"type": "category", "levels": ["a; touch pwned; echo 1", "b"]},
 "esc\u001b[2J": {"type": "category", "levels": ["\u001b]0;owned\u0007", "\u202eb"]}}
END
una study new words.study --space words.json --acquisition random --quiet
check "shell text in a level" 1 una study run words.study --trials 1 -- sh -c 'echo {k}'
err "{k} is a part of a word" "'a; touch pwned; echo 1'" "sh -c '... \"\$1\"' _ {k}"
absent pwned
check "within an option" 1 una study run words.study --trials 1 -- echo --k={k} 1
check "as the program" 1 una study run words.study --trials 1 -- {k}
check "nothing was asked for" 0 una study show words.study
out "0 trials"
check "as a word of its own" 0 una study run words.study --trials 2 -- sh -c 'test -n "$1" && echo 1' _ {k}
out "k=" "best so far: 1"
harmless stdout.txt
out 'esc\x1b[2J='
absent pwned
check "escapes in a warning" 0 una study run words.study --trials 1 -- echo 1
harmless stderr.txt
check "escapes in a refusal" 1 una study run words.study --trials 1 -- echo "a$(printf '{esc\033[2J}')"
harmless stderr.txt
for verb in "study ask --json" "study show" "study show --json" "study best" "study best --json" info "info --json"; do
    check "escapes in $verb" 0 una $verb words.study
    harmless stdout.txt
done

cp honest.study strange.study
sqlite3 strange.study "UPDATE study_trial SET x = '{\"a\":[' || replace(hex(zeroblob(2500000)), '00', '{},{},') || '{}]}'"
in_memory "a large trial" 2 150 "$UNA" study show strange.study --memory 200M
err "the point has 15000010 bytes of JSON, and at most 1000000 are read"
