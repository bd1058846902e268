# SPDX-License-Identifier: MIT
# The split of doubt: a quick run of a quick model, parts of it, the same numbers whatever the threads, and mistakes.
# shellcheck shell=bash
only_plain || return 0
check "quick" 0 una bench split --quick --models linear
out "inside" "gap log-lik" "8 fits made now" "line kinks 1" "varying" "cannot tell" "linear: "
has una-bench/split.csv "inside,error,std_epistemic,noise_ratio,coverage_95,log_lik,gap_inside,gap_log_lik,beyond_inside,beyond_log_lik,"
has una-bench/split.csv ",noise_error,noise_range,z2,gap_z2,beyond_z2,noise_scale_ratio,clean_coverage,"
has una-bench/split.csv ",loud_coverage,claimed,overclaim,warned,seconds,"
for words in "Among the rows" "beyond the rows" "Noise that varies" "all lines" "What is asked of a model" "Quick run"; do
    has una-bench/split.html "$words"
done
check "again" 0 una bench split --quick --models linear --json
json experiment rows means claims fitted table page
out '"fitted": 0' '"data": "line sine 1"'
check "some sets" 0 una bench split --models linear --sets 'line cubic, d5 n200' --seeds 2 --out some --quiet
out "10 fits made now" "line cubic 4" "d5 n200"
true_that "no table of noise" test -z "$(grep -o 'Noise that varies</h2>' some/split.html)"
check "an unknown set" 1 una bench split --models linear --sets line,d6 --out never
err "no data set 'd6'" "d5 n200, d5 n600" "line kinks 1 to 4" "update false n2000"
check "a number too many" 1 una bench split --models linear --sets 'line cubic 5' --out never
err "no data set 'line cubic 5'"
absent never
check "sets that are asked for" 0 una bench split --models linear --sets 'outliers n300, clean n300, update same, shell2' \
    --seeds 1 --out asked --quiet
out "4 fits made now" "Outliers: the error of the function" "Updates: coverage afterwards"
for words in "Outliers, heavy tails" "In closed holes" "After an update"; do has asked/split.html "$words"; done
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "warned") at = i } /update same/ { print $at }' \
    asked/split.csv >warned.txt
true_that "an update of the same law does not warn" test "$(cat warned.txt)" = 0
for threads in 1 3; do
    check "$threads threads" 0 una bench split --models 'linear,nlm(steps=20)' --sets 'line smooth, d5 n200' --seeds 1 \
        --threads $threads --out "threads$threads" --quiet
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "seconds") at = i } { $at = ""; print }' \
        "threads$threads/split.csv" >"rows$threads.txt"
done
same rows1.txt rows3.txt
