# SPDX-License-Identifier: MIT
# Outliers: noise with heavy tails, what a fit says of it, predictions and updates under it.
wave() {        # wave ROWS SEED OUTLIERS: y = sin 2x + 0.2 noise; with outliers every 50th row is 30 times as noisy
    awk -v rows="$1" -v s="$2" -v far="$3" 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
        BEGIN { print "x,y"; for (i = 0; i < 5; i++) u()
                for (i = 0; i < rows; i++) { x = 4 * u() - 2; n = sqrt(-2 * log(u())) * cos(6.2831853 * u())
                    printf "%.6f,%.6f\n", x, sin(2 * x) + (far && i % 50 == 3 ? 6 : 0.2) * n } }'
}
wave 300 3 1 >train.csv
wave 100 4 1 >more.csv
wave 1000 5 0 >clean.csv
number() {      # number FILE KEY: of a JSON object
    awk -v key="\"$2\": " -F'[,}]' 'BEGIN { RS = "," } index($0, key) { sub(".*" key, ""); print $1; exit }' "$1"
}

check "fit" 0 una fit train.csv --model gp --out heavy.una
out "noise's scale" "without the outliers, about 3 % of the rows" "tails=0.03" "so that they count little"
check "fit, JSON" 0 una fit train.csv --model gp --out heavy2.una --json
out '"noise_scale"' '"noise_freedom": 0.03' '"tails":0.03'
same heavy.una heavy2.una
true_that "the scale is that of the other rows" awk -v s="$(number stdout.txt noise_scale)" 'BEGIN { exit !(s > 0.15 && s < 0.26) }'
check "info" 0 una info heavy.una --json
out '"noise_scale"' '"noise_freedom": 0.03'
check "score of clean rows" 0 una score heavy.una clean.csv --json
true_that "93 to 99 % of them in their band" awk -v c="$(number stdout.txt coverage_95)" 'BEGIN { exit !(c >= 0.93 && c <= 0.99) }'
cp stdout.txt heavy.json
una fit train.csv --model 'gp(tails=inf)' --out plain.una --quiet
check "score with Gaussian noise" 0 una score plain.una clean.csv --json
true_that "it is less likely" awk -v a="$(number heavy.json log_lik)" -v b="$(number stdout.txt log_lik)" 'BEGIN { exit !(a > b + 0.3) }'
check "without outliers there are no tails" 0 una fit clean.csv --model linear --set degree=5 --out clean.una --json
out '"tails":"inf"'
true_that "and no scale" test "$(grep -c noise_scale stdout.txt)" -eq 0
check "update" 0 una update heavy.una more.csv --out updated.una --quiet
check "score of the update" 0 una score updated.una clean.csv --json
true_that "no worse" awk -v a="$(number stdout.txt log_lik)" -v b="$(number heavy.json log_lik)" 'BEGIN { exit !(a > b - 0.02) }'
check "degrees of freedom as given" 0 una fit train.csv --model linear --set tails=4 --set degree=5 --out t.una
out "of Student's t with 4 degrees of freedom" "tails=4"
check "quantiles" 0 una predict t.una clean.csv --quantiles 0.025,0.5,0.975 --out q.csv --quiet

check "a number that is neither" 1 una fit train.csv --model linear --set tails=1.5 --out no.una
err "tails=1.5: give degrees of freedom of 2.5 or more, a share of outliers of at most 0.3, inf or auto"
check "no number" 1 una fit train.csv --model linear --set tails=heavy --out no.una
err "does not take tails=heavy" "inf, or auto"
absent no.una
