# SPDX-License-Identifier: MIT
# Which row is meant: that of the file, also where --where or --missing drop leaves rows out before it. Rows are counted
# from 1 without the header; lines are those of the file, with comments and cells of several lines.
awk -v s=5 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
    BEGIN { print "# made up\nx,k,name,y"; for (i = 0; i < 5; i++) u()
            for (i = 1; i <= 120; i++) { x = 4 * u() - 2
                cell = i == 70 ? "NA" : sprintf("%.4f", x); name = i == 60 ? "\"two\nlines\"" : "plain"
                printf "%s,%d,%s,%.4f\n", cell, (i > 50), name, i == 81 ? 4000 : 20 + 2 * x + 0.3 * u() } }' >t.csv

check "fit" 0 una fit t.csv --target y $fast --only x --where 'k == 1' --missing drop --out m.una --report r.html --json
out '"suspects": [{"row": 81, "line": 84, ' '"line 84, column '"'y'"': the target 4000 lies'
has r.html '<tr><td class="n">84</td><td>y</td>'
true_that "no row that was left out" test "$(grep -cE '<title>row ([1-9]|[1-4][0-9]|50|70)$' r.html)" -eq 0
true_that "all others" test "$(grep -oE '<title>row [0-9]+$' r.html | sort -u | wc -l)" -eq 69
true_that "the table of rows" sh -c "tr -d '\n' <r.html | grep -o 'rows it knows least about.*' | grep -qE '<td class=\"n\">(5[1-9]|[6-9][0-9]|1[0-2][0-9])</td>'"
check "in words" 0 una fit t.csv --target y $fast --only x --where 'k == 1' --missing drop --out m.una
out "line 84: y = 4000"
gzip -c t.csv >t.csv.gz
check "packed" 0 una fit t.csv.gz --target y $fast --only x --where 'k == 1' --missing drop --out z.una --json
out '"suspects": [{"row": 81, "line": 84, '
check "dropped rows alone" 0 una fit t.csv --target y $fast --only x --missing drop --out all.una --report all.html --json
out '"suspects": [{"row": 81, "line": 84, '
true_that "row 70 is not there, row 120 is" sh -c "grep -q '<title>row 120$' all.html && ! grep -q '<title>row 70$' all.html"

# Rows that charts are asked for
check "plot" 0 una plot m.una t.csv --where 'k == 1' --row 90 --out b.svg
there b.svg
check "a row that was left out" 1 una plot m.una t.csv --where 'k == 1' --row 3 --out n.svg
err "row 3 is not there"
absent n.svg

# explain: rows that are told, and rows that concepts name
check "a curve" 0 una fit t.csv --target y --model 'linear(degree=3)' --only x --where 'k == 1 and y < 100' --missing drop --out c.una --quiet
printf 'odd: rows 3, 55-59, 90, 110\nhigh: x > 0\n' >concepts.txt
awk 'BEGIN { print "x,k"; for (i = 1; i <= 120; i++) { x = i == 90 ? 9 : i == 2 ? 20 : i / 60 - 1; print x "," (i > 50) } }' >new.csv
check "explain" 0 una explain c.una new.csv --concepts concepts.txt --where 'k == 1' --rows 2 --out parts.csv --report why.html --chart why.svg
out "- Row 90 is " " 90 "
true_that "not row 40" sh -c "! grep -q 'Row 40 ' stdout.txt"
true_that "the CSV" awk -F, 'NR == 2 { exit !($1 == 51) }' parts.csv
true_that "all of it" awk -F, 'NR > 1 && $1 != NR + 49 { bad = 1 } END { exit bad || NR != 71 }' parts.csv
has why.html "Row 90 is"
there why.svg
check "explain --json" 0 una explain c.una new.csv --concepts concepts.txt --where 'k == 1' --rows 1 --json
out '"most_unsure": [{"row": 90, ' '"odd": 7' '"sentence": "Row 90 is'
check "a concept beyond the file" 2 sh -c 'printf "odd: rows 121\n" >c.txt; "$UNA" explain c.una new.csv --concepts c.txt --where "k == 1"'
err "names row 121, and new.csv has only 120 rows"
check "a concept of rows that are left out" 2 sh -c 'printf "odd: rows 3-9\n" >c.txt; "$UNA" explain c.una new.csv --concepts c.txt --where "k == 1"'
err "concept 'odd' holds in no row of new.csv"

# Predictions, scores and updates: rows come in pieces
printf '# a comment\nx,note,k,y\n1,a,0,1\n1,"two\nlines",1,1\n1e308,a,1,3\n' >far.csv
for rows in "k == 1" "k >= 0"; do
    check "predict, $rows" 3 una predict m.una far.csv --where "$rows" --out no.csv
    err "far.csv, line 6 is not finite"
    check "score, $rows" 3 una score m.una far.csv --where "$rows"
    err "far.csv, line 6 is not finite"
done
absent no.csv
awk 'BEGIN { print "x,k,y"; for (i = 1; i <= 5000; i++) print (i == 4990 ? "1e308" : i / 5000) "," (i % 3 == 1) ",1" }' >long.csv
check "predict, in the second piece" 3 una predict m.una long.csv --where 'k == 1' --out no.csv
err "long.csv, line 4991 is not finite"
printf 'x,k,y\n0.5,0,21\n0.25,1,20.5\n0.5,1,21\n0.25,1,20.5\n' >twice.csv
check "update" 0 una update m.una twice.csv --where 'k == 1' --out u.una
err "1 of 3 rows have the same inputs and target as an earlier row" "(the first is row 4)"
check "update --with" 0 una update m.una twice.csv --with twice.csv --where 'k == 1' --out w.una
err "(the first is row 2)"
printf 'x,k,y\n0.5,0,21\n0.25,1,20.5\n0.5,1,\n' >hole.csv
check "fit, for update --with" 0 una fit twice.csv --target y $fast --only x --out plain.una --quiet
check "update --with, the file with the hole" 2 una update plain.una hole.csv --with twice.csv --where 'k == 1' --out no.una
err "hole.csv, line 4, column 'y' is missing"
check "--valid, a hole" 2 una fit t.csv --target y --model nlm $quick --only x --missing mean --valid hole.csv --where 'k == 1' --out no.una
err "hole.csv, line 4, column 'y' is missing"
absent no.una

# An array has rows: x1, x2, x3 with a slip in row 81 of 120
{   printf '\x93NUMPY\1\0\x76\0%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (120, 3), }"
    awk -v s=5 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
        BEGIN { for (i = 1; i <= 120; i++) { x = int(30 * u())
            printf "\\%03o\\%03o\\%03o", x, (i > 50), i == 81 ? 255 : 5 + x + int(3 * u()) } }' | xargs -0 printf
} >t.npy
check "NPY" 0 una fit t.npy $fast --where 'x2 == 1' --out n.una --json
out '"suspects": [{"row": 81, "line": null, '
check "NPY, in words" 0 una fit t.npy $fast --where 'x2 == 1' --out n.una
out "row 81: x3 = 255"
tidy
