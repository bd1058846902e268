# SPDX-License-Identifier: MIT
# Each verb doing its work.
table 80 >train.csv
table 40 7 >test.csv

check "models" 0 una models
out "luna" "nlm" "una models NAME"
check "models luna" 0 una models luna
out "Source:" "epochs" "width" "thesis"
check "models, unknown" 1 una models lunar
err "luna"
check "models --json" 0 una models --json
json models
check "models luna --json" 0 una models luna --json
json name options source summary thesis
no_err

check "fit" 0 una fit train.csv --target y --model luna $quick
out "luna" "target y" "80 rows" "2 inputs" "noise" "before" "train.una" "una predict train.una"
no_err
there train.una
tidy
check "fit --quiet" 0 una fit train.csv --target y --model luna $quick --quiet --out quiet.una
no_out
no_err
same train.una quiet.una
check "fit --json" 0 una fit train.csv --target=y --model luna $quick --json --out=model.una
json kind rows inputs noise_std prior_var log_evidence mean_cos2 options valid seconds model warnings notes target spec
no_err
same train.una model.una
check "fit, other models" 0 una fit train.csv --target y --model nlm $quick --json --out nlm.una
out '"kind": "nlm"' '"rows": 80' '"inputs": 2' '"model": "nlm.una"'
check "fit, default target" 0 una fit train.csv $fast --out last.una
out "target y"
check "fit, report and chart" 0 una fit train.csv --target y $fast --out r.una --report r.html --chart r.svg
there r.html
there r.svg
out "r.html" "r.svg"
has r.html "<html"
has r.svg "<svg"
check "fit, chart as PDF and PNG" 0 una fit train.csv --target y $fast --out r.una --chart r.$pdf
there r.$pdf
check "fit, PNG" 0 una fit train.csv --target y $fast --out r.una --chart r.$png
there r.$png
check "fit, valid share" 0 una fit train.csv --target y --model luna $quick --out v.una --valid 0.25 --json
out '"valid": {"rows": 20'
check "fit, valid file" 0 una fit train.csv --target y --model luna $quick --out v.una --valid test.csv --json
out '"rows": 80' '"valid": {"rows": 40'
check "fit, preset" 0 una fit train.csv --target y --preset thesis $quick --set heads=3 --out p.una --json
out '"kind": "luna"'
check "fit, preset of another model" 0 una fit train.csv --target y --preset thesis --model linear --out p.una --json
out '"kind": "linear"'
check "fit, no model" 0 una fit train.csv --target y --set luna=none --set trees=none --out auto.una --json
out '"kind": "auto"' "gp carries 100 %"
check "fit, spec" 0 una fit train.csv --target y --model "luna(epochs=20, width=10, restarts=1)" --out s.una --quiet
same s.una train.una

