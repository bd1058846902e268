# SPDX-License-Identifier: MIT
# Small things a person meets: standard streams, files that are replaced, rows given twice, completion, other programs'
# verbs.
table 60 >train.csv
table 20 5 >more.csv
cut -d, -f1,2 more.csv >new.csv

# ---- "-" is the standard input and output
check "fit" 0 una fit train.csv --target y $fast --out file.una --quiet
check "fit -" 0 sh -c "'$UNA' fit - --target y $fast --out stream.una --quiet <train.csv"
same file.una stream.una
check "fit - without --out" 1 una fit - --target y $fast
err "the standard input has no name that the model could take" "--out"
check "fit to -" 0 sh -c "'$UNA' fit - --target y $fast --out - <train.csv >piped.una"
same file.una piped.una
check "predict" 0 una predict file.una new.csv --out answers.csv --quiet
check "predict -" 0 sh -c "cat new.csv | '$UNA' predict file.una - --out -"
no_err
same stdout.txt answers.csv
check "predict - with --keep" 0 sh -c "cat more.csv | '$UNA' predict file.una - --keep | head -n 1"
out "y,mean"
check "--out - and --json" 1 una predict file.una new.csv --out - --json
err "the object of --json cannot share the standard output"
check "score" 0 una score file.una more.csv --json
cp stdout.txt scored.txt
check "score -" 0 sh -c "'$UNA' score file.una - --json <more.csv"
same stdout.txt scored.txt
check "update" 0 una update file.una more.csv --out one.una --quiet
check "update -" 0 sh -c "'$UNA' update file.una - --out two.una --quiet <more.csv"
same one.una two.una
echo 'high: x1 > 0' >concepts.txt
check "explain -" 0 sh -c "'$UNA' explain file.una - --concepts concepts.txt --out - <more.csv"
out "row,mean,std_epistemic"
check "report to -" 0 una fit train.csv --target y $fast --out m.una --report - --quiet
out "<!DOCTYPE html>"
check "two of them" 1 una update file.una - --with - --out never.una
err "can be read only once" "2 tables"
check "two operands" 1 una tune - - --over 'degree=1|2' --model linear
err "can be read only once"
check "a model from there" 1 una predict - new.csv
err "MODEL must be the name of a file"
absent never.una

# ---- what is replaced
rm -f m.una
check "nothing there" 0 una fit train.csv --target y $fast --out m.una --json
out '"replaced": null'
check "a model there" 0 una fit train.csv --target y --model gp --out m.una
out "replaced: a model of kind linear was there"
check "a model there, JSON" 0 una fit train.csv --target y $fast --out m.una --json
out '"replaced": "gp"'
echo "a,b" >m.una
check "no model there" 0 una fit train.csv --target y $fast --out m.una
out "replaced a file that was no model"
check "update over another" 0 una update file.una more.csv --out m.una
out "replaced: a model of kind linear was there"
check "update over itself" 0 una update m.una more.csv --json
out '"replaced": "linear"'

# ---- endings
for ending in pdf svg txt; do
    check "--report r.$ending" 1 una fit train.csv --target y --out never.una --report r.$ending
    err "--report r.$ending" ".html" "--chart writes .svg, .pdf and .png"
done
check "--report without an ending" 1 una fit train.csv --target y --out never.una --report report
check "--report of gap" 1 una gap train.csv --target y --report r.pdf
err ".html"
check "--report of explain" 1 una explain file.una more.csv --concepts concepts.txt --report r.png
err ".html"
absent never.una
check ".htm" 0 una fit train.csv --target y $fast --out m.una --report r.htm --quiet
there r.htm

