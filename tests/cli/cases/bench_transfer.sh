# SPDX-License-Identifier: MIT
# The squiggle's transfer from outside: a small run, its files, its claims, and what is refused.
# shellcheck shell=bash
only_plain || return 0
models='luna(steps=20, members=1),nlm(steps=20, members=1),gp'
check "small" 0 una bench transfer --models "$models" --features 2,4 --seeds 3 --json
out '"experiment": "transfer"' '"verdict": "holds"' 'Too much uncertainty' 'needs luna and sngp'
for words in "squiggle, 4 features" "squiggle, too little" log_lik_evidence; do has una-bench/transfer.csv "$words"; done
for words in "By the number of features" "How likelihood sees uncertainty"; do has una-bench/transfer.html "$words"; done
for file in features.svg features.$png bands.svg known.csv known.tex alphas.md evidence.md others.csv bands.tex claims.csv; do
    check "its file $file" 0 test -s "una-bench/transfer-$file"
done
check "again" 0 una bench transfer --models "$models" --features 2,4 --seeds 3 --json
out '"fitted": 0'
check "no features to keep" 1 una bench transfer --models mcd --out never
err "keeps no features"
check "no such number" 1 una bench transfer --models nlm --features 4,many --out never
err "whole numbers from 1 to 4096"
