# SPDX-License-Identifier: MIT
# Why is a row unsure: a table of which the model has seen a part, concepts from a file, what cannot be.
awk 'BEGIN { print "x1,x2,y"; for (i = 1; i <= 80; i++) { a = (i * 0.5698) % 1; b = (i * 0.7549) % 1; x = -3 + 4 * a; z = -3 + 6 * b; printf "%.4f,%.4f,%.4f\n", x, z, sin(x) + 0.3 * z + 0.1 * cos(37 * x) } }' >train.csv
awk 'BEGIN { print "x1,x2,who"; for (i = 1; i <= 90; i++) { a = (i * 0.5698) % 1; b = (i * 0.7549) % 1; printf "%.4f,%.4f,%s\n", -3 + 6 * a, -3 + 6 * b, i % 3 ? "Ann" : "Bob" } }' >new.csv
printf '# made up\nfar: x1 > 1\nright: x2 > 0\nby Bob: who == "Bob"\n' >concepts.txt
check "fit" 0 una fit train.csv --target y --model 'linear(degree=3)' --quiet --out m.una
check "explain" 0 una explain m.una new.csv --concepts concepts.txt --out parts.csv --report why.html --chart why.svg --rows 3
out "Of the ignorance of all 90 rows: far " "The most unsure rows:" "is unsure mostly because of 'far' (" "by Bob" "parts.csv" "why.html" "why.svg"
true_that "three rows are named" test "$(grep -c '^- Row' stdout.txt)" -eq 3
there why.html
has why.html "Why is this row unsure?"
there why.svg
has parts.csv "row,mean,std_epistemic,part_far,part_right,part_by Bob,part_other"
true_that "parts add up" awk -F, 'NR > 1 { s = $4 + $5 + $6 + $7; d = s - $3 * $3; if (d * d > 1e-18 * s * s) bad = 1; n++ } END { exit bad || n != 90 }' parts.csv
check "JSON" 0 una explain m.una new.csv --concepts concepts.txt --json
json rows target share concepts axes features most_unsure warnings
out '"share": {"far": 0.' '"by Bob": 30' '"sentence": "Row ' '"parts": {"far": '
cp stdout.txt one.json
check "two threads" 0 una explain m.una new.csv --concepts concepts.txt --json --threads 2
same one.json stdout.txt
check "one row, as others show it" 0 una explain m.una new.csv --with new.csv --concepts concepts.txt --rows 1 --whiten rows --axes 1
true_that "one row is named" test "$(grep -c '^- Row' stdout.txt)" -eq 1
check "some rows" 0 una explain m.una new.csv --concepts concepts.txt --where 'x2 > -1'
out "is unsure mostly"
check "concepts as JSON" 0 sh -c 'printf "{\"far\": \"x1 > 1\", \"few\": [1, 4]}" >c.json; "$UNA" explain m.una new.csv --concepts c.json'
err "warning: Concept 'few' is shown by 2 rows only"
check "no concepts" 1 una explain m.una new.csv
err "--concepts FILE is needed"
check "a damaged file" 2 sh -c 'printf "far x1 > 1\n" >c.txt; "$UNA" explain m.una new.csv --concepts c.txt --out no.csv'
err "c.txt, line 1: there is no colon"
absent no.csv
check "no such column" 2 sh -c 'printf "far: x9 > 1\n" >c.txt; "$UNA" explain m.una new.csv --concepts c.txt'
err "concept 'far': " "x9"
check "no such row" 2 sh -c 'printf "far: rows 91\n" >c.txt; "$UNA" explain m.una new.csv --concepts c.txt'
err "names row 91, and new.csv has only 90 rows"
check "a model that cannot" 1 sh -c '"$UNA" fit train.csv --target y --model gp --quiet --out gp.una && "$UNA" explain gp.una new.csv --concepts concepts.txt'
err "gp has no features under a linear head" "luna, nlm, tuna, linear and sngp"
check "over its own data" 1 una explain m.una new.csv --concepts concepts.txt --out new.csv
check "two targets" 0 sh -c 'awk -F, "NR == 1 { print \$0 \",z\"; next } { print \$0 \",\" \$1 }" train.csv >two.csv; "$UNA" fit two.csv --target y,z --model "linear(degree=3)" --quiet --out two.una'
check "which of them" 1 una explain two.una new.csv --concepts concepts.txt
err "predicts 2 (y, z); name one by --target"
check "that one" 0 una explain two.una new.csv --concepts concepts.txt --target y
check "none of them" 1 una explain two.una new.csv --concepts concepts.txt --target x
err "the model does not predict that, but y, z"
check "help" 0 una explain --help
out "--concepts FILE" "una explain measurements.una new.csv --concepts concepts.txt"
tidy
