# SPDX-License-Identifier: MIT
# More rows into a posterior: one by one, in pieces and at once are the same thing.
table 60 >train.csv
table 12 3 >new.csv
table 30 9 >test.csv
head -n 1 new.csv >head.csv
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do { cat head.csv; sed -n "$((i + 1))p" new.csv; } >one$i.csv; done
for i in 0 1 2; do { cat head.csv; sed -n "$((4 * i + 2)),$((4 * i + 5))p" new.csv; } >chunk$i.csv; done

for model in luna nlm tuna linear; do
    options=$quick
    [ $model = linear ] && options=
    check "$model: fit" 0 una fit train.csv --target y --model $model $options --quiet --out $model.una
    check "$model: at once" 0 una update $model.una new.csv --out $model-once.una
    out "12 rows added" "72 rows"
    cp $model.una $model-chunks.una
    for i in 0 1 2; do una update $model-chunks.una chunk$i.csv --quiet; done
    cp $model.una $model-single.una
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do una update $model-single.una one$i.csv --quiet; done
    for way in once chunks single; do
        check "$model: predict $way" 0 una predict $model-$way.una test.csv --digits 17 --out $model-$way.csv --quiet
    done
    near $model-once.csv $model-chunks.csv 1e-9
    near $model-once.csv $model-single.csv 1e-9
    una predict $model.una test.csv --digits 17 --out $model-before.csv --quiet
    true_that "$model: the update changed something" test "$(cmp -s $model-before.csv $model-once.csv; echo $?)" -eq 1
done
check "in place, JSON" 0 una update luna.una new.csv --json
json rows_added rows model
out '"rows_added": 12' '"rows": 72'
same luna.una luna-once.una
check "--with fits again" 0 una update nlm.una new.csv --with train.csv --out again.una --json
out '"rows": 72' '"refitted": true'
check "--with, no such file" 5 una update nlm.una new.csv --with nothing.csv --out no.una
absent no.una
# words, missing cells and the settings of the first fit go into the second
awk 'BEGIN { print "size,colour,y"; for (i = 0; i < 60; i++) printf "%s,%s,%s\n", i % 9 == 4 ? "NA" : i / 7, i == 5 ? "violet" : i % 2 ? "red" : "blue", i + i % 2 }' >mixed.csv
printf 'y,colour,size\n5,blue,0.5\n9,green,NA\n' >more.csv
check "fit on words" 0 una fit mixed.csv --target y --model linear --missing mean --other 2 --quiet --out mixed.una
check "--with, words and missing cells" 0 una update mixed.una more.csv --with mixed.csv --out mixed-again.una --json
out '"rows": 62' '"refitted": true'
check "settings are kept" 0 una info mixed-again.una --json
out '"missing": "mean"' '"other": 2'
check "--with, a column is missing" 2 sh -c 'cut -d, -f1,2 more.csv >x.csv; "$UNA" update mixed.una x.csv --with mixed.csv --out no.una'
err "x.csv has no column 'size'"
absent no.una
# Options that a model brings may be a stranger's: files that they name are not opened.
printf 'x1,x2,h\n0.1,1,2\n0.5,2,3\n0.9,1,1\n' >heads.csv
for model in 'tuna(values=heads.csv, steps=5)' 'ensemble(of=tuna(values=heads.csv, steps=5), members=2)'; do
    check "a file in the options" 0 una fit train.csv --target y --model "$model" --out named.una --quiet
    check "--with, a file in the options of the model" 1 una update named.una new.csv --with train.csv --out no.una
    err "heads.csv, which is not opened" "values" "una fit"
    absent no.una
