# SPDX-License-Identifier: MIT
# Would a hole be noticed? One that is, one that need not be, words, pictures, JSON, sentences for what cannot be.
awk 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
    BEGIN { s = 5; print "wave,nothing,kind,same,y"; split("ash elm oak", k, " ")
            for (i = 0; i < 200; i++) { a = 4 * u() - 2; b = 4 * u() - 2; c = i % 3 + 1
                printf "%.4f,%.4f,%s,1,%.4f\n", a, b, k[c], sin(3 * a) + c + 0.2 * (u() + u() + u() - 1.5) } }' >train.csv
fast="--target y --model gp"
check "all columns" 0 una gap train.csv $fast --pairs 1 --report gap.html --chart gap.svg
out "Of 4 columns, a hole in 2 would be noticed" "A hole in wave (from " "and rightly: the error is" "A hole in nothing (from" "need not be" \
    "A hole in kind (" "No hole was cut in same: all of its cells are the same." "A hole in wave and nothing" "the one pair of columns" "7 fits of gp"
no_err
there gap.html
there gap.svg
has gap.html "Would a hole in the data be noticed?"
true_that "the answer comes first" test "$(head -c 13 stdout.txt)" = "Of 4 columns,"
check "JSON" 0 una gap train.csv $fast --json --pairs 0
json answer columns pairs target model rows fits repeats
for key in name noticed auroc increase log_lik_inside log_lik_outside verdict kind hole; do out "\"$key\": "; done
out '"pairs": []' '"noticed": null' '"auroc": null'
cp stdout.txt one.json
check "two threads" 0 una gap train.csv $fast --json --pairs 0 --threads 2
same one.json stdout.txt
check "another seed" 0 una gap train.csv $fast --json --pairs 0 --seed 3
true_that "other numbers" test "$(cmp -s one.json stdout.txt; echo $?)" -eq 1
check "one column, twice" 0 una gap train.csv $fast --columns wave --repeats 2 --json
out '"repeats": 2' '"fits": 8' '"name": "wave"'
check "quiet" 0 una gap train.csv --target y --model linear --columns nothing --quiet
no_out
awk -F, 'NR == 9 { $2 = "" } { OFS = ","; print }' train.csv >missing.csv
check "a missing cell" 2 una gap missing.csv $fast
err "missing.csv, line 9, column 'nothing'"
check "dropped" 0 una gap missing.csv $fast --columns wave --missing drop --json
out '"rows": 199'
check "filled" 0 una gap missing.csv --target y --model linear --columns nothing --missing mean --json
out '"rows": 200'

check "too few rows" 2 sh -c 'head -n 40 train.csv >few.csv; "$UNA" gap few.csv --target y'
err "few.csv has 39 rows that can be used, and a hole needs 60"
check "no such column" 2 una gap train.csv $fast --columns wafe --report no.html
err "wafe" "did you mean 'wave'"
absent no.html
check "the target" 1 una gap train.csv $fast --columns y
err "'y' is the target"
check "no such target" 2 una gap train.csv --target z
err "no column 'z'"
check "two targets" 1 una gap train.csv --target y,wave
err "one target"
check "nothing but constants" 2 sh -c 'cut -d, -f4,5 train.csv >same.csv; "$UNA" gap same.csv --target y'
check "two values" 2 sh -c 'awk -F, "{ print (NR == 1 ? \"x\" : NR % 2) \",\" \$5 }" train.csv >two.csv; "$UNA" gap two.csv --target y'
err "no hole can be cut into two.csv" "two values only"
check "no such model" 1 una gap train.csv --target y --model oracle
err "oracle"
check "a chart of no format" 1 una gap train.csv $fast --chart gap.txt
err ".svg, .pdf or .png"
check "over the data" 1 una gap train.csv $fast --report train.csv
check "a target that is known exactly" 0 sh -c 'awk -F, "{ print \$1 \",\" \$2 \",\" (NR == 1 ? \"y\" : \$1) }" train.csv >exact.csv
    "$UNA" gap exact.csv --model linear --json'
out "2 would go unnoticed and do no harm" '"error": 1, '
check "a target that is nearly constant" 2 sh -c 'awk -F, "{ print \$1 \",\" (NR == 1 ? \"y\" : NR == 5) }" train.csv >nearly.csv
    "$UNA" gap nearly.csv --model linear'
err "without a third of the rows: the target 'y' has the same value"
check "a limit to the size of files" 5 sh -c 'ulimit -f 8; exec "$UNA" gap train.csv --target y --model linear --report large.html'
err "cannot write" "large.html: File too large"
absent large.html
tidy
check "help" 0 una gap --help
out "--columns A,B,..." "--pairs N" "una gap measurements.csv --target strength"

set -m
"$UNA" gap train.csv --target y --set luna='luna(epochs=1000000)' --report never.html >stdout.txt 2>stderr.txt &
job=$! got=0
set +m
sleep 0.5
kill -TERM $job
wait $job || got=$?
name="interrupted"
if [ $got -eq 130 ]; then pass "$name ends with 130"; else fail "$name: exit status $got" "$(cat stderr.txt)"; fi
absent never.html
no_out
err "interrupted"
tidy
