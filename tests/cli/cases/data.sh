# SPDX-License-Identifier: MIT
# Every way in which a table can be wrong has its own sentence; every kind of table that is right works.
refused() {    # refused NAME FRAGMENT...: bad.csv is bad input, and nothing is written
    local title=$1
    shift
    check "$title" 2 una fit bad.csv --target y $fast $extra
    err "bad.csv" "$@"
    no_out
    absent bad.una
}
extra=
table 40 >good.csv

{ echo "x1,x1,y"; tail -n +2 good.csv; } >bad.csv
refused "duplicate headers" "x1" "twice"
{ cat good.csv; echo "1,2"; } >bad.csv
refused "ragged row" "line 42" "2 cells"
{ cat good.csv; echo "1,inf,3"; } >bad.csv
refused "infinity" "line 42" "x2"
{ cat good.csv; echo "1,1e999,3"; } >bad.csv
refused "overflow" "line 42" "x2"
: >bad.csv
refused "empty file" "empty"
head -n 1 good.csv >bad.csv
refused "header alone" "no rows"
head -n 2 good.csv >bad.csv
refused "one row" "row"
{ cat good.csv; echo "1,,3"; } >bad.csv
refused "missing cell" "line 42" "x2" "missing"
{ cat good.csv; echo "1,Na,3"; echo "?,1,3"; } >bad.csv
refused "missing word" "line 42" "x2" "missing"
check "--missing drop" 0 una fit bad.csv --target y $fast --missing drop --json --out drop.una
out '"rows": 40'
check "--missing mean" 0 una fit bad.csv --target y $fast --missing mean --json --out mean.una
out '"rows": 42'
printf 'x1,x2\n1,NA\n' >hole.csv
check "mean remembered" 0 una predict mean.una hole.csv
check "drop: every row needs an answer" 2 una predict drop.una hole.csv
err "hole.csv" "x2"
{ cat good.csv; echo "1,2,"; } >bad.csv
refused "missing target" "line 42" "y"
awk -F, 'NR == 1 { print; next } { print $1 "," $2 ",5" }' good.csv >bad.csv
refused "constant target" "y"
awk -F, 'NR == 1 { print "x1,id,y"; next } { print $1 ",w" NR "," $3 }' good.csv >bad.csv
for i in $(seq 120); do echo "1,v$i,$i"; done >>bad.csv
refused "more than 100 levels" "id" "100"
printf 'x1,x2,y\n1,"2,3\n' >bad.csv
refused "open quote" "quote"
check "unknown target" 2 una fit good.csv --target yy $fast
err "yy" "'y'"
absent good.una
cp good.csv bad.csv
check "missing file" 5 una fit nothing.csv --target y
err "nothing.csv"
check "unwritable model" 5 una fit good.csv --target y $fast --out nowhere/m.una
err "nowhere"
check "unwritable report" 5 una fit good.csv --target y $fast --report nowhere/r.html
err "nowhere"
absent good.una
check "model over data" 1 una fit good.csv --target y $fast --out good.csv
err "overwrite"

check "constant column" 0 sh -c 'sed "1s/\$/,k/; 2,\$s/\$/,3/" good.csv >k.csv; "$UNA" fit k.csv --target y --model linear --json'
out '"inputs": 2' "'k'"
coloured 60 >text.csv
check "text column" 0 una fit text.csv --target y $fast --json
out '"inputs": 4'
check "text column, predict" 0 una predict text.una text.csv --out text-out.csv
printf 'x1,colour\n1,violet\n' >violet.csv
check "unseen category" 2 una predict text.una violet.csv
err "violet" "colour" "violet.csv" "line 2"
{ cat text.csv; echo "1,orange,2"; echo "1,yellow,2"; } >rare.csv
check "--other" 0 una fit rare.csv --target y $fast --other 5 --out rare.una
check "unseen category with --other" 0 una predict rare.una violet.csv
check "--other, no word is rare" 0 una fit text.csv --target y $fast --other 5 --out common.una --json
out '"inputs": 5'
check "unseen category with --other, no word is rare" 0 una predict common.una violet.csv

una fit good.csv --target y $fast --quiet --out good.una
check "predict" 0 una predict good.una good.csv --digits 17 --out good-out.csv
awk -F, 'BEGIN { OFS = "," } { print (NR == 1 ? "more" : "word" NR), $2, $1 }' good.csv >order.csv
check "another order, extra columns, no target" 0 una predict good.una order.csv --digits 17 --out order-out.csv
same good-out.csv order-out.csv
cut -d, -f1,3 good.csv >bad.csv
check "column missing at predict" 2 una predict good.una bad.csv
err "x2" "bad.csv"
no_out
printf 'x1,x2\n1,blue\n' >bad.csv
check "a word for a number" 2 una predict good.una bad.csv
err "line 2" "x2" "blue"
check "predict, unwritable" 5 una predict good.una good.csv --out nowhere/a.csv
check "predict, missing model" 5 una predict nothing.una good.csv
err "nothing.una"
check "predict, no model file" 2 una predict good.csv good.csv
err "good.csv"
check "info, no model file" 2 una info good.csv
head -c 200 good.una >cut.una
check "predict, truncated model" 2 una predict cut.una good.csv
err "cut.una"

una fit good.csv --target y $fast --quiet --out csv.una
gzip -c good.csv >zip.csv.gz
check ".csv.gz" 0 una fit zip.csv.gz --target y $fast
there zip.una
check ".csv.gz, predict" 0 una predict zip.una zip.csv.gz --digits 17 --out zip-out.csv
same zip-out.csv good-out.csv
tr , '\t' <good.csv >tabs.tsv
check "TSV" 0 una fit tabs.tsv --target y $fast
check "TSV, predict" 0 una predict tabs.una tabs.tsv --digits 17 --out tabs-out.csv
same tabs-out.csv good-out.csv
sed 's/$/\r/' good.csv >crlf.csv
check "CRLF" 0 una fit crlf.csv --target y $fast
check "CRLF, predict" 0 una predict crlf.una crlf.csv --digits 17 --out crlf-out.csv
same crlf-out.csv good-out.csv

# NPY by hand: 24 rows of 3 little-endian doubles
digit() { case $1 in 0) printf '\0\0\0\0\0\0\0\0' ;; 1) printf '\0\0\0\0\0\0\360\077' ;; 2) printf '\0\0\0\0\0\0\0\100' ;;
    3) printf '\0\0\0\0\0\0\010\100' ;; 4) printf '\0\0\0\0\0\0\020\100' ;; 5) printf '\0\0\0\0\0\0\024\100' ;; esac; }
header=$(printf "%-117s" "{'descr': '<f8', 'fortran_order': False, 'shape': (24, 3), }")
{
    printf '\223NUMPY\001\000\166\000%s\n' "$header"
    for i in $(seq 24); do digit $((i % 5)); digit $((i * i % 6)); digit $((i % 3 + 2)); done
} >array.npy
check "NPY" 0 una fit array.npy $fast --json
out '"rows": 24' '"inputs": 2' '"target": "x3"'
check "NPY, another target" 0 una fit array.npy $fast --target x1 --json --out x1.una
out '"target": "x1"'
check "NPY, predict" 0 una predict array.una array.npy
true_that "25 lines" test "$(wc -l <stdout.txt)" -eq 25
tidy
