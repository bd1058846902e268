# SPDX-License-Identifier: MIT
# Experiments on published splits: groups, splits, held-out shares, and data that is not there.
# shellcheck shell=bash
published data 60
how="--data data --models linear --quiet"
check "uci" 0 una bench uci $how --splits 0-2
out "yacht" "log-lik" "3 fits made now"
has una-bench/uci.csv "rows,rmse,log_lik,crps,coverage_50,coverage_90,coverage_95,calibration_error,mean_std_epistemic,"
has una-bench/uci.csv ",noise_std,mean_cos2,warnings,risk_10,risk_20,"
has una-bench/uci.csv ",risk_90,rows_new,rmse_new,log_lik_new,hand_rmse,hand_log_lik,hand_std_epistemic,hand_noise_std,seconds,"
there una-bench/uci.html
for text in "Error and log-likelihood" "−0.16" "WGBoost" "Bands and pairs: automatic" "Splits: 3."; do
    has una-bench/uci.html "$text"
done
true_that "claims of the other protocol stay away" test -z "$(grep -o 'Thesis.s protocol: LUNA' una-bench/uci.html)"
there una-bench/uci-rmse.tex una-bench/uci-risk-automatic.svg una-bench/uci-bands-automatic.csv
check "gap" 0 una bench gap $how --splits 0-1 --json
json experiment rows means claims
out '"data": "yacht Froude number"' '"gap_auroc"' '"gap_increase"' '"fitted": 2'
there una-bench/gap.html
for text in "The six gaps of the thesis" "Who notices which gap" "Splits: 2."; do has una-bench/gap.html "$text"; done
there una-bench/gap-detection.csv una-bench/gap-along-automatic.svg una-bench/gap-risk-automatic.svg
true_that "its page has no column for seconds" test -z "$(grep -o 'Seconds a fit' una-bench/gap.html)"
check "both protocols on one page" 0 una bench gap --data data --models gp --preset both --steps 20 --splits 0-1 --out both --quiet
out " study " "gap(preset=thesis, steps=20)" "nobody notices the gap in RM" "Automatic (ours): LUNA notices"
for text in "published" "ours, thesis" "ours, auto" "71.73 ± 19.75" "60,000 steps" "no training has more than 20 steps" "protocol, 2 automatic"; do
    has both/gap.html "$text"
done
there both/gap-along-thesis.svg both/gap-risk-thesis.svg both/gap-bands-thesis.csv
check "one split of three models beside the thesis's columns" 0 una bench gap --data data --models gp,linear --columns more --splits 0-1 \
    --out both --quiet
out "yacht x1" "3 fits made now, 2 were there"
has both/gap.html "All columns of all sets"
has both/gap-columns.csv "yacht,x1,"
check "valid rows are other rows" 0 una bench uci $how --splits 0-1 --group valid
out "2 fits made now, 0 were there"
has una-bench/uci.csv '"uci(group=valid)"'
check "so are those with a share held out" 0 una bench uci $how --splits 0-1 --group valid --held 0.3
out "2 fits made now, 0 were there"
has una-bench/uci.csv '"uci(group=valid, held=0.3)"'
check "all of them are there" 0 una bench uci $how --splits 0-2
out "0 fits made now, 3 were there"
check "the folder from the environment" 0 env UNA_DATA=data "$UNA" bench gap --models linear --splits 0-1
out "0 fits made now, 2 were there"
err "data/uci/yacht.csv" "not those that are published"
check "seeds count from the run's" 0 una bench gap $how --splits 1 --seed 5 --json
out '"split": 1, "seed": 6'

# The files of a set are part of its keys: replaced ones make other rows, and the old ones come back with them.
cp -r data replaced
sed -i '2s/[^,]*$/7.5/' replaced/uci/yacht.csv
check "other rows" 0 una bench uci --data replaced --models linear --quiet --splits 0-2
out "yacht " "3 fits made now, 0 were there"
cp data/uci/yacht.csv replaced/uci/
sed -i 's/$/ /' replaced/uci/splits/yacht.json
check "other splits" 0 una bench uci --data replaced --models linear --quiet --splits 0-2
out "3 fits made now, 0 were there"
check "the first files again" 0 una bench uci $how --splits 0-2 --json
out '"data": "yacht"' '"fitted": 0'
true_that "three sums in the table" test "$(cut -d, -f2 una-bench/uci.csv | grep -o '^"yacht#[0-9a-f]*"$' | sort -u | wc -l)" -eq 3
true_that "none on the page" test -z "$(grep -o 'yacht#' una-bench/uci.html)"
rm una-bench/uci.csv una-bench/bench.sqlite
check "rows for the tables below" 0 una bench uci $how --splits 0-2
check "rows for the tables below" 0 una bench uci $how --splits 0-1 --group valid
check "rows for the tables below" 0 una bench uci $how --splits 0-1 --group valid --held 0.3

# The same numbers whatever the threads.
for threads in 1 3; do
    check "$threads threads" 0 una bench gap --data data --models 'linear,nlm(steps=50),nn(steps=50)' --splits 0-2 \
        --threads $threads --out "threads$threads" --quiet
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "seconds") at = i } { $at = ""; print }' \
        "threads$threads/gap.csv" >"rows$threads.txt"
done
true_that "there are nine rows" test "$(wc -l <rows1.txt)" -eq 10
same rows1.txt rows3.txt

check "no folder" 2 una bench uci --models linear --out never
err "--data" "docs/results/BENCH.md"
check "an empty folder" 2 una bench gap --models linear --data "$PWD/una-bench" --out never
err "uci/NAME.csv"
check "a set that is not there" 2 una bench uci $how --sets yacht,boston --out never
err "uci/boston.csv"
check "an unknown set" 1 una bench uci $how --sets yatch --out never
err "no data set 'yatch'" "boston"
check "a set without gaps" 1 una bench gap $how --sets energy --out never
err "no data set 'energy'"
check "unreadable splits" 1 una bench uci $how --splits 3-1 --out never
err "splits=3-1"
check "an unknown group" 1 una bench uci $how --group test --out never
err "standard|valid"
check "too large a share" 1 una bench uci $how --held 2 --out never
err "held"
absent never
check "a split that the file has not" 2 una bench uci $how --splits 2-7 --out late
err "split 3 of 'standard' was asked for" "has 3" "--splits"
check "nor has it all of the usual ones" 2 una bench uci $how --out late
err "--splits"
cp -r data fewer
sed -i 's/"gap": .*/"gap": []}/' fewer/uci/splits/yacht.json
check "no gap in the file" 2 una bench gap --data fewer --models linear --splits 0 --out late
err "split 1 of 'gap'"
sed -i 's/Froude number/Froude/' data/uci/yacht.csv
check "a gap along a column that is not there" 2 una bench gap $how --splits 0 --out late
err "Froude number"
absent late

if command -v python3 >/dev/null 2>&1; then
    table_py=$here/../../perf/table.py       # here: of run.sh
    check "tables from the rows" 0 python3 "$table_py" una-bench/uci.csv
    out "standard yacht" "valid    yacht" "linear --held 0.3" "n= 3" "new rows: ll"
    check "tables of gaps" 0 python3 "$table_py" una-bench/gap.csv
    out "gap      yacht" "Froude n" "auroc"
else
    skip "tables: python3 is not there"
fi
