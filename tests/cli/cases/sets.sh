# SPDX-License-Identifier: MIT
# una data: the catalogue, folders that are imported, and downloads from a server of this machine that behaves badly.
# shellcheck shell=bash
shared=${UNA_SHARED:-$root/../shared}/data

check "data --help" 0 una data --help
out "una data list" "una data import" "una data get" "UNA_DATA"
for verb in list import get; do
    check "data $verb --help" 0 una data $verb --help
    out "Examples" "--data FOLDER"
done
check "data without a verb" 1 una data
check "no such verb" 1 una data lst
err "una data list"
check "list" 0 una data list --data none
out "boston" "MEDV (1000 USD)" "CC BY 4.0" "The data folder is none"
check "one of them" 0 una data list boston --data none
out "Harrison" "not stated" "uci/splits/boston.json (64589 bytes, absent)" "sha256 79ac7166"
check "one that is not there" 1 una data list bostn
err "did you mean 'boston'"
check "list in the usual place" 0 env -u UNA_DATA XDG_DATA_HOME=/nowhere "$UNA" data list
out "The data folder is /nowhere/una"
check "list at home" 0 env -u UNA_DATA -u XDG_DATA_HOME HOME=/nowhere "$UNA" data list
out "The data folder is /nowhere/.local/share/una"
check "list where UNA_DATA says" 0 env UNA_DATA=here "$UNA" data list
out "The data folder is here"
check "list as JSON" 0 una data list --data none --json
json folder sets
out '"name": "protein-structure"' '"rows": 45730' '"state": "absent"' '"sha256": "79ac7166'

# Wrong folders and files; none of it needs the published ones.
check "import from nowhere" 5 una data import missing --data to
err "no folder missing"
echo >plain
for verb in list "import ." "get yacht"; do
    check "$verb with a file as the data folder" 5 una data $verb --data plain
    err "plain is not a folder; name one"
    true_that "it is said once" test "$(wc -l <stderr.txt)" -eq 1
done
mkdir empty
check "import of nothing" 2 una data import empty --data to
err "no file of the catalogue" "uci/NAME.csv"
published from 60                                 # a yacht.csv of our own
check "import of another file" 2 una data import from --data to
err "from/uci/yacht.csv has 60 rows of 3 columns" "its sha256 is $(sha256sum from/uci/yacht.csv | cut -d' ' -f1)" \
    "the published file has 5182ea66" "nothing of yacht was taken" "una data get yacht"
absent to
check "the same as JSON" 2 una data import from --data to --json
json folder sets
out '"name": "yacht"' '"refused": "from/uci/yacht.csv'
rm from/uci/yacht.csv
sed -i 's/"rows": 60/"rows": 308/; s/\[0, 1/[0, 999999/; s/\[1, 2,/[999999, 2,/' from/uci/splits/yacht.json
check "a row that does not exist" 2 una data import from --data to
err "from/uci/splits/yacht.json: split 0 of 'standard' names row 999999, which does not exist: the data has rows 0 to 307"
head -c 700 from/uci/splits/yacht.json >cut.json
mv cut.json from/uci/splits/yacht.json
check "a file that is cut off" 2 una data import from --data to
err "from/uci/splits/yacht.json, line 1, column" "nothing of yacht was taken"
absent to

check "get without a name" 1 una data get
check "no such set" 1 una data get bostn
err "did you mean 'boston'"
check "no address" 1 una data get yacht --from ftp://example.org --data to
err "https://" "una data import DIR"
check "patience" 1 una data get yacht --patience 0
err "--patience"
check "one without an address" 2 una data get faces --data to
err "no public address of faces" "--from URL"
if una --version | grep -q '^get *none'; then
    check "without libcurl" 1 una data get yacht --from http://127.0.0.1:1 --data to
    err "built without libcurl" "una data import"
    skip "downloads: una was built without libcurl"
    return 0
fi

server=$(dirname "$UNA")/tests/server
if [ ! -x "$server" ]; then
    skip "downloads: there is no $server"
    return 0
fi
mkdir -p site/uci/splits
head -c 10925 /dev/zero | tr '\0' 'a' >site/uci/yacht.csv      # as long as the published one
head -c 30204 /dev/zero | tr '\0' 'b' >site/uci/splits/yacht.json
"$server" site >port.txt &
serving=$!
for _ in $(seq 50); do [ -s port.txt ] || sleep 0.02; done
url=http://127.0.0.1:$(cat port.txt)

