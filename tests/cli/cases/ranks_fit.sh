# SPDX-License-Identifier: MIT
# One model of many rows: una fit under mpirun, four ranks with a quarter of the rows each.
# shellcheck shell=bash
only_plain || return 0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

if una --version | grep -q '^ranks *none' || ! timeout 20 mpirun --oversubscribe -n 4 true >/dev/null 2>&1; then
    skip "mpirun is not there, or cannot run here, or there is no libuna_mpi beside una"
    return 0
fi
ranks() { timeout 60 mpirun --oversubscribe -n 4 "$UNA" "$@"; }
awk 'BEGIN {
    print "a,b,site,y"
    for (i = 0; i < 400; i++) {
        a = sin(12.9 * i) * 2; b = cos(78.2 * i) * 2; site = i % 3 ? "north" : "south"
        printf "%.6f,%.6f,%s,%.6f\n", a, b, site, sin(2 * a) + b * b + (i % 3 ? 0 : 1) + 0.1 * sin(1000.7 * i)
    }
}' >rows.csv

check "luna by four ranks" 0 ranks fit rows.csv --target y --set steps=40 --set width=10 --out first.una
no_err
out " fitted to rows.csv: target y, 400 rows, 4 inputs" "Fitted by 4 ranks" "members=1" "on 60 rows held out"
true_that "one speaks" test "$(grep -c 'fitted to' stdout.txt)" -eq 1
check "once more" 0 ranks fit rows.csv --target y --set steps=40 --set width=10 --out second.una --json
json kind rows notes
same first.una second.una
check "it predicts" 0 una predict first.una rows.csv
for r in 0 1 2 3; do awk -v r=$r 'NR == 1 || (NR - 2) % 4 == r' rows.csv >"part-$r.csv"; done
mv part-2.csv kept.csv
check "a rank without its file" 5 ranks fit 'part-%r.csv' --target y --model linear
err "rank 2 on host" "part-2.csv"
true_that "it is told once" test "$(grep -c 'una fit: ' stderr.txt)" -eq 1
absent part.una
mv kept.csv part-2.csv
check "files of their own" 0 ranks fit 'part-%r.csv' --target y --model linear --quiet
there part.una
una fit rows.csv --target y --model 'linear(noise=constant)' --out whole.una --quiet
una predict part.una rows.csv --digits 17 --out parts.csv --quiet
una predict whole.una rows.csv --digits 17 --out whole.csv --quiet
name="the posterior of one rank"
true_that "to 1e-9" awk -F, 'NR == FNR { for (i = 1; i <= NF; i++) one[FNR, i] = $i; next }
    FNR > 1 { for (i = 1; i <= NF; i++) if ((d = $i - one[FNR, i]) * d > 1e-18) bad++ } END { exit bad > 0 || FNR != 401 }' \
    parts.csv whole.csv
check "what needs all rows in one place" 1 ranks fit rows.csv --target y --model gp
err "gp cannot be fitted over 4 ranks" "these can: luna, nlm, linear"
