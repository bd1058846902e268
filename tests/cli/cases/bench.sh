# SPDX-License-Identifier: MIT
# Experiments: the list, a small run, taking it up again, and mistakes.
check "bench lists" 0 una bench
out "cubic"
check "bench lists, JSON" 0 una bench --json
json experiments
check "bench cubic" 0 una bench cubic --quick --models linear,nlm --seeds 1
out "gap std" "data std" "linear" "nlm(penalty=10" "not tested" "NLM's gap std falls" "4 fits made now, 0 were there"
there una-bench/cubic.csv
there una-bench/cubic.html
has una-bench/cubic.csv "model,spec,seed,gap_std,data_std,rmse,seconds"
has una-bench/cubic.html "Claims of the thesis"
tidy_rows() { [ "$(wc -l <una-bench/cubic.csv)" -eq "$1" ]; }
true_that "four rows and a header" tidy_rows 5
cp una-bench/cubic.csv before.csv
check "again" 0 una bench cubic --quick --models linear,nlm --seeds 1
out "0 fits made now, 4 were there"
same before.csv una-bench/cubic.csv
check "one seed more, and a spec" 0 una bench cubic --quick --models 'linear, linear(degree=3, prior_var=1)' --seeds 2 --json
json experiment rows means claims fitted table page
out '"spec": "linear(degree=3, prior_var=1)"' '"fitted": 3'
true_that "rows of other models stay" tidy_rows 8
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
err "seed" "cubic.csv"
check "folder cannot be made" 5 una bench cubic --models linear --out no/such
err "no/such"
