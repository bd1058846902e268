# SPDX-License-Identifier: MIT
# Bayesian optimisation: a quick run, the same numbers whatever the threads, what is named wrongly, and data that is not there.
# shellcheck shell=bash
only_plain || return 0
check "quick" 0 una bench bayesopt --quick --models gp,luna,anchored,random,quasi
out "regret" "s a step" "10 fits made now" "branin" "random" "cannot tell" "On hartmann6 the GP"
has una-bench/bayesopt.csv "regret,test_error,step_seconds,step_seconds_mean,trainings,regret_0,regret_1,"
has una-bench/bayesopt.csv "bayesopt(steps=5)"
for words in "Regret along the steps" "Where it ended" "A search, step by step" "Minimising" "Thesis" "anchored" "Quick run"; do
    has una-bench/bayesopt.html "$words"
done
check "again" 0 una bench bayesopt --quick --models gp,luna,anchored,random,quasi --json
json experiment rows means claims fitted table page
out '"fitted": 0' '"model": "anchored"' '"data": "branin"'

for threads in 1 3; do
    check "$threads threads" 0 una bench bayesopt --models gp,random --tasks 'hartmann6, branin' --steps 6 --seeds 2 \
        --initial 4 --threads $threads --out "threads$threads" --quiet
    sed 's/"\([a-z]*\)[^"]*"/\1/g' "threads$threads/bayesopt.csv" |
        awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /seconds/) at[i] = 1 }
            { for (i in at) $i = ""; print }' >"rows$threads.txt"
done
same rows1.txt rows3.txt
has threads1/bayesopt.csv "bayesopt(initial=4, steps=6)"

check "an ensemble, which has no exact update" 0 una bench bayesopt --models 'ensemble(members=2, of=nn(steps=20))' \
    --tasks branin --steps 10 --seeds 1 --out members --quiet
out "1 fits made now"
check "the thesis's surrogates" 0 una bench bayesopt --models gp,bbvi,random --setup thesis --tasks branin --steps 4 \
    --seeds 1 --out thesis --quiet
has thesis/bayesopt.csv "bayesopt(setup=thesis, steps=4)"
has thesis/bayesopt.csv "optimise=grid"

check "an unknown task" 1 una bench bayesopt --tasks branin,sphere --models random --out never
err "no task 'sphere'" "hartmann6"
check "an unknown acquisition" 1 una bench bayesopt --models gp --acquisition luck --out never
err "log_ei"
check "an unknown model" 1 una bench bayesopt --models gpp --out never
err "gpp"
check "digits without data" 2 env -u UNA_DATA "$UNA" bench bayesopt --tasks logistic --models random --out never
err "MNIST" "--data FOLDER"
mkdir -p empty
check "digits that are not there" 2 una bench bayesopt --tasks logistic --models random --data empty --out never
err "mnist/train-images-idx3-ubyte.gz"
absent never
check "what it is built with" 0 una --version
out "svm" "SQLite"