check "predict" 0 una predict train.una test.csv
has stdout.txt "mean,std,std_epistemic,std_noise,lower,upper"
no_err
true_that "41 lines" test "$(wc -l <stdout.txt)" -eq 41
cp stdout.txt plain.csv
check "predict to a full disk" 5 sh -c '"$UNA" predict train.una test.csv >/dev/full'
err "standard output"
check "predict --out" 0 una predict train.una test.csv --out a.csv
same a.csv plain.csv
out "40 rows" "a.csv"
check "predict --json" 0 una predict train.una test.csv --out a.csv --json
json rows out
check "predict --level" 0 una predict train.una test.csv --level 0.5 --out half.csv
true_that "narrower bands" awk -F, 'NR == FNR { w[FNR] = $6 - $5; next } FNR > 1 && !($6 - $5 < w[FNR]) { bad = 1 } END { exit bad }' a.csv half.csv
check "predict --keep" 0 una predict train.una test.csv --keep
has stdout.txt "x1,x2,y,mean,std"
printf '"#one",x1,x2," two "\n"#a",1,1,"  lead"\n"#b, c",1,2,"tail "\n plain ,2,1," "\n"",1, 0.5 ,a "b" c\nNA,1,1,"two\nlines"\n' >cells.csv
check "predict --keep, cells in quotes" 0 una predict train.una cells.csv --keep --out kept.csv
true_that "the header" grep -qF '"#one",x1,x2," two ",mean' kept.csv
true_that "blanks stay, and no row becomes a comment" grep -qF '"#a",1,1,"  lead",' kept.csv
true_that "blanks at the end" grep -qF '"#b, c",1,2,"tail ",' kept.csv
true_that "nothing but a blank" grep -qF ' plain ,2,1," ",' kept.csv
true_that "quotes" grep -qF ',1, 0.5 ,"a ""b"" c",' kept.csv
sed '1s/,mean.*/,m,s,e,n,l,u/' kept.csv >kept-2.csv          # answers under other names
check "what was kept is read alike" 0 una predict train.una kept-2.csv --keep --out again.csv
sed '1s/,m,s,e,n,l,u.*//; 1!s/\(,[^,]*\)\{12\}$//' again.csv | sed '1!s/^lines".*/lines"/' >again-cells.csv
sed '1s/,mean.*//; 1!s/\(,[^,]*\)\{6\}$//' kept.csv | sed '1!s/^lines".*/lines"/' >kept-cells.csv
same again-cells.csv kept-cells.csv
sed '1s/y/mean/' test.csv >taken.csv
check "predict --keep, a name of the answers" 2 una predict train.una taken.csv --keep --out taken-answers.csv
err "'mean'" "twice" "rename"
absent taken-answers.csv
check "predict --draws" 0 una predict train.una test.csv --draws 3
has stdout.txt "upper,draw_1,draw_2,draw_3"
check "variances add up" 0 una predict train.una test.csv --out a.csv
true_that "std^2 = epistemic^2 + noise^2" awk -F, 'FNR > 1 { d = $2 * $2 - $3 * $3 - $4 * $4; if (d < 0) d = -d; if (d > 1e-6 * $2 * $2 || $3 <= 0 || $4 <= 0) bad = 1 } END { exit bad }' a.csv

check "score" 0 una score train.una test.csv
out "rmse" "log_lik" "coverage_95" "calibration_error"
check "score --json" 0 una score train.una test.csv --json
json rows rmse log_lik crps coverage_50 coverage_90 coverage_95 calibration_error mean_std_epistemic mean_std_noise
out '"rows": 40'

check "info" 0 una info train.una
out "luna" "train.una"
check "info --json" 0 una info train.una --json
json kind
no_err

check "fit, importance" 0 una fit train.csv --target y --model gp --out gp.una
out "importance" "x1" "%"
check "info, relevance" 0 una info gp.una
out "relevance           x"
check "fit --json, relevance" 0 una fit train.csv --target y --model gp --out gp.una --json
json relevance
out '"relevance": {"x1": '
check "info --json, relevance" 0 una info gp.una --json
json relevance

if [ -n "${UNA_TEST_LONG:-}" ] || only_plain; then
    check "demo" 0 una demo --seeds 1 --json --report demo.html --chart demo.svg
    json rows mean gap_ratio rmse_ratio answer specs report seconds
    out '"nlm": {"gap_std": ' '"auto": {"gap_std": ' '"gap_inside": ' '"nlm": "nlm(members=1)"'
    there demo.html
    true_that "the page begins with the answer and the picture" awk '/<h1>/ { h = NR }
        /ignorance goes from/ && !a { a = NR } /<svg/ && !p { p = NR } /<table/ && !t { t = NR } /In short/ && !s { s = NR }
        END { exit !(h && h < a && a < p && p < t && t < s) }' demo.html
    there demo.svg
    check "demo, text" 0 una demo --seeds 1 --out .
    out "Who notices the hole?" "in hole" "true function in its band of ignorance" "NLM " "LUNA " "GP " "auto " "NLM's ignorance goes from" "una-demo.html"
    there una-demo.html
fi
