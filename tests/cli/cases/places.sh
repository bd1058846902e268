# SPDX-License-Identifier: MIT
# Where files go: nothing that is read or written is overwritten by something else, and no place loses a file.
table 60 >train.csv
table 20 3 >more.csv
cp train.csv train.kept
cp more.csv more.kept
una fit train.csv --target y $fast --out model.una --quiet
cp model.una model.kept

apart() {       # apart NAME TEXT... -- ARGUMENTS...: refused at once, and every file is as it was
    local title=$1 texts=()
    shift
    while [ "$1" != -- ]; do texts+=("$1"); shift; done
    shift
    check "$title" 1 una "$@"
    err "would overwrite" "another name" "${texts[@]}"
    no_out
    same train.csv train.kept
    same more.csv more.kept
    same model.una model.kept
}
apart "model over data" "--out train.csv" "DATA train.csv" -- fit train.csv --target y $fast --out train.csv
apart "model over validation rows" "--out more.csv" "--valid more.csv" -- fit train.csv --target y --model luna $quick --valid more.csv --out more.csv
apart "report over data" "--report ./train.csv" "DATA train.csv" -- fit train.csv --target y $fast --report ./train.csv
apart "report over the model" "--report new.una" "--out new.una" -- fit train.csv --target y $fast --out new.una --report new.una
apart "report over the model, another spelling" "--report ./new.una" "--out new.una" -- fit train.csv --target y $fast --out new.una --report ./new.una
apart "the model's own name" "--report train.una" "--out train.una" -- fit train.csv --target y $fast --report train.una
apart "chart over the report" "--chart c.svg" "--report c.svg" -- fit train.csv --target y $fast --report c.svg --chart c.svg
apart "answers over data" "--out more.csv" "DATA more.csv" -- predict model.una more.csv --out more.csv
apart "answers over the model" "--out model.una" "MODEL model.una" -- predict model.una more.csv --out model.una
apart "update over new rows" "--out more.csv" "DATA more.csv" -- update model.una more.csv --out more.csv
apart "update over old rows" "--out train.csv" "--with train.csv" -- update model.una more.csv --with train.csv --out train.csv
apart "demo" "--chart d.svg" "--report d.svg" -- demo --seeds 1 --report d.svg --chart d.svg
apart "model over an option's file" "--out more.csv" "--set more.csv" -- fit train.csv --target y --model tuna --set copies=1,values=more.csv --out more.csv
apart "model over a spec's file" "--out more.csv" "--model more.csv" -- fit train.csv --target y --model 'tuna(values="more.csv", copies=1)' --out more.csv
cp more.csv "my more.csv"
cp more.csv more
apart "a name with a blank" "--out my more.csv" "--set my more.csv" -- fit train.csv --target y --model tuna --set "values=my more.csv" --out "my more.csv"
apart "a name without an ending" "--out more" "--model more" -- fit train.csv --target y --model 'tuna(values=more )' --out more
ln -s train.csv link.csv
ln train.csv twin.csv
ln -s later.una early.una
mkdir folder
apart "through a link" "--out link.csv" "DATA train.csv" -- fit train.csv --target y $fast --out link.csv
apart "through a hard link" "--out twin.csv" "DATA train.csv" -- fit train.csv --target y $fast --out twin.csv
apart "through a link to nothing yet" "--report early.una" "--out later.una" -- fit train.csv --target y $fast --out later.una --report early.una
apart "through a folder" "--report folder/../new.una" "--out new.una" -- fit train.csv --target y $fast --out new.una --report folder/../new.una
absent new.una
absent train.una
absent later.una
check "same name, another folder" 0 una fit train.csv --target y $fast --out folder/train.csv --quiet
same train.csv train.kept
check "a link to nothing yet" 0 una fit train.csv --target y $fast --out early.una --quiet
true_that "the link stays" test -L early.una
same later.una model.una

