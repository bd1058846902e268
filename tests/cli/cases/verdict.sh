# SPDX-License-Identifier: MIT
# The verdict of una fit: pure noise, a column that gives the target away, slips of the pen, targets that are 0/1,
# counts or never below 0; for people, as JSON, and not at all.
# shellcheck shell=bash

table() {   # table NAME ROWS 'awk expressions of a, b, e (normal), i' HEADER
    awk -v rows="$2" -v seed="${5:-1}" "function n() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
        BEGIN { srand(seed); print \"$4\"
            for (i = 2; i <= rows + 1; i++) { a = n(); b = n(); c = n(); e = n(); $3 } }" >"$1"
}
holds() { jq -e "$1" stdout.txt >/dev/null; }
finds() { true_that "it finds $1" holds ".verdict.findings | any(.kind == \"$1\")"; }
finds_not() { true_that "it does not find $1" holds ".verdict.findings | all(.kind != \"$1\")"; }

table good.csv 300 'printf "%.6f,%.6f,%.6f,%.6f\n", a, b, c, 40 + 2 * a - b + 0.7 * e' a,b,c,strength
check "a good model" 0 una fit good.csv $fast --out good.una
out "of the spread of strength on rows it had not seen; 19 of 20 new values"
true_that "the verdict is first" sh -c 'head -n 1 stdout.txt | grep -q "^una explains"'
check "a good model as JSON" 0 una fit good.csv $fast --out good2.una --json
json verdict
same good.una good2.una
true_that "its numbers" holds '.verdict | .rows == 300 and .explained > 0.85 and .explained < 0.96 and
    .explained_low < .explained and .explained < .explained_high and .coverage_95 > 0.9 and .rmse < .rmse_mean and
    .band > 2 and .band < 3.6 and .findings == [] and .suspects == [] and .error_95 > 1 and .error_95 < 1.8 and
    (has("aside") | not) and .importance.a > .importance.b and .importance.b > 5 * .importance.c'
check "beside linear regression" 0 una fit good.csv --model gp --set restarts=1 --out gp.una --json
true_that "it is named" sh -c 'jq -r .verdict.sentence stdout.txt | grep -q "(linear regression: "'
check "without a verdict" 0 una fit good.csv $fast --out plain.una --no-verdict --json
true_that "there is none" holds 'has("verdict") | not'
same good.una plain.una
check "a quiet fit" 0 una fit good.csv $fast --out plain.una --quiet
no_out
no_err

table noise.csv 400 'printf "%.6f,%.6f,%.6f,%.6f\n", a, b, c, 7 + e' a,b,c,y
check "pure noise" 0 una fit noise.csv $fast --out noise.una
out "una found nothing in these columns that predicts y" "nothing learnt"
check "pure noise as JSON" 0 una fit noise.csv $fast --out noise.una --json
finds nothing_learnt

table leak.csv 200 'y = 20 + a + e; printf "%.6f,%.6f,%.6f,%.6f\n", a, b, 2.54 * y + 3, y' a,b,length_in_inches,length
check "a leaked column" 0 una fit leak.csv $fast --out leak.una
out "Too good to be true: length_in_inches"
check "a leaked column as JSON" 0 una fit leak.csv $fast --out leak.una --json
finds too_good
true_that "the column is named" holds '[.verdict.findings[] | select(.kind == "too_good") | .column] ==
    ["length_in_inches"]'

table typos.csv 400 'y = 40 + 2 * a - b + 0.7 * e; if (i == 18 || i == 77 || i == 301) y *= 100
    printf "%.6f,%.6f,%.6f,%.6f\n", a, b, c, y' a,b,c,strength
check "three slips of the pen" 0 una fit typos.csv $fast --out typos.una
out "3 rows look wrong: line 18, strength" "line 301: strength" "100 times less"
check "three slips as JSON" 0 una fit typos.csv $fast --out typos.una --json
finds suspect_rows
true_that "the rows" holds '[.verdict.suspects[].line] == [18, 77, 301] and
    [.verdict.suspects[].row] == [17, 76, 300] and all(.verdict.suspects[]; .column == "strength")'

table bad.csv 300 'y = 40 + 2 * a - b + 0.7 * e; if (i == 18) y = 40000
    printf "%.6f,%.6f,%.6f,%.6f\n", a, b, c, y' a,b,c,strength
check "one bad cell" 0 una fit bad.csv --model "linear(tails=inf)" --out bad.una
out "One row looks wrong and holds 99.9" "line 18, strength = 40000" "explains nothing" "fit again"
check "one bad cell as JSON" 0 una fit bad.csv --model linear --out bad.una --json
finds suspect_rows
finds_not nothing_learnt
true_that "the figures without it" holds '.verdict.explained < 0.1 and .verdict.aside.rows == 1 and
    .verdict.aside.explained_linear > 0.8'