get() { una data get yacht --data to --from "$url/$1" --patience 0.15; }
check "a wrong sum" 2 get good
err "uci/yacht.csv from $url/good/uci/yacht.csv is not the published file" "its sha256 is $(sha256sum site/uci/yacht.csv | cut -d' ' -f1)" \
    "5182ea66" "nothing of yacht was written"
check "one that breaks off" 5 get part
err "$url/part/uci/yacht.csv broke off after 5462 bytes" "try again"
check "one without end" 2 get endless
err "more than the" "was stopped"
check "one that says that it is huge" 2 get huge
err "more than the" "was stopped"
check "a slow one" 5 get drip
err "next to nothing for 0.15 seconds" "--patience"
check "a silent one" 5 get silent
err "next to nothing for 0.15 seconds" "0 bytes"
check "404" 5 get gone
err "there is no $url/gone/uci/yacht.csv: the server answers 404"
check "sent round" 5 get round
err "more than 5 times"
check "sent to a file of this machine" 5 get local
err "cannot fetch $url/local/uci/yacht.csv"
check "sent on" 2 get away
err "is not the published file"
check "no server" 5 una data get yacht --data to --from http://127.0.0.1:1 --patience 2
err "cannot fetch http://127.0.0.1:1/uci/yacht.csv"
absent to
"$UNA" data get yacht --data to --from "$url/drip" --patience 60 >cancelled.txt 2>&1 &
getting=$!
sleep 0.2
kill -TERM $getting
status=0
wait $getting || status=$?
name="called off"
true_that "it ends with 130" test $status -eq 130
has cancelled.txt "interrupted while fetching yacht.csv of yacht"
absent to

if [ -s "$shared/uci/yacht.csv" ]; then
    cp "$shared/uci/yacht.csv" "$shared/uci/abalone.csv" site/uci/
    cp "$shared/uci/splits/yacht.json" site/uci/splits/
    chmod -R u+w site
    check "a good one" 0 get away
    out "yacht" "2 files in to, new"
    same to/uci/yacht.csv "$shared/uci/yacht.csv"
    same to/uci/splits/yacht.json "$shared/uci/splits/yacht.json"
    tidy
    check "it is not fetched again" 0 una data get yacht --data to --from http://127.0.0.1:1
    out "there before"
    check "unless it has to be" 5 una data get yacht --data to --from http://127.0.0.1:1 --force --patience 2
    same to/uci/yacht.csv "$shared/uci/yacht.csv"
    echo damage >>to/uci/yacht.csv
    check "list sees damage" 0 una data list --data to
    out "damaged" "to/uci/yacht.csv is not the published file"
    check "a damaged one stays where nothing better comes" 2 get wrong
    has to/uci/yacht.csv damage
    check "and is mended" 0 get good
    out "some of them new"
    same to/uci/yacht.csv "$shared/uci/yacht.csv"
    check "what fails does not hold up the others" 5 una data get boston abalone --data to --from "$url/good" --json
    json folder sets
    out '"name": "abalone", "files": 1, "written": 1' '"name": "boston", "files": 0'
    check "list" 0 una data list --data to
    true_that "two are intact" test "$(grep -c ' intact ' stdout.txt)" -eq 2

    # From a folder into the usual place, and an experiment finds it there.
    echo damage >>site/uci/abalone.csv
    check "import of good ones and a bad one" 2 env -u UNA_DATA XDG_DATA_HOME="$PWD/home" "$UNA" data import site
    out "yacht" "2 files"
    err "site/uci/abalone.csv"
    absent home/una/uci/abalone.csv
    check "bench finds it" 0 env -u UNA_DATA XDG_DATA_HOME="$PWD/home" "$UNA" bench uci --models linear --sets yacht \
        --splits 0 --quiet
    out "yacht"
else
    skip "good downloads: there is no $shared"
fi
kill $serving
wait $serving 2>/dev/null || true

# A pipe that nobody writes into would be waited for without end.
mkdir -p pipes/uci/splits
mkfifo pipes/uci/yacht.csv
check "a pipe instead of a file" 2 timeout 10 "$UNA" data get yacht --from "file://$PWD/pipes" --data piped
err "pipes/uci/yacht.csv is not an ordinary file"