done
# The weights of a stack are found again, unless a person gave them; a stack from before there were trees gets them.
stack="auto(luna=none, gp=gp(optimise=no, noise=constant), trees=trees(trees=20, members=5), least_weight=0"
weights() { sed -n 's/.*\( weights=[^]]*\]\), gp_rows.*/\1/p' stdout.txt >"$1"; }
check "a stack" 0 una fit train.csv --target y --model "$stack)" --out stack.una --quiet
check "its weights" 0 una info stack.una --json
out 'weights=auto['
weights found.txt
check "the stack with --with" 0 una update stack.una new.csv --with train.csv --out stack-again.una
true_that "nothing is new in the stack" sh -c "! grep -q \"were added to the stack\" stdout.txt"
check "weighed again" 0 una info stack-again.una --json
out 'weights=auto['
weights again.txt
check "by other rows" 1 cmp -s found.txt again.txt
check "a stack with weights" 0 una fit train.csv --target y --model "$stack, weights=[0.75, 0.25])" --out given.una --quiet
check "given weights with --with" 0 una update given.una new.csv --with train.csv --out given-again.una
check "they stay" 0 una info given-again.una --json
out 'weights=[0.75, 0.25]'
check "a stack from before trees" 0 una update "$root/tests/fixtures/auto_0_1.una" new.csv --with train.csv --out older.una --json
out '"added": "trees"'
check "the same, said" 0 una update "$root/tests/fixtures/auto_0_1.una" new.csv --with train.csv --out older.una
out "trees were added to the stack" "--set trees=none"
check "target missing" 2 sh -c 'cut -d, -f1,2 new.csv >x.csv; "$UNA" update luna.una x.csv'
err "y"
tidy
# Rows that contradict the model, and the noise that they show.
law() { # ROWS SEED FACTOR-OF-X NOISE: y = FACTOR * x + noise of two signs
    awk -v n="$1" -v seed="$2" -v f="$3" -v s="$4" 'BEGIN { srand(seed); print "x,y"; for (i = 0; i < n; i++) { x = 2 * rand() - 1; e = 0; for (k = 0; k < 12; k++) e += rand() - 0.5; printf "%.6f,%.6f\n", x, f * x + s * e } }'
}
law 150 1 2 0.1 >old.csv
law 300 2 2 0.1 >same.csv
law 300 3 -2 0.1 >turned.csv
law 300 4 2 0.4 >loud.csv
law 300 5 2 0.4 >loud-test.csv
check "fit a line" 0 una fit old.csv --target y --model linear --out line.una --quiet
check "the same law" 0 una update line.una same.csv --out same.una --json
out '"updates": {"count": 1, "rows_added": 300, "mean_z2": ' '"warnings": []'
true_that "the same law is silent" test ! -s stderr.txt
check "a record" 0 una info same.una --json
out '"updates": {"count": 1, "rows_added": 300, "mean_z2": '
check "the record for people" 0 una info same.una
out "updates" "rows_added=300"
check "the function turned" 0 una update line.una turned.csv --out turned.una
err "the new rows contradict the model: " "do not follow one function" "una update --with OLD.csv"
check "the model says so" 0 una info turned.una
out "the new rows contradict the model: "
check "louder noise" 0 una update line.una loud.csv --out loud.una
err "the new rows contradict the model: " "the noise is larger" "--adapt"
check "louder noise, adapted" 0 una update line.una loud.csv --adapt --out adapted.una
true_that "adapted is silent" test ! -s stderr.txt
check "adapted, info" 0 una info adapted.una
out "the noise was adapted to new rows: 0.4"
check "adapted, score" 0 una score adapted.una loud-test.csv --json
true_that "adapted bands hold" sh -c "sed -n 's/.*\"coverage_95\": \([0-9.]*\).*/\1/p' stdout.txt | awk '{ exit !(\$1 >= 0.9) }'"
check "fitted again, the noise is kept" 0 una update line.una loud.csv --with old.csv --out kept.una --json
true_that "noise is kept" sh -c "sed -n 's/.*\"noise_std\": \([0-9.]*\).*/\1/p' stdout.txt | awk '{ exit !(\$1 < 0.12) }'"
check "fitted again with the noise of all rows" 0 una update line.una loud.csv --with old.csv --adapt --out again.una --json
true_that "noise is found again" sh -c "sed -n 's/.*\"noise_std\": \([0-9.]*\).*/\1/p' stdout.txt | awk '{ exit !(\$1 > 0.25) }'"
check "a stack fitted again with the noise of all rows" 0 una update stack.una new.csv --with train.csv --adapt --out no.una --quiet
check "a model that cannot adapt" 1 sh -c '"$UNA" fit train.csv --target y --model "nn(width=4, steps=10)" --out nn.una --quiet; "$UNA" update nn.una new.csv --adapt --out no2.una'
absent no2.una
tidy
