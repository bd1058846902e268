# SPDX-License-Identifier: MIT
# Charts where Cairo is not installed, played by a file of its name that is no library: pages and .svg are as ever; .pdf
# and .png are refused before any work, with what to install.
# shellcheck shell=bash
only_plain || return 0
coloured 40 >train.csv
una fit train.csv --target y $fast --out m.una >/dev/null
mkdir without
echo "no library" >without/libcairo.so.2

check "fit, report and chart" 0 una fit train.csv --target y $fast --out with.una --report with.html --chart with.svg
LD_LIBRARY_PATH=without check "the same without Cairo" 0 una fit train.csv --target y $fast --out a.una \
    --report a.html --chart a.svg
same with.html a.html
same with.svg a.svg
for ending in pdf png; do
    LD_LIBRARY_PATH=without check "fit, .$ending" 5 una fit train.csv --target y $fast --out no.una --chart no.$ending
    err "charts as .pdf and .png, unlike those as .svg, need the library libcairo.so.2" "install it (Debian: libcairo2)"
    absent no.una
    absent no.$ending
    LD_LIBRARY_PATH=without check "plot, .$ending" 5 una plot m.una train.csv --what observed --out no.$ending
    err "install it (Debian: libcairo2)"
    absent no.$ending
done
LD_LIBRARY_PATH=without check "bench" 0 una bench cubic --quick --models linear --seeds 1 --out bench
err "figures are written as .svg alone: charts as .pdf and .png"
true_that "it is said once" test "$(grep -c 'as .svg alone' stderr.txt)" -eq 1
there bench/cubic-functions.svg
there bench/cubic.html
absent bench/cubic-functions.png
check "una itself needs no Cairo" 0 sh -c '! ldd "$UNA" | grep -i cairo'
