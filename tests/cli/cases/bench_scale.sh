# SPDX-License-Identifier: MIT
# More and more rows: a quick run, a file with its target, the same numbers whatever the threads, and mistakes.
# shellcheck shell=bash
only_plain || return 0
check "quick" 0 una bench scale --quick --models linear
out "d1 250" "d5 1000" "12 fits made now" "linear does not get worse with more rows" "gains in each of 4 steps"
for file in rows.svg rows.$png steps.csv truth.md claims.csv; do
    check "its file $file" 0 test -s "una-bench/scale-$file"
done
for words in "What a step gains" "Where the function is known" "Quick run" "2000 test rows"; do
    has una-bench/scale.html "$words"
done
has una-bench/scale.csv "rows,test_rows,log_lik,rmse,coverage_95,inside,error,mean_std_epistemic,mean_std_noise,log_lik_00,"
check "again" 0 una bench scale --quick --models linear --json
json experiment rows means claims fitted table page
out '"fitted": 0' '"data": "d5 500"'
check "what is there" 0 una bench scale --quick --models linear --sizes 250-2000 --kept
out "0 fits made now"
has una-bench/scale.html "12 of 16 fits are there"

awk 'BEGIN { print "a,y,b"; for (i = 0; i < 400; i++) print i % 37 "," (i % 37) * 2 + i % 5 "," i % 3 }' >table.csv
for threads in 1 3; do
    check "$threads threads" 0 una bench scale --models 'linear,nlm(steps=20)' --sets d1,table.csv --target y \
        --sizes 40,80,all --rows 200 --seeds 2 --threads $threads --out "threads$threads" --quiet
    out "table.csv y 320" "d1 200" "24 fits made now" "linear is at least as likely as nlm"
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "seconds") at = i } { $at = ""; print }' \
        "threads$threads/scale.csv" >"rows$threads.txt"
done
same rows1.txt rows3.txt
check "no such set" 1 una bench scale --models linear --sets d1,nowhere.csv --out never
err "no data set and no file 'nowhere.csv'" "d1, d5, d20"
check "no such size" 1 una bench scale --models linear --sets d1 --sizes 1e3 --out never
err "sizes=1e3 cannot be read" "250-8000"
check "no such column" 2 una bench scale --models linear --sets table.csv --target z --out never
err "no column 'z'"
absent never
awk 'BEGIN { print "a,w,y"; for (i = 0; i < 400; i++) print (i % 7 == 3 ? "" : i % 37) "," (i % 3 ? "red" : "blue") "," i % 37 + i % 5 }' \
    >words.csv
check "words and missing cells" 0 una bench scale --models linear --sets words.csv --sizes 50-,all --seeds 1 --out words
out "words.csv y 320" "4 fits made now"
