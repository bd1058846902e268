# SPDX-License-Identifier: MIT
# What a sentence advises can be done: `check` looks at every flag that is named on stderr (check_advice in lib.sh). Here
# are sentences that several verbs share, asked of verbs that have fewer flags than 'una fit'.
table 12 >old.csv
table 70 >many.csv
printf 'x1,x2,y\n1,,2\n0.5,1,1\n' >hole.csv
check "fit" 0 una fit old.csv --target y $fast --out m.una --quiet
check "update --with, a missing cell" 2 una update m.una hole.csv --with old.csv --out no.una
err "hole.csv, line 2, column 'x2' is missing; fill the cell, or use --missing drop"
absent no.una
check "and what it advises" 0 una update m.una hole.csv --with old.csv --missing drop --out drop.una
out "now rests on 13 rows"
check "or" 0 una update m.una hole.csv --with old.csv --missing mean --out mean.una
out "now rests on 14 rows"
check "it stays so" 0 una update drop.una hole.csv --with old.csv --out again.una
out "now rests on 13 rows"
check "without --with" 1 una update m.una hole.csv --missing drop --out no.una
err "--missing goes with --with OLD"
check "update without --with, a missing cell" 2 una update m.una hole.csv --out no.una
err "line 2, column 'x2' is missing: fill the cell, or fit the model with --missing mean"
absent no.una

words() { awk -v l="$1" 'BEGIN { print "k,y"; for (i = 0; i < 60; i++) print l i "," i }' >"$1.csv"; }
words a
words b
check "many words" 0 una fit a.csv --target y $fast --out words.una --quiet
check "update --with, too many words" 2 una update words.una b.csv --with a.csv --out no.una
err "holds 120 different words" "put the rows of both tables into one and give it to 'una fit'"
absent no.una

check "compare, an option of another kind" 1 una compare old.csv --target y --models 'auto(width=3)'
err "auto has no option 'width', but luna has it: give the model as 'luna(width=3)'"
for verb in gap tune compare; do
    more=(--model)
    [ $verb = compare ] && more=(--models)
    [ $verb = tune ] && more=(--over 'steps=10|20' --model)
    check "$verb: convolutions and a plain table" 1 una $verb many.csv --target y "${more[@]}" 'nlm(body=resnet)'
    err "use body=mlp"
done

# images: four of 4 x 4, named by rows
{ printf '\0\0\010\003\0\0\0\014\0\0\0\004\0\0\0\004'; for i in $(seq 192); do printf "\\$(printf %03o $((i * 37 % 256)))"; done; } >i.idx
awk 'BEGIN { print "index,y"; for (i = 0; i < 12; i++) print i "," i % 5 }' >rows.csv
printf 'index,y\n0,1\n1.5,2\n' >half.csv
check "fit of images" 0 una fit rows.csv --images i.idx --target y --model 'nlm(body=resnet(width=8,blocks=1,stem=small),steps=4,members=1)' --out i.una --quiet
for verb in predict score update; do
    check "$verb: half an image" 2 una $verb i.una half.csv --images i.idx
    err "half.csv, line 3, column 'index' holds 1.5, and images are named by whole numbers"
    check "$verb: no images" 1 una $verb i.una rows.csv
    err "rows.csv comes without any; name their file with --images"
done
check "fit: half an image" 2 una fit half.csv --images i.idx --target y --out no.una
err "holds 1.5" "or name another column with --index"
check "plot: no images" 1 una plot i.una rows.csv --what observed --out no.svg
err "name their file with --images"
check "and what it advises" 0 una plot i.una rows.csv --what observed --images i.idx --out o.svg
there o.svg
check "suggest: no images" 1 una suggest i.una --pool rows.csv
err "('una predict', score, update, explain and plot have it)"
absent no.svg
absent no.una

printf '{"a": {"type": "real", "low": 0, "high": 1}, "b": {"type": "real", "low": 0, "high": 1}}' >space.json
check "study" 0 una study new s.study --space space.json
printf 'a,b,value,note\n0.5,0.5,1,"two\nlines"\n0.5,7,1,x\n' >trials.csv
check "study import, a line below a cell of two lines" 2 una study import s.study trials.csv
err "trials.csv, line 4"
printf 'a|b|value\n0.5|0.25|1\n' >bars.csv
check "study import, told how it is written" 0 una study import s.study bars.csv --delimiter bar
out "1 of the 1 rows"
