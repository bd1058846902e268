# SPDX-License-Identifier: MIT
# Small studies: some of them by name, what they write, the same numbers whatever the threads, and mistakes.
# shellcheck shell=bash
only_plain || return 0
for threads in 1 3; do
    check "$threads threads" 0 una bench studies --quick --study tuna_length,blow_up,likelihood_blind --seeds 1 \
        --models 'linear(degree=3),linear,gp' --threads $threads --out "threads$threads" --quiet
done
for table in tuna_length blow_up likelihood_blind; do
    same "threads1/studies-$table.csv" "threads3/studies-$table.csv"
done
out "39 fits made now" "tuna_length 0.15" "blow_up 1000" "needs luna_heads" "cannot tell"
has threads1/studies.csv ",gap_share,test_log_lik,test_rmse,mean_cos2,misfit,evidence,evidence_printed,seconds,"
for words in "TUNA by length scale" "The blow-up of features" "What the likelihood does not tell" "length scale = 15" \
    "Quick run"; do
    has threads1/studies.html "$words"
done
true_that "no heading of what was not run" test -z "$(grep -o 'LUNA by depth</h2>' threads1/studies.html)"
for file in studies.md studies-tuna_length.svg studies-tuna_length-functions.$png studies-tuna_length.tex \
    studies-blow_up.csv studies-likelihood_blind.$png; do
    true_that "$file is there" test -s "threads1/$file"
done
check "again" 0 una bench studies --quick --study blow_up --seeds 1 --out threads1 --json
json experiment rows means claims fitted table page
out '"fitted": 0' '"data": "blow_up 30"'
check "an unknown study" 1 una bench studies --study luna_hats --out never
err "no study 'luna_hats'" "nlm_penalty" "likelihood_blind"
absent never