table zeros.csv 300 'y = 2 + 2 * a - b + e; printf "%.6f,%.6f,%.6f\n", a, b, (y > 2 ? y - 2 : 0)' a,b,rain
check "half zeros" 0 una fit zeros.csv --model linear --out zeros.una
out "% of rain are exactly 0, its smallest value" "--where 'rain > 0'"
check "half zeros as JSON" 0 una fit zeros.csv --model linear --out zeros.una --json
finds piled_target
check "the rest with --log" 0 una fit zeros.csv --model linear --log --where 'rain > 0' --out zeros.una --json
finds_not piled_target
table shares.csv 300 'printf "%.6f,%.6f,%.6f\n", a, b, 1 / (1 + exp(-2 * a + e))' a,b,share
check "shares" 0 una fit shares.csv --model linear --out shares.una --json
finds share_target
finds_not positive_target

table binary.csv 200 'printf "%.6f,%.6f,%d\n", a, b, (a + e > 0)' a,b,sick
check "0 and 1" 0 una fit binary.csv $fast --out binary.una --json
finds binary_target
finds_not count_target
table counts.csv 200 'y = int(exp(0.5 * a + 0.3 * e)); printf "%.6f,%.6f,%d\n", a, b, y' a,b,visits
check "counts" 0 una fit counts.csv $fast --out counts.una
out "visits is a count" "lower bounds"
table positive.csv 250 'printf "%.6f,%.6f,%.6f\n", a, b, exp(a + 0.5 * e)' a,b,concentration
check "a concentration" 0 una fit positive.csv $fast --out positive.una
out "concentration is never below 0" "--log"
check "rows given twice" 0 sh -c 'tail -n +2 good.csv | cat good.csv - >twice.csv; "$UNA" fit twice.csv --model linear --out twice.una --json'
finds copied_rows
finds_not suspect_rows
awk 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
    BEGIN { s = 9; print "town,kind,price"; for (i = 0; i < 90; i++) { t = i % 6; k = int(i / 7) % 3
            printf "t%d,k%d,%.3f\n", t, k, 10 * t + 4 * k + u() } }' >words.csv
check "words alone, the default model" 0 una fit words.csv --set 'luna=luna' --set 'gp=none' --out words.una --json --no-verdict
out '"kind": "auto"' 'nlm'
table few.csv 8 'printf "%.6f", e; for (k = 0; k < 9; k++) printf ",%.6f", n(); print ""' y,a,b,c,d,e,f,g,h,i
check "fewer rows than inputs" 0 una fit few.csv --target y $fast --out few.una --json
finds few_rows

table two.csv 200 'y = 40 + 2 * a + 0.7 * e; printf "%.6f,%.6f,%.6f,%.6f\n", a, b, y, e' a,b,y,z
check "two targets" 0 una fit two.csv --target y,z $fast --out two.una --json
true_that "each has its verdict" holds '(.targets | length) == 2 and .targets[0].verdict.explained > 0.8 and
    (.targets[1].verdict.findings | any(.kind == "nothing_learnt"))'
check "two targets for people" 0 una fit two.csv --target y,z $fast --out two.una
out "of the spread of y on rows" "una found nothing in these columns that predicts z"

# Days are written as dates: in suspects, on axes, as levels.
awk 'BEGIN { srand(3); print "day,x,y"; for (i = 0; i < 200; i++)
    printf "%04d-%02d-%02d,%.4f,%.4f\n", i == 50 ? 1924 : 2024, 1 + int(i / 28), 1 + i % 28, rand(), i * 0.02 + rand() }' >days.csv
check "a date that is wrong" 0 una fit days.csv --target y --model linear --out days.una --report days.html
out "line 52: day = 1924-02-23 lies" "median 2024-04-1" "line 52, day = 1924-02-23"
has days.html ">1970-01-01</text>"
has days.html '<td class="n">1924-02-23</td>'
for what in bands effect residuals ignorance; do
    check "days along $what" 0 una plot days.una days.csv --what $what --input day --out days.svg
    has days.svg ">1970-01-01</text>"
done
awk 'BEGIN { srand(3); print "day,x,y"; for (i = 0; i < 200; i++)
    printf "2024-01-%02d,%.4f,%.4f\n", 1 + i % 4, rand(), i % 4 + rand() }' >four.csv
check "four days" 0 una fit four.csv --target y --model linear --out four.una --chart four.svg
has four.svg ">2024-01-03</text>"
check "a hole in days" 0 una gap days.csv --target y --model linear --columns day --pairs 0 --chart hole.svg
has hole.svg ">1970-01-01</text>"
tidy
