# SPDX-License-Identifier: MIT
# Models side by side: folds, groups, time, what is kept and goes on after kill -9, sentences for what cannot be.
# shellcheck shell=bash
table 60 >train.csv
few="--models linear,linear(degree=2)"
check "two models" 0 una compare train.csv --target y $few --out kept --chart c.svg --report r.html
out "is best" "the mean of the training rows is worse" "linear(degree=2)" "inside 95 %" "Differences to" \
    "60 rows, target y; means over 5 folds" "15 fits made now, 0 were in kept" "Nadeau and Bengio"
for file in kept/compare.csv c.svg r.html; do there $file; done
true_that "a line per fit" test "$(wc -l <kept/compare.csv)" -eq 16
cp kept/compare.csv first.csv
check "nothing is left to do" 0 una compare train.csv --target y $few --out kept --json
json sentence best select models target rows folds repeats made fits out
out '"made": 0' '"fits": 15' '"spec": "mean"'
same kept/compare.csv first.csv
check "another model joins" 0 una compare train.csv --target y --models 'linear,linear(noise=constant, degree=2)' --out kept
out "5 fits made now, 10 were in kept" "linear(degree=2, noise=constant)"
check "more repeats" 0 una compare train.csv --target y $few --repeats 2 --out kept
out "15 fits made now, 15 were in kept" "5 folds, 2 times"
check "other folds" 2 una compare train.csv --target y $few --folds 4 --out kept
err "other settings" "compare(folds=5, seed=0)" "compare(folds=4, seed=0)"
check "another seed" 2 una compare train.csv --target y $few --seed 3 --out kept
err "other settings"
table 60 2 >other.csv
check "other rows" 2 una compare other.csv --target y $few --out kept
err "a comparison on train.csv y" "other.csv y" "choose another folder"

check "options where models have them" 0 una compare train.csv --target y --models linear,nlm --set width=5 --set epochs=5 --set members=1 --folds 2
out "nlm(" "width=5"
check "an option that none has" 1 una compare train.csv --target y $few --set width=5
err "width"
check "the baseline is better than nothing learnt" 0 sh -c 'awk -F, "BEGIN { s = 7 } NR == 1 { print \"x,y\"; next }
    { s = (s * 16807) % 2147483647; print \$1 \",\" s / 2147483647 }" train.csv >noise.csv && "$UNA" compare noise.csv --target y --models linear'
out "the mean of the training rows"
check "by error" 0 una compare train.csv --target y $few --select rmse --json
out '"select": "rmse"'
check "threads change nothing" 0 una compare train.csv --target y $few --select rmse --json --threads 2
true_that "the same folds" test "$(grep -o '"folds": \[[^]]*' stdout.txt | sort)" = "$(una compare train.csv --target y $few --select rmse --json --threads 1 | grep -o '"folds": \[[^]]*' | sort)"

# Groups, also of numbers; words that only one fold has; a time that ties.
awk -F, 'NR == 1 { print "patient,day,kind," $0; next } { print "p" NR % 7 "," int(NR / 3) "," (NR == 5 ? "rare" : "k" NR % 2) "," $0 }' train.csv >visits.csv
check "groups" 0 una compare visits.csv --target y --models linear --group patient --json
out '"groups": 7' '"folds": 5'
err "there they count as 'other'"
check "more folds than groups" 0 una compare visits.csv --target y --models linear --group patient --folds 9
out "means over 7 folds of 7 groups"
err "there are 7 groups, so there are as many folds"
check "time" 0 una compare visits.csv --target y --models linear --time day --folds 3
out "3 folds, each later than its training rows"
check "groups that are there at all times" 2 una compare visits.csv --target y --models linear --time day --group patient --folds 2
err "no row to train on"
awk -F, 'NR > 1 { $1 = int($2 / 4) } { print }' OFS=, visits.csv >seasons.csv
check "time and groups" 0 una compare seasons.csv --target y --models linear --time day --group patient --folds 2
awk -F, 'NR > 1 { $2 = sprintf("2024-%02d-%02d", 1 + int($2 / 28), 1 + $2 % 28) } { print }' OFS=, visits.csv >dated.csv
check "time in dates" 0 una compare dated.csv --target y --models linear --time day --folds 3
check "no order" 2 una compare visits.csv --target y --models linear --time kind
err "line 2, column 'kind'" "neither a number nor a date"
check "no such group" 2 una compare visits.csv --target y --models linear --group patients
err "patients" "did you mean"
awk -F, 'NR == 9 { $4 = "" } { print }' OFS=, visits.csv >holes.csv
check "missing cells" 2 una compare holes.csv --target y --models linear
check "rows with them dropped" 0 una compare holes.csv --target y --models linear --missing drop --json
out '"rows": 59'
err "1 of the 60 rows"
check "or filled in" 0 una compare holes.csv --target y --models linear --missing mean --where 'day > 2' --json

check "a column left out" 0 una compare holes.csv --target y --models linear --drop x1,patient --group patient --out dropped --json
out '"rows": 60'
check "only some" 0 una compare holes.csv --target y --models linear --only x2 --json
check "the same folder with other columns" 2 una compare holes.csv --target y --models linear --drop x1 --group patient --out dropped
err "other settings"
check "a report of no kind" 1 una compare train.csv --target y --report r.pdf
err ".html"
check "from another program" 0 sh -c 'cat train.csv | "$UNA" compare - --target y --models linear'

check "no such model" 1 una compare train.csv --target y --models linaer
err "linaer" "did you mean"
check "the same twice" 1 una compare train.csv --target y --models 'linear,linear'
err "was given twice"
check "one fold" 1 una compare train.csv --target y --folds 1
err "--folds 1"
check "repeats of time" 1 una compare visits.csv --target y --time day --repeats 2
err "one order"
check "two targets" 1 una compare train.csv --target y,x1
err "names 2"
check "few rows" 2 sh -c 'head -n 4 train.csv >three.csv; "$UNA" compare three.csv --target y --models linear'
err "three.csv has 3 rows" "needs 10 at least"
check "a chart of no kind" 1 una compare train.csv --target y --chart c.gif
err ".svg, .pdf or .png"
check "a file in the way" 5 una compare train.csv --target y $few --out train.csv
err "not a folder"
check "help" 0 una compare --help
out "--models A,B,..." "una compare measurements.csv" "--group COLUMN"

# kill -9 at some moments, then the same command to its end: rows as if nothing had been, but for their seconds.
slow="--models linear,nlm(steps=300,members=2),gp --folds 4 --quiet"
rows_of() { sed 's/, /; /g' "$1" | awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "seconds") n = i } { $n = ""; print }'; }
check "undisturbed" 0 una compare train.csv --target y $slow --out calm
hits=0
for moment in 0.05 0.1 0.15 0.2 0.3; do
    "$UNA" compare train.csv --target y $slow --out stormy >/dev/null 2>&1 &
    process=$!
    sleep $moment
    kill -9 $process 2>/dev/null
    wait $process 2>/dev/null || hits=$((hits + 1))      # one that had ended by itself does not count
done 2>/dev/null
check "the same command after $hits kills" 0 una compare train.csv --target y $slow --out stormy
true_that "it was killed" test $hits -gt 0
rows_of calm/compare.csv >wanted.txt
rows_of stormy/compare.csv >got.txt
true_that "there are rows" test "$(wc -l <wanted.txt)" -eq 17
same wanted.txt got.txt
tidy
