# SPDX-License-Identifier: MIT
# Searches over several models, data sets, splits and seeds; posteriors without training; what they refuse; kill -9.
# shellcheck shell=bash
only_plain || return 0
table 60 >a.csv
table 50 7 | awk -F, -v OFS=, 'NR > 1 { $3 *= 100 } { print }' >b.csv
nlm="nlm(epochs=5,members=1)"
luna="luna(epochs=5,members=1,width=6)"
check "models, data sets, splits and seeds" 0 una tune a.csv b.csv --target y --models "$luna,$nlm" \
    --over 'penalty=0.01|1; luna: diversity=0.1|1; nlm: width=4|8' --splits 2 --seeds 2 --select two_stage --out many
out "cos^2" "rank" "8 results of each spec: 2 data sets, 2 splits, 2 seeds" "Best of $luna: luna(" "Best of $nlm: nlm(" \
    "on a.csv y: nlm(" "on b.csv y: luna(" "64 fits made now, 0 were in many" "lowest cos^2"
true_that "a row each" test "$(wc -l <many/tune.csv)" -eq 65
check "a part of it as JSON" 0 una tune a.csv b.csv --models "$nlm" --over 'penalty=0.01|1, width=4|8' --splits 2 --seeds 3 --out many --json
json best select models tried splits seeds made trained out
out '"made": 16' '"log_lik_sd": ' '"rank": ' '"best_in": [{"name": "a.csv y", "best": "nlm(' '"seeds": 3'
check "one model of two" 0 una tune a.csv --models "linear,$nlm" --over 'degree=1|2'
out "Best of linear: una fit a.csv --model 'linear(degree=" "Best of $nlm: una fit a.csv --model 'nlm(epochs=5, members=1)'"
check "by error" 0 una tune a.csv --model linear --over 'degree=1|2|3' --select rmse --splits 3
out "lowest rmse" "3 splits"
true_that "lowest first" awk '$6 ~ /^linear/ { if (seen && $3 < last) bad = 1; last = $3; seen = 1 } END { exit bad || !seen }' stdout.txt

check "posteriors without training" 0 una tune a.csv --model "$nlm" --over 'width=4|8, prior_var=0.01:100:log5' --splits 2
out "4 fits gave 20 results" "--refit"
check "a split of its own" 0 una tune a.csv --model "$nlm" --over 'prior_var=0.01|1'
out "1 fit gave 2 results" "one random split"
check "with training" 0 una tune a.csv --model "$nlm" --over 'width=4|8, prior_var=0.1|1' --splits 2 --refit --json
out '"made": 8, "trained": 8'
check "by the rows of a file" 0 una tune a.csv --model "$nlm" --over 'noise_std=0.1|1' --valid a.csv --json
out '"splits": 0' '"made": 2, "trained": 1'

