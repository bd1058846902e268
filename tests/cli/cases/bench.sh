# SPDX-License-Identifier: MIT
# Experiments: the list, a small run, taking it up again, and mistakes.
check "bench lists" 0 una bench
out "cubic" "uci" "gap" "split"
check "bench lists, JSON" 0 una bench --json
json experiments
check "bench cubic" 0 una bench cubic --quick --models linear,nlm --seeds 1
out "gap std" "data std" "linear" "penalty=10, prior_var=1)" "cannot tell" "NLM's gap std falls" "4 fits made now, 0 were there"
there una-bench/cubic.csv
there una-bench/cubic.html
there una-bench/cubic.md
for part in functions.svg functions.$png means.csv means.md means.tex truth.csv claims.tex; do there "una-bench/cubic-$part"; done
has una-bench/cubic.md "![The functions.](cubic-functions.svg)"
has una-bench/cubic.md "| NLM's gap std falls as its penalty grows | "
has una-bench/cubic-means.csv "model,seeds,gap std,gap std sd,data std,"
has una-bench/cubic.csv "study,data,split,spec,seed,results,gap_std,data_std,rmse,centre_std,ripple,gap_inside,gap_log_lik,beyond_std,beyond_inside,beyond_log_lik,seconds,kernels,commit,options"
has una-bench/cubic.html "Claims of the thesis"
tidy_rows() { [ "$(wc -l <una-bench/cubic.csv)" -eq "$1" ]; }
true_that "four rows and a header" tidy_rows 5
cp una-bench/cubic.csv before.csv
check "again" 0 una bench cubic --quick --models linear,nlm --seeds 1
out "0 fits made now, 4 were there"
same before.csv una-bench/cubic.csv
check "said in full" 0 una bench cubic --full --models 'linear' --seeds 1 --json --out infull
out '"fitted": 1' '"out": "infull"' '{"sentence": "The GP' '"verdict": "cannot tell", "numbers": "needs gp"'
check "quick and full" 1 una bench cubic --quick --full --models linear --out never
err "--quick and --full do not go together"
absent never
check "one seed more, and a spec" 0 una bench cubic --quick --models 'linear, linear(degree=3, prior_var=1)' --seeds 2 --json
json experiment rows means claims fitted table page out
out '"spec": "linear(degree=3, prior_var=1)"' '"fitted": 3'
true_that "rows of other models stay" tidy_rows 8
check "a spec" 0 una bench cubic --models 'nlm(penalty=1, steps=20)' --seeds 1 --out written --json
out '"spec": "nlm(steps=20, penalty=1)"' '"fitted": 1'
check "the same spec in other words" 0 una bench cubic --models 'nlm(penalty=1.0, steps=2e1)' --seeds 1 --out written --json
out '"spec": "nlm(steps=20, penalty=1)"' '"fitted": 0'
check "folder of one's own" 0 una bench cubic --models linear --seeds 1 --out mine --quiet
there mine/cubic.html
check "unknown experiment" 1 una bench cubik
err "did you mean 'cubic'"
check "unknown experiment, far away" 1 una bench xyzzyplugh
err "una bench"
check "unknown model" 1 una bench cubic --models linear,lunna --out never
err "did you mean 'luna'"
absent never
check "wrong option" 1 una bench cubic --models 'linear(degre=3)' --out never
err "degree"
absent never
check "no model" 1 una bench cubic --models ' , '
err "--models"
mkdir bad && printf 'model,spec\na,b\n' >bad/cubic.csv
check "not a table of results" 2 una bench cubic --models linear --seeds 1 --out bad
err "study" "cubic.csv"
check "folder cannot be made" 5 una bench cubic --models linear --out no/such
err "no/such"
for flags in "--export x.csv" "--import x.csv" --quick "--models gp" "--seeds 3"; do
    check "no experiment: $flags" 1 una bench $flags
    err "which experiment?"
done
touch file && ln -s nowhere dangling && mkfifo pipe
for way in "" "--export x.csv"; do
    check "the folder is a file $way" 5 una bench cubic --models linear --out file $way
    err "file cannot be the folder of the results: it is not a folder but a file"
    check "the folder is a pipe $way" 5 una bench cubic --models linear --out pipe $way
    err "not a folder but a file"
    check "the folder is a link to nothing $way" 5 una bench cubic --models linear --out dangling $way
    err "leads nowhere"
    check "the folder is in a file $way" 5 una bench cubic --models linear --out file/in $way
    err "a part of its name is not a folder"
    check "the folder has no name $way" 1 una bench cubic --models linear --out '' $way
    err "has no name"
