# SPDX-License-Identifier: MIT
# Logarithms of the target, quantiles and digits of the answers.
lognormal() {   # lognormal ROWS SEED: a,b,c with log c = 1 + 0.8 a - 0.5 b + 0.6 noise
    awk -v rows="$1" -v s="$2" 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
        BEGIN { print "a,b,c"; for (i = 0; i < 5; i++) u()
                for (i = 0; i < rows; i++) { a = 4 * u() - 2; b = 3 * u(); n = sqrt(-2 * log(u())) * cos(6.2831853 * u())
                    printf "%.6f,%.6f,%.8g\n", a, b, exp(1 + 0.8 * a - 0.5 * b + 0.6 * n) } }'
}
lognormal 2000 3 >train.csv
lognormal 2000 4 >test.csv
honest() {      # honest WHAT: coverage_95 in stdout.txt, which is of `una score --json`
    true_that "$1: 93 to 97 % of new rows in their band" awk -F'"coverage_95": ' \
        '{ split($2, at, ","); exit !(at[1] >= 0.93 && at[1] <= 0.97) }' stdout.txt
}
positive() {    # positive FILE: lower, the fifth column, is above 0 everywhere
    true_that "no lower bound is 0 or less" awk -F, 'FNR > 1 && !($5 > 0 && $1 > 0) { bad = 1 } END { exit bad || FNR < 100 }' "$1"
}

check "fit --log" 0 una fit train.csv --target c --log $fast --out log.una
out "(standard deviation of log c)" "of the logarithm, log-likelihood"
check "score" 0 una score log.una test.csv --json
honest linear
cp stdout.txt log.json
check "predict" 0 una predict log.una test.csv --out answers.csv --quiet
positive answers.csv
check "without --log" 0 una fit train.csv --target c $fast --out plain.una --quiet
una predict plain.una test.csv --out plain.csv --quiet
true_that "lower bounds are below 0" awk -F, 'FNR > 1 && $5 < 0 { bad++ } END { exit !(bad > 500) }' plain.csv
una score plain.una test.csv --json >plain.json
true_that "it predicts less well" awk -F'"log_lik": ' '{ split($2, at, ","); l[NR] = at[1] } END { exit !(l[1] > l[2]) }' \
    log.json plain.json
check "info" 0 una info log.una --json
out '"log": true'
check "fit --json" 0 una fit train.csv --target c --log $fast --out again.una --json
out '"log": true'
same again.una log.una
check "a model without --log says nothing of it" 0 una info plain.una --json
true_that "nothing" test "$(grep -c '"log"' stdout.txt)" -eq 0
head -n 201 train.csv >few.csv
check "gp" 0 una fit few.csv --target c --log --model gp --out gp.una --quiet
check "gp, score" 0 una score gp.una test.csv --json
honest gp
if [ -n "${UNA_TEST_LONG:-}" ] && [ -z "${SANITIZED:-}" ]; then
    check "the default model" 0 una fit train.csv --target c --log --out auto.una --quiet
    check "the default model, score" 0 una score auto.una test.csv --json
    honest auto
    una predict auto.una test.csv --out auto.csv --quiet
    positive auto.csv
fi

# values without a logarithm
printf 'a,b,c\n1,2,3\n2,1,0\n0,1,2\n1,1,-4\n2,2,5\n' >zero.csv
check "a target of 0" 2 una fit zero.csv --target c --log $fast --out no.una
err "zero.csv, line 3, column 'c': the target is 0" "needs values above 0" "--where" "without --log"
absent no.una
check "left out" 0 una fit zero.csv --target c --log $fast --where 'c > 0' --out where.una --quiet
cp log.una before.una
check "update with such a row" 2 una update log.una zero.csv
err "line 3, column 'c'"
same log.una before.una
check "score such a row" 2 una score log.una zero.csv
check "update" 0 una update log.una few.csv --out more.una
check "update --with" 0 una update log.una few.csv --with train.csv --out with.una
una info with.una --json >stdout.txt
out '"log": true' '"rows": 2200'
printf 'a,b\n1,1\n100000,0\n' >far.csv
check "far beyond all rows" 3 una predict log.una far.csv
err "far.csv, line 3: log c is" "beyond all numbers"
awk -F, 'BEGIN { OFS = "," } { print $0, NR == 1 ? "d" : $3 * $3 + 1 }' few.csv >two.csv
check "two targets" 0 una fit two.csv --target c,d --log $fast --out two.una
out "log c" "log d"
check "two targets, quantiles" 0 una predict two.una few.csv --quantiles 0.5
out "upper_c,q0.5_c,mean_d" "upper_d,q0.5_d"
check "two targets, score" 0 una score two.una two.csv
out "all targets at once"
check "suggest" 1 una suggest log.una --pool few.csv
err "without --log"

# quantiles and digits
check "quantiles" 0 una predict log.una few.csv --quantiles 0.025,0.5,0.975 --draws 1 --digits 17
cp stdout.txt q.csv
true_that "columns" test "$(head -n 1 q.csv)" = "mean,std,std_epistemic,std_noise,lower,upper,draw_1,q0.025,q0.5,q0.975"
true_that "the band ends at its quantiles" awk -F, 'FNR > 1 { d = $8 / $5 - 1; e = $10 / $6 - 1
    if (d * d > 1e-18 || e * e > 1e-18 || !($8 < $9 && $9 < $10 && $9 < $1)) bad = 1 } END { exit bad || FNR != 201 }' q.csv
check "quantiles of a Gaussian" 0 una predict plain.una few.csv --quantiles 0.5 --digits 17
true_that "the median is the mean" awk -F, 'FNR > 1 && ($7 - $1) ^ 2 > 1e-20 { bad = 1 } END { exit bad }' stdout.txt
check "not in order" 1 una predict log.una few.csv --quantiles 0.5,0.1
err "the quantile 0.1 comes behind 0.5" "ascending"
check "1 is none" 1 una predict log.una few.csv --quantiles 0.5,1
err "between 0 and 1"
check "0 is none" 1 una predict log.una few.csv --quantiles 0,0.5
check "a word is none" 1 una predict log.una few.csv --quantiles 0.5,half --out no.csv
err "'half' is not a number"
absent no.csv
check "digits" 0 una predict log.una few.csv --digits 3 --out three.csv --quiet
true_that "three digits" awk -F, 'FNR > 1 { for (i = 1; i <= NF; i++) { t = $i; sub(/e.*/, "", t); gsub(/[-.]/, "", t)
    sub(/^0+/, "", t); sub(/0+$/, "", t); if (length(t) > 3) bad = 1 } } END { exit bad }' three.csv
una predict log.una few.csv --out nine.csv --quiet
una predict log.una few.csv --digits 17 --out all.csv --quiet
near nine.csv all.csv 1e-8
true_that "nine digits unless asked for more" awk -F, 'FNR > 1 { for (i = 1; i <= NF; i++) { t = $i; sub(/e.*/, "", t)
    gsub(/[-.]/, "", t); sub(/^0+/, "", t); if (length(t) > 9) bad = 1 } } END { exit bad }' nine.csv
check "digits 0" 1 una predict log.una few.csv --digits 0
check "digits 18" 1 una predict log.una few.csv --digits 18
tidy