# ---- rows that were there before
check "gp" 0 una fit train.csv --target y --model gp --out gp.una --quiet
check "rows of the training" 0 una update gp.una train.csv --out gp2.una
err "warning: train.csv: 60 of 60 rows have the same inputs and target as rows that the model rests on already"
check "new rows" 0 una update gp.una more.csv --out gp2.una
no_err
check "the same again" 0 una update gp2.una more.csv --out gp3.una
err "20 of 20 rows"
tail -n 2 more.csv | cat more.csv - >doubled.csv
check "twice in one table" 0 una update file.una doubled.csv --out m.una
err "doubled.csv: 2 of 22 rows" "earlier row of the table (the first is row 21)"
check "quiet" 0 una update file.una doubled.csv --out m.una --quiet
no_err
head -n 4 train.csv >some.csv
check "among the old rows" 0 una update file.una some.csv --with train.csv --out m.una
err "3 of 3 rows of some.csv have the same inputs and target as rows of the old table"

# ---- what is shown
check "fit" 0 una fit train.csv --target y --model gp --out digits.una
out "(rounded; una info"
true_that "no long numbers" test -z "$(grep -oE '[0-9]\.[0-9]{9,}' stdout.txt)"
check "info of it" 0 una info digits.una
true_that "every digit" grep -qE '[0-9]\.[0-9]{9,}' stdout.txt
check "info" 0 una info file.una
true_that "options once" test "$(grep -c 'degree=1' stdout.txt)" -eq 1
check "info --json" 0 una info file.una --json
json spec options
check "flags of score" 0 una score --help
true_that "nothing of caches" test "$(grep -cE -- '--(no-cache|verify-cache|no-scratch|seed)' stdout.txt)" -eq 0
check "a flag that it lacks" 1 una score file.una more.csv --no-cache
for pair in train:fit learn:fit test:score evaluate:score describe:info apply:predict optimize:tune; do
    check "una ${pair%:*}" 1 una "${pair%:*}" train.csv
    err "una has no '${pair%:*}'; did you mean 'una ${pair#*:}'?"
done
check "una cv" 1 una cv train.csv
err "una has no 'cv'; did you mean 'una "

# ---- completion
printf '"first, one";second;$(touch hacked)\n1;2;3\n' >odd.csv
check "names of columns" 0 una --dump-columns odd.csv
out "first, one" "second"
check "of no file" 0 una --dump-columns nothing.csv
no_out
gzip -kf train.csv
check "of no text" 0 una --dump-columns train.csv.gz
no_out
check "bash completes columns" 0 bash -c "
    PATH=$(dirname "$UNA"):\$PATH; source <('$UNA' --dump-completion bash)
    try() { COMP_WORDS=(\"\$@\"); COMP_CWORD=\$((\$# - 1)); COMPREPLY=(); _una; printf '%s|' \"\${COMPREPLY[@]}\"; echo; }
    try una fit train.csv --target x; try una fit train.csv --drop x1,x; try una fit odd.csv --target ''; try una tune --only y train.csv"
out "x1|x2|" "x1,x1|x1,x2|" 'first, one|second|$(touch hacked)|'
absent hacked
for shell in zsh fish; do
    check "$shell asks for columns" 0 una --dump-completion $shell
    out "--dump-columns"
done

# ---- make install: the loader is told where a person of all rights installs in a place of the system
mkdir stubs
printf '#!/bin/sh\nexit 0\n' >stubs/cmake
printf '#!/bin/sh\necho 0\n' >stubs/id
printf '#!/bin/sh\ntouch "%s/told"\n' "$PWD" >stubs/ldconfig
chmod +x stubs/*
check "make install" 0 env PATH="$PWD/stubs:$PATH" make -C "$root" -o build install
true_that "ldconfig ran" rm told
check "make install into a folder" 0 env PATH="$PWD/stubs:$PATH" make -C "$root" -o build install DESTDIR="$PWD/package"
absent told
check "make install to another place" 0 env PATH="$PWD/stubs:$PATH" make -C "$root" -o build install PREFIX="$PWD/own"
absent told
printf '#!/bin/sh\necho 1000\n' >stubs/id
check "make install by somebody else" 0 env PATH="$PWD/stubs:$PATH" make -C "$root" -o build install
absent told