done
check "no folder for the folder" 5 una bench cubic --models linear --out no/such
err "is not there; make that one first"
check "import of a pipe" 2 timeout 20 "$UNA" bench cubic --import pipe --out never
err "pipe is not a plain file"
for part in cubic.csv cubic.html cubic.md cubic-means.tex cubic-functions.$png bench.sqlite; do
    mkdir "pipe-$part" && mkfifo "pipe-$part/$part"
    check "a pipe as $part" 2 timeout 20 "$UNA" bench cubic --models linear --seeds 1 --out "pipe-$part"
    err "$part is not a plain file"
done
check "a bad option of an experiment" 1 una bench cubic --models linear --seeds 0 --out never
err "seeds" "1 to 1000"
check "an option of another experiment" 1 una bench cubic --models linear --group valid --out never
err "cubic has no option 'group'"
absent never
check "flags come from the tables" 0 una bench --help
out "--seeds N" "--data TEXT" "--group WORD" "uci, gap, scale, bayesopt, bias: folder of the data"

# Rows out and in.
check "export" 0 una bench cubic --export rows.csv
out "7 rows were written to rows.csv"
same rows.csv una-bench/cubic.csv
# Nothing else that the folder keeps is written over, by whatever name.
ln una-bench/bench.sqlite store.csv
cp una-bench/bench.sqlite store.before
kept=$(ls una-bench/*.una | head -n 1)
for goal in una-bench/bench.sqlite store.csv una-bench/cubic.html una-bench/cubic.md una-bench/cubic-means.csv "$kept" una-bench/uci.csv ./una-bench//gap.html; do
    check "export over $goal" 1 una bench cubic --export "$goal"
    err "another name"
done
ln -s una-bench/gap.csv nothing.csv
check "export through a link to nothing" 1 una bench cubic --export nothing.csv
err "another name"
absent una-bench/gap.csv
same store.before una-bench/bench.sqlite
absent una-bench/uci.csv
check "export to a folder" 5 una bench cubic --export una-bench
err "it is a folder"
check "export over the own table" 0 una bench cubic --export una-bench/cubic.csv
same rows.csv una-bench/cubic.csv
check "import" 0 una bench cubic --import rows.csv --out other
out "7 rows are in rows.csv, and 7 of them were new"
cp una-bench/cubic-*.una other/       # else they are fitted again for the picture
check "import, and on from there" 0 una bench cubic --quick --models linear,nlm --seeds 1 --out other
out "0 fits made now, 4 were there"
check "import again, JSON" 0 una bench cubic --import rows.csv --out other --json
json experiment rows added
out '"added": 0'
check "import of another experiment" 2 una bench gap --import rows.csv --out other
err "line 2" "another study"
awk 'NR == 1 { sub(/,ripple,/, ",ripple,\"a,b\",") } NR > 1 { sub(/,[0-9.e-]+,"(generic|avx)/, ",7&") } 1' rows.csv >foreign.csv
check "export to stdout" 0 una bench cubic --export /dev/stdout
same stdout.txt rows.csv
check "a foreign column" 0 una bench cubic --import foreign.csv --out foreign
check "a foreign column, out" 0 una bench cubic --export again.csv --out foreign
check "a foreign column, in again" 0 una bench cubic --import again.csv --out further
check "a spec with a file" 1 una bench cubic --models 'tuna(values=rows.csv)'
err "names a file"
check "a spec with a file inside" 1 una bench cubic --models 'ensemble(members=2, of=tuna(values=rows.csv))'
err "names a file"
check "both at once" 1 una bench cubic --import rows.csv --export more.csv
err "--export and --import"
check "export from nowhere" 5 una bench cubic --export more.csv --out nowhere
err "nowhere"
mkdir empty
check "export from an empty folder" 2 una bench cubic --export more.csv --out empty
err "no results of cubic"
true_that "it is empty still" test -z "$(ls -A empty)"
check "export of another experiment" 2 una bench gap --export more.csv
err "no results of gap"
absent more.csv
mkdir tables && cp rows.csv tables/cubic.csv
check "export from a table alone" 0 una bench cubic --export more.csv --out tables
same rows.csv more.csv
true_that "no store was made" test "$(ls -A tables)" = cubic.csv
mkdir locked && cp una-bench/bench.sqlite locked/ && chmod 444 locked/bench.sqlite && chmod 555 locked
check "export from a folder that is read only" 0 una bench cubic --export more.csv --out locked
same rows.csv more.csv
true_that "it is as it was" test "$(ls -A locked)" = bench.sqlite
same locked/bench.sqlite una-bench/bench.sqlite
chmod 755 locked
check "import of nothing" 5 una bench cubic --import nothing.csv --out nowhere
absent nowhere
mkdir edited && cp una-bench/* edited/ 2>/dev/null
awk -F, -v OFS=, 'NR == 3 { $7 = 1e6 } { print }' rows.csv >edited/cubic.csv
check "a table that was edited" 2 una bench cubic --quick --models linear,nlm --seeds 1 --out edited
err "edited/cubic.csv, line 3" "'gap_std'" "1000000" "edited/bench.sqlite" "remove one"
mkdir torn && head -c -30 rows.csv >torn/cubic.csv
check "a torn line" 2 una bench cubic --models linear --seeds 1 --out torn
err "torn/cubic.csv"
head -n 3 rows.csv >torn/cubic.csv
printf '"cubic","cubic",0,"linear",0,1,0.5' >>torn/cubic.csv
check "a half line" 2 una bench cubic --models linear --seeds 1 --out torn
err "line 4"
mkdir healthy && cp una-bench/bench.sqlite healthy/ && cp torn/cubic.csv healthy/
check "a half line beside a store" 2 una bench cubic --quick --models linear,nlm --seeds 1 --out healthy
err "line 4" "move healthy/cubic.csv away: it is written again from the store"
rm healthy/cubic.csv
cp una-bench/cubic-*.una healthy/
check "moved away" 0 una bench cubic --quick --models linear,nlm --seeds 1 --out healthy
out "0 fits made now"
same rows.csv healthy/cubic.csv
head -c 200 rows.csv >torn/bench.sqlite
check "not a store" 2 una bench cubic --models linear --seeds 1 --out torn
err "bench.sqlite" "not a store"

# Stores of something else.
table 30 >few.csv
echo '{"x": {"type": "real", "low": 0, "high": 1}}' >line.json
una study new a.study --space line.json --acquisition quasi >/dev/null
una tune few.csv --target y --model linear --over 'degree=1|2' --out tuned >/dev/null 2>&1
mkdir strange && cp a.study strange/bench.sqlite
check "a study as the store" 2 una bench cubic --models linear --seeds 1 --out strange
err "strange/bench.sqlite is a study, not a store of results"
same a.study strange/bench.sqlite
cp tuned/tune.sqlite strange/bench.sqlite
for way in "--models linear --seeds 1" "--export more.csv"; do
    check "the store of una tune $way" 2 una bench cubic $way --out strange
    err "strange/bench.sqlite has results of 'tune" "of no experiment of this una; choose another folder"
done
absent strange/cubic.csv
check "beside the store of una tune" 0 una bench cubic --models linear --seeds 1 --out tuned
mkdir wrong && cp rows.csv wrong/split.csv
check "the rows of another experiment" 2 una bench split --models linear --sets 'line kinks 1' --seeds 1 --out wrong
err "wrong/split.csv, line 2" "another study"

# Interrupted: what was finished is there, and the same command goes on.
"$UNA" bench cubic --models 'linear,nn(steps=1000000)' --seeds 1 --threads 1 --out stopped >stdout.txt 2>stderr.txt &
process=$!
for _ in $(seq 200); do
    [ -n "$(ls stopped/*.una 2>/dev/null)" ] && break        # the linear model is finished
    sleep 0.1
done
sleep 0.2
kill -TERM "$process"
wait "$process"
status=$?
name="interrupted"
true_that "exit status 130" test "$status" -eq 130
err "stopped/cubic.csv" "goes on from there"
true_that "the finished row was written" test "$(grep -c '"linear"' stopped/cubic.csv)" -eq 1
check "and on" 0 una bench cubic --models linear --seeds 1 --out stopped
out "0 fits made now, 1 were there"