# Folders of results: the table in it is not the one that is read.
mkdir results
for verb in compare tune; do
    cp train.csv results/$verb.csv
    cp train.csv $verb.csv
    how="--models linear --folds 2"
    [ $verb = compare ] || how="--model linear --over degree=1|2"
    apart "$verb in the folder of its data" "--out results/$verb.csv" "DATA results/$verb.csv" -- $verb results/$verb.csv --target y $how --out results
    apart "$verb here" "--out ./$verb.csv" "DATA $verb.csv" -- $verb $verb.csv --target y $how --out .
    same results/$verb.csv train.kept
    same $verb.csv train.kept
    rm $verb.csv
done
apart "a file that a list of models names" "--report more.csv" "--models more.csv" -- compare train.csv --target y --models 'linear,tuna(values=more.csv)' --report more.csv

# Every file that a verb writes against every other one that it reads or writes, as its tables have them, so that no
# flag of tomorrow is left out: under the same name, another spelling, a link, a hard link, and, of two that are
# written, before there is a file. One of the four names for each pair here, all four in the long tier.
others() { awk -F'\t' -v verb="$1" -v but="$2" '$1 == verb && $2 != but && ($3 == "read" || $3 == "written") { print $2 }' files.txt; }
clash() {       # clash VERB WRITTEN OTHER NAME SAME: given NAME and SAME
    local words thing sort i=0
    read -ra words <<<"$1"
    while IFS=$'\t' read -r _ thing sort; do
        case $thing in
            "$3") if [ "${thing#--}" = "$thing" ]; then words+=("$5"); else words+=("$thing" "$5"); fi ;;
            --*) ;;
            *) i=$((i + 1)) && if [ "$sort" = word ]; then words+=(word); else words+=(walk/operand-$i); fi ;;
        esac
    done < <(awk -F'\t' -v verb="$1" '$1 == verb' files.txt)
    una "${words[@]}" "$2" "$4" >stdout.txt 2>stderr.txt </dev/null
    [ $? -eq 1 ] && grep -q "would overwrite" stderr.txt
}
una --dump-files >files.txt
mkdir walk
for i in 1 2 3; do cp train.csv walk/operand-$i; done
cp train.csv walk/a
ln walk/a walk/twin
ln -s a walk/link
pairs=0 forms=(walk/a ./walk/a walk/link walk/twin)
while IFS=$'\t' read -r verb written sort; do
    [ "$sort" = written ] || continue
    for other in $(others "$verb" "$written"); do
        pairs=$((pairs + 1))
        tried=("${forms[$((pairs % 4))]}")
        [ -z "${UNA_TEST_LONG:-}" ] || tried=("${forms[@]}")
        name="$verb $written"
        for form in "${tried[@]}"; do
            if ! clash "$verb" "$written" "$other" "$form" walk/a; then
                fail "$verb: $written $form and $other walk/a are one file" "$(cat stdout.txt stderr.txt)"
            fi
        done
        grep -qF "$verb	$other	written" files.txt || continue
        if ! clash "$verb" "$written" "$other" walk/new ./walk/new; then
            fail "$verb: $written and $other would be one file" "$(cat stdout.txt stderr.txt)"
        fi
    done
done <files.txt
name="every two files of every verb"
true_that "there were many ($pairs)" test "$pairs" -gt 30
same walk/a train.kept
absent walk/new
# What looks like a file in the help is one in the tables.
for verb in $(cut -f1 files.txt | tr ' ' _ | uniq); do
    una ${verb/_/ } --help | sed -n 's/^ *\(--[a-z-]*\) \(.*FILE.*\|CSV\|MODEL\|FILE.html\)\( .*\)*$/\1/p' | while read -r flag; do
        case "$verb $flag" in *" --model") continue ;; esac
        grep -qF "${verb/_/ }	$flag" files.txt || fail "$verb $flag is a file that the tables do not know as one"
    done
done

