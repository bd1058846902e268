# SPDX-License-Identifier: MIT
# Two targets from outside: a small run, its files and its claims; the same numbers whatever the threads.
# shellcheck shell=bash
only_plain || return 0
short='steps=20, members=1, prior_var=1'
models="luna($short),luna($short, target_cosine=jacobian),gp"
for threads in 1 3; do
    check "$threads threads" 0 una bench targets --models "$models" --seeds 1 --threads $threads --out "threads$threads" --json
    out '"experiment": "targets"' 'within 0.05 of two single fits' '"verdict": "cannot tell"' 'needs nlm'
    cut -d, -f1-40 "threads$threads/targets.csv" >"rows$threads.txt"         # seconds come behind
done
same rows1.txt rows3.txt
for words in "related, together" "noise, apart" joint_log_lik mean_40; do has threads1/targets.csv "$words"; done
for file in gap.svg gap.$png related.csv independent.tex noise.md claims.csv; do
    check "its file $file" 0 test -s "threads1/targets-$file"
done
check "again" 0 una bench targets --models "$models" --seeds 1 --out threads1 --json
out '"fitted": 0'
