# SPDX-License-Identifier: MIT
# The report: what a reader asks first comes first, rows that were not seen judge, inputs are moved in real rows, and what
# comes from the file is text and nothing else.
awk -v s=5 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
    BEGIN { print "days,temperature,workingday,kind,strength"; for (i = 0; i < 5; i++) u()
            for (i = 0; i < 160; i++) { d = int(1 + 28 * u()); t = u() < 0.5 ? 12 * u() : 24 + 12 * u(); w = u() < 0.7
                k = u() < 0.6 ? "fine" : "coarse"
                printf "%d,%.2f,%d,%s,%.4f\n", d, t, w, k, 2 * d + 0.5 * t + 6 * w - 4 * (k == "fine") + u() + u() } }' >mix.csv
check "fit with a report" 0 una fit mix.csv --model gp --set restarts=1 --out m.una --report r.html
# in_order FILE TEXT...: each is there, each behind the one before
in_order() {
    local file=$1 last=0 at
    shift
    for text; do
        at=$(grep -abo -F -m1 -- "$text" "$file" | head -n1 | cut -d: -f1)
        [ -n "$at" ] && [ "$at" -gt "$last" ] || { echo "'$text' is out of order"; return 1; }
        last=$at
    done
}
true_that "the order of the sections" in_order r.html ">In short<" 'class="verdict"' ">How good it is<" "held-out rows" \
    "Calibration on held-out rows" ">Which inputs matter<" ">What each input does<" "Effects at real rows" \
    ">What is left over<" ">Where it does not know<" "A map of ignorance" ">The rows it knows least about<" \
    ">What was fitted<" "Pass this back to repeat the fit"
has r.html "On 160 held-out rows"
has r.html "<title>row 17"
has r.html "days: "
lacks() { ! grep -qF -- "$2" "$1"; }
true_that "nothing is judged by rows that taught it" lacks r.html "rows given"
true_that "no level that cannot be" lacks r.html "workingday: 0.5"
true_that "no script" lacks r.html "<script"
true_that "nothing is fetched" test "$(grep -o 'http[^ "]*' r.html | grep -vc 'http://www.w3.org/')" = 0
check "the same again" 0 una fit mix.csv --model gp --set restarts=1 --out m.una --report again.html --threads 1
same r.html again.html

long=$(printf 'W%.0s' $(seq 10000))
{
    printf '"<script>alert(1)</script>","a ""quoted"" & name",%s,"\327\251\327\234\327\225\327\235","line\nbreak","<b>y"\n' "$long"
    sed 1d mix.csv | awk -F, -v OFS=, '{ k = NR % 3 == 0 ? "\"<img src=x onerror=alert(2)>\"" : NR % 3 == 1 ? "\"x \"\"y\"\"\"" : "\"\330\243\330\255\""
        print $1, $2, $3, $1 * $2, k, $5 }'
} >hostile.csv
check "hostile names and words" 0 una fit hostile.csv --target "<b>y" --model linear --out h.una --report h.html --quiet
for mark in "<script" "<img" "<b>" "onerror=alert(2)>"; do true_that "no $mark" lacks h.html "$mark"; done
has h.html "&lt;script&gt;alert(1)&lt;/script&gt;"
has h.html "&lt;img src=x onerror=alert(2)&gt;"
has h.html "a &quot;quoted&quot; &amp; name"
true_that "long names are cut" test "$(grep -ao 'W*' h.html | awk '{ print length($0) }' | sort -n | tail -n 1)" -lt 300

# A model of few steps warns of itself, and so does the one that judges its inputs.
awk -v s=5 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
    BEGIN { print "x,k,y"; for (i = 1; i <= 90; i++) { x = 4 * u() - 2; k = i % 2 ? "b" : "c"
                printf "%.4f,%s,%.4f\n", x, k, i == 51 ? 300 : 2 * x + u() } }' >warn.csv
check "a report with warnings of fits for it" 0 una fit warn.csv --target y --model luna $quick --out w.una --report w.html --quiet
there w.html
