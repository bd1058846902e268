# SPDX-License-Identifier: MIT
# More than one target: --target a,b in every verb that knows targets.
awk -v s=5 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
    BEGIN { print "x,z,a,b"; for (i = 0; i < 5; i++) u()
            for (i = 0; i < 60; i++) { x = 4 * u() - 2; z = 4 * u() - 2; e = u() + u() + u() - 1.5
                printf "%.5f,%.5f,%.5f,%.5f\n", x, z, 2 * x - z + 0.2 * e, 30 + x * z + 0.5 * e + 0.1 * u() } }' >both.csv
awk -F, -v OFS=, 'NR > 1 && NR % 4 == 0 { $3 = "" } NR > 1 && NR % 3 == 0 { $4 = "NA" } { print }' both.csv >gaps.csv
cut -d, -f1,2,3 both.csv >a.csv
cut -d, -f1,2,4 both.csv >b.csv

check "fit" 0 una fit both.csv --target a,b $fast --out both.una
out "targets a, b, 60 rows, 2 inputs" "target a, 60 rows" "target b, 60 rows" "una predict both.una"
check "blanks after the comma" 0 una fit both.csv --target "a, b" $fast --quiet --out blanks.una
same both.una blanks.una
check "predict" 0 una predict both.una both.csv --digits 17 --out both-answers.csv
true_that "columns of each" test "$(head -n 1 both-answers.csv)" = \
    "mean_a,std_a,std_epistemic_a,std_noise_a,lower_a,upper_a,mean_b,std_b,std_epistemic_b,std_noise_b,lower_b,upper_b"
for t in a b; do                        # each target as if it were alone
    una fit $t.csv $fast --quiet --out $t.una
    una predict $t.una $t.csv --digits 17 --out $t-answers.csv --quiet
done
paste -d, a-answers.csv b-answers.csv | sed 1d >alone.csv
sed 1d both-answers.csv >together.csv
same alone.csv together.csv
check "one target has plain names" 0 una predict a.una a.csv
out "mean,std,std_epistemic,std_noise,lower,upper"
check "keep and draws" 0 una predict both.una both.csv --keep --draws 2
out "x,z,a,b,mean_a" "upper_a,draw_1_a,draw_2_a,mean_b" "draw_1_b,draw_2_b"
check "predict, JSON" 0 una predict both.una both.csv --out x.csv --json
json rows out

check "score" 0 una score both.una both.csv
out "target a" "target b" "all targets at once" "mean log-likelihood of a row's targets together"
check "score, JSON" 0 una score both.una both.csv --json
json targets joint
check "score of one, JSON" 0 una score a.una a.csv --json
json rows rmse log_lik
check "info" 0 una info both.una
out "targets             a, b" "joint" "parts"
check "info, JSON" 0 una info both.una --json
json targets joint columns parts spec
check "fit, JSON" 0 una fit both.csv --target a,b $fast --out x.una --json
json kind spec rows inputs targets seconds model

check "missing cells" 0 una fit gaps.csv --target a,b $fast --out gaps.una
out "target a, 45 rows" "target b, 40 rows" "10 rows have no 'a' and were left out for it" \
    "15 rows have no 'b' and were left out for it" "5 rows without any target were left out"
check "score with missing cells" 0 una score gaps.una gaps.csv --json
out '"target": "a", "rows": 45' '"target": "b", "rows": 40' '"joint": {"rows": 30'
awk -F, -v OFS=, 'NR > 1 { $4 = "" } { print }' both.csv >no-b.csv
check "score, a target without any cell" 2 una score gaps.una no-b.csv
err "no-b.csv has no row with the target 'b' to score"
check "update" 0 una update gaps.una gaps.csv --out more.una --json
json rows_added rows targets model
out '"rows_added": 55' '"target": "a", "rows": 90' '"target": "b", "rows": 80'
check "update, plain" 0 una update gaps.una gaps.csv --out more-2.una
out "55 rows added: the linear model now rests on 110 rows"
same more.una more-2.una
check "update --with" 0 una update both.una gaps.csv --with both.csv --out again.una --json
out '"refitted": true' '"target": "b", "rows": 100'
check "update, a target is not there" 2 una update both.una a.csv --out no.una
err "a.csv has no column 'b'"
absent no.una