cp model.una update.una
check "update over itself" 0 una update update.una more.csv --quiet
cp model.una again.una
check "update over itself, by name" 0 una update again.una more.csv --out ./again.una --quiet
same update.una again.una
check "fit over an older model" 0 una fit train.csv --target y $fast --out again.una --quiet
same again.una model.una
check "nothing to overwrite in /dev/null" 0 una fit train.csv --target y $fast --out /dev/null --report /dev/null
check "a folder" 5 una fit train.csv --target y $fast --out folder
err "folder" "--out"
check "a folder, predict" 5 una predict model.una more.csv --out folder
true_that "the folder stays" test -f folder/train.csv

# SQLite's own files beside a study are parts of it, whether they are there now or not.
echo '{"x": {"type": "real", "low": 0, "high": 1}}' >space.json
una study new q.study --space space.json --acquisition random --quiet
una study ask q.study >asked.txt
ln -s q.study q.link
for ending in wal shm journal; do
    for line in "export q.study csv --out q.study-$ending" "export q.link csv --out ./folder/../q.study-$ending" \
                "show q.study --page q.study-$ending" "show q.study --chart q.study-$ending"; do
        read -ra words <<<"$line"
        check "study $line" 1 una study "${words[@]}"
        err "would overwrite a part of the database" "another name"
        absent "q.study-$ending"
    done
done
check "a longer name is another file" 0 una study export q.study csv --out q.study-journal.csv
check "the same name in another folder" 0 una study export q.study csv --out folder/q.study-wal
check "no database, no files beside it" 0 una fit train.csv --target y $fast --out train.csv-wal --quiet
check "the study is there" 0 una study show q.study

# The standard output is a stream, whatever it leads to.
una predict model.una more.csv >plain.csv
una predict model.una more.csv --out /dev/stdout >redirected.csv 2>stderr.txt
name="--out /dev/stdout, redirected"
same plain.csv redirected.csv
no_err
una predict model.una more.csv --out /dev/stdout | cat >piped.csv
same plain.csv piped.csv
{ echo before; una predict model.una more.csv --out /dev/fd/1; echo after; } >between.csv
{ echo before; cat plain.csv; echo after; } >wanted.csv
same wanted.csv between.csv
una fit train.csv --target y $fast --out /dev/stdout >stream.una
same stream.una model.una
check "the JSON object needs the standard output" 1 una fit train.csv --target y $fast --out /dev/stdout --json
err "--json"
no_out
mkfifo pipe
cat pipe >through.csv &
check "a pipe with a name" 0 una predict model.una more.csv --out pipe --quiet
wait $!
same plain.csv through.csv
true_that "the pipe stays" test -p pipe

# A plain file among devices is a plain file.
if shm=$(mktemp -d /dev/shm/una-XXXXXX 2>/dev/null); then
    for i in 1 2; do check "/dev/shm, fit $i" 0 una fit train.csv --target y $fast --out "$shm/m.una" --quiet; done
    same "$shm/m.una" model.una
    check "/dev/shm, update" 0 una update "$shm/m.una" more.csv --quiet
    same "$shm/m.una" update.una
    check "/dev/shm, predict" 0 una predict "$shm/m.una" more.csv --out "$shm/a.csv" --quiet
    check "/dev/shm, predict again" 0 una predict model.una more.csv --out "$shm/a.csv" --quiet
    same "$shm/a.csv" plain.csv
    check "a report" 0 una fit train.csv --target y $fast --report page.html --chart chart.svg --quiet
    for i in 1 2; do
        check "/dev/shm, report $i" 0 una fit train.csv --target y $fast --report "$shm/page.html" --chart "$shm/chart.svg" --quiet
    done
    same "$shm/chart.svg" chart.svg
    true_that "as many bytes as elsewhere" test "$(grep -c '</html>' "$shm/page.html")" -eq 1
    true_that "no temporary files in /dev/shm" test "$(ls -A "$shm" | wc -l)" -eq 4
    rm -r "$shm"
else
    skip "there is no /dev/shm to write to"
fi
tidy