check "an empty range" 1 una tune a.csv --model nlm --over 'penalty=1:1:5'
err "penalty=1:1:5: the range is empty"
check "a reversed range" 1 una tune a.csv --model nlm --over 'penalty=1:0.1:5'
err "penalty=1:0.1:5: the range must begin with the smaller number"
check "the logarithm of 0" 1 una tune a.csv --model nlm --over 'penalty=0:1:log5'
err "penalty=0:1:log5: a logarithm is there for numbers above 0"
check "the logarithm of less" 1 una tune a.csv --model nlm --over 'penalty=-1:1:log5'
err "above 0"
check "more than a million" 1 una tune a.csv b.csv --model nlm --over 'penalty=0:1:501, width=4:8:5' --splits 20 --seeds 10
err "1002000 fits (2505 specs, each for 2 data sets, 20 splits and 10 seeds)" "the most is 1000000"
check "an option of none" 1 una tune a.csv --models 'luna,nlm' --over 'widht=4|8'
err "none of the models luna, nlm has an option widht" "did you mean 'width'?"
check "an option of another" 1 una tune a.csv --models 'luna,nlm' --over 'nlm: diversity=1|2'
err "diversity=1|2" "nlm"
check "a model of none" 1 una tune a.csv --models 'luna,nlm' --over 'nml: width=1|2'
err "no model of this name among luna, nlm"
check "one and several" 1 una tune a.csv --model luna --models nlm --over 'width=1|2'
err "--models for several"
check "the same table twice" 1 una tune a.csv a.csv --model linear --over 'degree=1|2'
err "a.csv y was given twice"
check "splits and rows of a file" 1 una tune a.csv --model linear --over 'degree=1|2' --splits 2 --valid b.csv
err "give one of the two"
check "the rule" 1 una tune a.csv --model linear --over 'degree=1|2' --select best
err "log_lik" "two_stage"
check "a search" 0 una tune b.csv --model linear --over 'degree=1|2' --out alone
check "another table's search" 2 una tune a.csv --model linear --over 'degree=1|2' --out alone
err "alone holds a search over b.csv y, and none over a.csv y" "choose another folder"
sed '2s/.*/1,2,3/' b.csv >c.csv && mv c.csv b.csv
check "a table that changed" 2 una tune b.csv --model linear --over 'degree=1|2' --out alone
err "with other rows" "as it is now"
una bench cubic --quick --models linear --seeds 1 --quiet --out bench >/dev/null 2>&1
check "an experiment's folder" 2 una tune a.csv --model linear --over 'degree=1|2' --out bench
err "bench holds results of experiments"
check "a search" 0 una tune a.csv --model linear --over 'degree=1|2' --out both --json
una bench cubic --quick --models linear --seeds 1 --quiet --out both >/dev/null 2>&1
check "an experiment came into its folder" 0 una tune a.csv --model linear --over 'degree=1|2' --out both --json
out '"made": 0'
mkdir stolen && cp bench/bench.sqlite stolen/tune.sqlite
check "an experiment's store" 2 una tune a.csv --model linear --over 'degree=1|2' --out stolen
err "results of the experiment cubic"

# kill -9 at several moments, then the same command: the table of a run that nobody disturbed, but for the seconds.
many="--models linear,$nlm --over degree=1|2;width=2:9:8;prior_var=0.1|1|10 --splits 3 --seeds 2 --quiet"
rows_of() { sed -E 's/,[-0-9.e+]+,("[^"]*","[^"]*","[^"]*")$/,,\1/' "$1"; }
check "undisturbed" 0 una tune a.csv $many --out calm
true_that "all rows" test "$(wc -l <calm/tune.csv)" -eq $((1 + (2 * 3 + 8 * 3) * 6))
una tune a.csv $many --out shared --json >first.txt 2>&1 &
check "the second of two in one folder" 0 una tune a.csv $many --out shared --json
cp stdout.txt second.txt
wait $!
made() { sed -n 's/.*"made": \([0-9]*\).*/\1/p' "$1"; }
true_that "each result was made once" test $(($(made first.txt) + $(made second.txt))) -eq 180
rows_of calm/tune.csv >wanted.txt
rows_of shared/tune.csv >got.txt
same wanted.txt got.txt
hits=0
for ms in 005 010 015 020 030 040 060 080 100 130; do
    "$UNA" tune a.csv $many --out stormy >/dev/null 2>&1 &
    process=$!
    sleep 0.$ms
    kill -9 "$process" 2>/dev/null
    wait "$process" 2>/dev/null || hits=$((hits + 1))
done 2>/dev/null
check "the same command after kills" 0 una tune a.csv $many --out stormy
true_that "it was killed ($hits)" test "$hits" -ge 1
rows_of calm/tune.csv >wanted.txt
rows_of stormy/tune.csv >got.txt
same wanted.txt got.txt
true_that "seconds were taken out" test "$(grep -c ',,"' wanted.txt)" -eq 180
tidy