for model in luna nlm; do               # kinds that fit targets at once
    check "$model" 0 una fit both.csv --target a,b --model $model $quick --out $model.una --threads 1 --quiet
    check "$model, two threads" 0 una fit both.csv --target a,b --model $model $quick --out $model-2.una --threads 2 --quiet
    same $model.una $model-2.una
    check "$model: predict" 0 una predict $model.una both.csv
    out "mean_a,std_a"
done
check "report" 0 una fit both.csv --target a,b $fast --out x.una --report report.html --quiet
there report.html
has report.html "What is known about a"
has report.html "What is known about b"
has report.html "fit this target alone"

# ---- names -------------------------------------------------------------------------------------------------
awk 'BEGIN { print "x,\"a,b\",a,b"; for (i = 0; i < 30; i++) print i % 7 "," i % 5 "," i % 3 "," i % 11 }' >comma.csv
check "a column of that name wins" 0 una fit comma.csv --target a,b $fast --out comma.una
out "target a,b, 30 rows, 3 inputs"
check "also among others" 0 una fit comma.csv --target a,b,b $fast --out comma.una
out "targets a,b, b, 30 rows, 2 inputs"
check "its columns are quoted" 0 una predict comma.una comma.csv
out '"mean_a,b","std_a,b"' ',mean_b,std_b'

# ---- what cannot be ------------------------------------------------------------------------------------------
bad() {     # bad NAME STATUS SENTENCE DATA TARGETS
    check "$1" "$2" una fit "$4" --target "$5" $fast --out no.una
    err "$3"
    absent no.una
}
bad "twice" 1 "the target 'a' is named twice" both.csv a,a
sed '1s/b$/epistemic_a/' both.csv >alike.csv
bad "columns of answers that would be alike" 1 \
    "the answers of the targets 'a' and 'epistemic_a' would both have a column 'std_epistemic_a'" alike.csv a,epistemic_a
sed '1s/b$/a/; 1s/z,a/z,noise_a/' both.csv >alike.csv
bad "the other way round" 1 "would both have a column 'std_noise_a'" alike.csv noise_a,a
bad "unknown" 2 "both.csv has no column 'c'" both.csv a,c
bad "an empty name" 2 "both.csv has no column ''" both.csv a,,b
bad "all are targets" 2 "every column of both.csv is a target" both.csv x,z,a,b
awk -F, -v OFS=, 'NR > 1 { $1 = NR % 2 ? "red" : "blue"; $2 = 7 } { print }' both.csv >odd.csv
bad "words" 2 "the target must be a number, but the column 'x' of odd.csv holds two words, 'blue' and 'red'" odd.csv a,x
bad "constant" 2 "the target 'z' has the same value in every row of odd.csv" odd.csv a,z
awk -F, -v OFS=, 'NR > 2 { $4 = "" } { print }' both.csv >one.csv
bad "one value" 2 "the target 'b' has only one value in one.csv" one.csv a,b
sed '3s/^[^,]*/NA/' both.csv >hole.csv
bad "a missing input" 2 "hole.csv, line 3, column 'x' is missing; fill the cell" hole.csv a,b
check "a missing input, dropped" 0 una fit hole.csv --target a,b --missing drop $fast --out x.una
out "1 row with missing cells was left out"
check "a chart" 1 una fit both.csv --target a,b $fast --out no.una --chart no.svg
err "--chart shows one target, and 2 are given"
absent no.una
check "suggest" 1 una suggest both.una --pool both.csv
err "rows are suggested for one target, and this model predicts 2 (a, b)"
check "tune" 1 una tune both.csv --target a,b --model linear --over 'degree=1|2'
err "options are searched for one target, and --target a,b names 2"
check "tune, a column of that name" 0 una tune comma.csv --target a,b --model linear --over 'degree=1|2' --quiet
check "tune, no such column" 2 una tune both.csv --target c --model linear --over 'degree=1|2'
err "both.csv has no column 'c'"
tidy
