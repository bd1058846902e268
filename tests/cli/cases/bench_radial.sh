# SPDX-License-Identifier: MIT
# The Radial Uncertainty Benchmark: quick models, the search and what it chose, any dimension, threads, and mistakes.
# shellcheck shell=bash
only_plain || return 0
few=(--models 'gp,linear,nlm(steps=20, members=1)')
check "two dimensions" 0 una bench radial "${few[@]}" --dimensions 1,4,disc --seeds 2 --quick
out "radial 4" "disc" "18 fits made now" "off ideal" "cannot tell"
has una-bench/radial.csv "centre,off_ideal,symmetry,roughness,log_lik,rmse,distance,distance_out,hole_auroc,hole_inside,hole_log_lik,m_0,"
for words in "Shell of 4 inputs" "Disc" "mean over rays" "What was claimed"; do has una-bench/radial.html "$words"; done
true_that "a name where a spec is too long for the table" grep -q '^gp  *radial 4  *2 ' stdout.txt
has una-bench/radial-specs-disc.csv '"gp(kernel=matern32'
for file in curves-radial-4.svg curves-disc.$png numbers-disc.tex claims.csv; do
    true_that "there is $file" test -s "una-bench/radial-$file"
done
check "again" 0 una bench radial "${few[@]}" --dimensions 1,4,disc --seeds 2 --quick --json
json experiment rows means claims fitted table page
out '"fitted": 0'

check "the search" 0 una bench radial --tune --draws 3 --models nlm,mcd,gp --dimensions 1 --quick --out search
out "14 fits made now"
has search/radial.csv '"radial(tune=yes)"'
has search/radial.md "prior_var="
has search/radial.md "dropout="
check "nothing to search" 1 una bench radial --tune --models linear --dimensions 1 --out never
err "nothing to search"

check "an unknown data set" 1 una bench radial --models linear --dimensions 2,cube --out never
err "no data set 'cube'" "disc and ball"
check "seeds of the search" 1 una bench radial --models linear --dimensions 1 --seed 991 --out never
err "1000 to 1001" "not reported"
absent never
for threads in 1 3; do
    check "$threads threads" 0 una bench radial "${few[@]}" --dimensions 2 --seeds 2 --threads $threads --quick \
        --out "threads$threads" --quiet
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "seconds") at = i } { $at = ""; print }' \
        <(sed 's/, /; /g' "threads$threads/radial.csv") >"rows$threads.txt"
done
same rows1.txt rows3.txt
