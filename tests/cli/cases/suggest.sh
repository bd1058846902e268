# SPDX-License-Identifier: MIT
# Where to measure next: two clusters with a gap between, a pool, points inside ranges, what cannot be.
awk 'BEGIN { print "x,y"; for (i = 0; i < 20; i++) { x = (i % 2 ? 1 : -1) * (2 + i / 20); printf "%.3f,%.4f\n", x, sin(x) + 0.01 * (i % 3) } }' >train.csv
awk 'BEGIN { print "sample,x"; for (i = 0; i < 31; i++) printf "s%d,%.2f\n", i + 1, -3 + i / 5 }' >pool.csv
check "fit" 0 una fit train.csv --target y --model gp --quiet --out gp.una
check "a pool" 0 una suggest gp.una --pool pool.csv --count 2 --out next.csv
out "1. row" "of pool.csv: x " "ignorance there is" "measured, ignorance over all falls from" "%)" "root mean square" "next.csv"
there next.csv
has next.csv "rank,row,sample,x,std_epistemic,before,after"
true_that "the first lies in the gap" awk -F, 'NR == 2 { exit !($4 > -1.9 && $4 < 1.9) }' next.csv
true_that "two rows that bring something" awk -F, 'NR > 1 { n++; if (!($7 < $6)) bad = 1 } END { exit bad || n != 2 }' next.csv
check "JSON" 0 una suggest gp.una --pool pool.csv --count 2 --json
json rows region
out '"row": ' '"x": {"x": ' '"after": '
cp stdout.txt one.json
check "two threads" 0 una suggest gp.una --pool pool.csv --count 2 --json --threads 2
same one.json stdout.txt
check "the rows that count" 0 una suggest gp.una --pool pool.csv --data train.csv
out "20 rows of train.csv"
check "inside ranges" 0 una suggest gp.una --data train.csv --out range.csv
out "inside the ranges of train.csv"
has range.csv "rank,x,std_epistemic,before,after"
true_that "in the gap, too" awk -F, 'NR == 2 { exit !($2 > -1.9 && $2 < 1.9) }' range.csv
check "without any rows" 0 una suggest gp.una
out "two standard deviations"
check "the rows can be measured and taken in" 0 sh -c 'awk -F, "NR == 1 { print \"x,y\"; next } { print \$4 \",0\" }" next.csv >measured.csv; "$UNA" update gp.una measured.csv --out more.una'
out "2 rows added"
check "a column is missing" 2 sh -c 'cut -d, -f1 pool.csv >x.csv; "$UNA" suggest gp.una --pool x.csv'
err "x.csv has no column 'x'"
check "more than there are" 1 una suggest gp.una --pool pool.csv --count 32 --out no.csv
err "31 rows"
absent no.csv
check "fit of a network" 0 una fit train.csv --target y --model nn --set members=1 $quick --quiet --out nn.una
check "a model that cannot" 1 una suggest nn.una --pool pool.csv
err "nn model cannot" "luna"
check "over its own pool" 1 una suggest gp.una --pool pool.csv --out pool.csv
coloured 60 >words.csv
check "fit on words" 0 una fit words.csv --target y $fast --quiet --out words.una
check "words" 0 una suggest words.una --data words.csv
out "colour "
# Dates and times of day: written so that what comes out goes in again, whatever the table's own form.
awk 'BEGIN { print "day,clock,y"; for (i = 0; i < 64; i++) printf "%02d.%02d.2024 %02d:30,%02d:%02d,%.3f\n", 1 + i % 28, 1 + i / 28 * 3, i % 24, i * 7 % 24, i % 60, sin(i / 6) }' >when.csv
check "fit on dates" 0 una fit when.csv --target y --model gp --quiet --out when.una
for rows in "" "--data when.csv" "--pool when.csv"; do
    # shellcheck disable=SC2086
    check "dates $rows" 0 una suggest when.una $rows --count 3 --out when-next.csv
    true_that "dates in the sentences" grep -Eq "day 20[0-9]{2}-[0-9]{2}-[0-9]{2}( |,)" stdout.txt
    true_that "times in the sentences" grep -Eq "clock [0-9]{2}:[0-9]{2}" stdout.txt
    true_that "dates in the file" grep -Eq ",20[0-9]{2}-[0-9]{2}-[0-9]{2}( [0-9:.]+)?,[0-9]{2}:[0-9]{2}" when-next.csv
    # shellcheck disable=SC2086
    check "dates as JSON $rows" 0 una suggest when.una $rows --json
    json rows region
    true_that "dates in JSON" grep -Eq '"day": "20[0-9]{2}-[0-9]{2}-[0-9]{2}( [0-9:.]+)?", "clock": "[0-9]{2}:[0-9]{2}' stdout.txt
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print "day,clock,y"; next } { print $at["day"] "," $at["clock"] ",0" }' when-next.csv >when-measured.csv
    check "dates are taken in" 0 una update when.una when-measured.csv --out when-more.una
    out "3 rows added"
done
# Other places that print such values.
check "a report of dates" 0 una fit when.csv --target y --model gp --quiet --out when.una --report when.html
true_that "dates of rows" grep -Eq ">2024-[0-9]{2}-[0-9]{2} [0-9]{2}:30<" when.html
true_that "times of rows" grep -Eq ">[0-9]{2}:[0-9]{2}<" when.html
check "a hole in dates" 0 una gap when.csv --target y --model gp
out "hole in day (from 2024-"
check "help" 0 una suggest --help
out "--pool FILE" "una suggest measurements.una --pool shelf.csv --count 5"
tidy
