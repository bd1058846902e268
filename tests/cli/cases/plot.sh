# SPDX-License-Identifier: MIT
# Single charts: what there is, in which formats, what is said about rows that may have been seen, what is refused.
# shellcheck shell=bash
coloured 60 >train.csv
coloured 40 5 >new.csv
una fit train.csv --target y $fast --out m.una >/dev/null
una fit train.csv --target y --model gp --out gp.una >/dev/null
check "bands" 0 una plot m.una new.csv --input x1 --out b.svg
out "chart: b.svg"
there b.svg
check "bands along words" 0 una plot m.una new.csv --input colour --row 3 --out b.$pdf
there b.$pdf
for what in effect observed calibration residuals ignorance; do
    check "$what" 0 una plot m.una new.csv --what $what --out $what.$png
    there $what.$png
done
check "calibration says whose rows" 0 una plot m.una new.csv --what calibration --out c.svg
out "those of new.csv as you gave them" "If the model was fitted on them" "chart: c.svg"
check "importance needs no rows" 0 una plot gp.una --json
json what out
out '"what": "importance"' '"out": "gp.svg"'
there gp.svg
check "residuals along an input" 0 una plot m.una new.csv --what residuals --input colour --where 'x1 > 0' --out r.svg --quiet
no_out
cut -d, -f1,2 new.csv >asked.csv
check "bands need no target" 0 una plot m.una asked.csv --out a.svg

check "calibration needs one" 2 una plot m.una asked.csv --what calibration --out n.svg
err "'y'"
check "rows are needed" 1 una plot m.una --what bands --out n.svg
err "a model keeps none"
check "importance is not known" 1 una plot m.una --out n.svg
err "linear"
check "no such chart" 1 una plot m.una new.csv --what bnads --out n.svg
check "no such input" 2 una plot m.una new.csv --input x11 --out n.svg
err "x1"
check "a column of no use" 1 una plot m.una new.csv --input y --out n.svg
err "does not use it"
check "no such row" 1 una plot m.una new.csv --row 41 --out n.svg
err "row 41"
check "no such format" 1 una plot m.una new.csv --out n.gif
err ".svg, .pdf or .png"
check "not over the model" 1 una plot m.una new.csv --out m.una
check "not over the rows" 1 una plot m.una new.csv --out new.csv
check "no such file" 5 una plot m.una nowhere.csv --out n.svg
absent n.svg
check "help" 0 una plot --help
out "--what CHART" "una plot measurements.una"
tidy
