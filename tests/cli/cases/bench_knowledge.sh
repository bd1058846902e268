# SPDX-License-Identifier: MIT
# Knowledge and pseudo-data: small runs of real models, the same numbers whatever the threads, and mistakes.
# shellcheck shell=bash
only_plain || return 0
# Of one seed nothing follows; three, from which it does, are for the long tier.
seeds=1 verdict="cannot tell"
[ -z "${UNA_TEST_LONG:-}" ] || seeds=3 verdict="holds"
check "a strip" 0 una bench knowledge --quick --parts strip --seeds $seeds --out strip --quiet
out "$((4 * seeds)) fits made now" "$verdict" "below a tenth in $seeds of $seeds seeds"
has strip/knowledge.html "An input that does not matter"
there strip/knowledge-strip.svg
there strip/knowledge-strip.tex
absent strip/knowledge-sine.svg
check "again" 0 una bench knowledge --quick --parts strip --seeds $seeds --out strip --json
json experiment rows means claims fitted table page out
out '"fitted": 0'
check "no such part" 1 una bench knowledge --parts strip,wave --out never
err "no part 'wave'" "sine, strip, prior and tune"
check "a spec with a file" 1 una bench knowledge --models 'tuna(points=grid.csv)' --out never
err "names a file"
absent never
for threads in 1 3; do
    check "$threads threads" 0 una bench pseudo --models 'tuna(steps=300),linear' --spreads 0,60 --seeds 2 --threads "$threads" \
        --out "threads$threads" --quiet
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "seconds") at = i } { $at = ""; print }' \
        "threads$threads/pseudo.csv" >"rows$threads.txt"
done
same rows1.txt rows3.txt
out "6 fits made now" "cubic spread 60" "needs nlm"
has threads1/pseudo.csv '"cubic spread 0",0,'
there threads1/pseudo-functions.$png
check "a spread that is none" 1 una bench pseudo --spreads 0,wide --out never
err "spreads=0,wide"
absent never
