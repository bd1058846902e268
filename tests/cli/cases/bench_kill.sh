# SPDX-License-Identifier: MIT
# kill -9 at random moments, then the same command to its end: the rows are those of a run that nobody disturbed, in all
# but their seconds; none twice, none torn. Then two runs in one folder, and rows of another results version.
# The linear fits take a millisecond, so that most of the time is spent in writing.
# shellcheck shell=bash
only_plain || return 0
published data 60
[ -n "${UNA_TEST_LONG:-}" ] && kills=50

. "$(dirname "${BASH_SOURCE[0]}")/../disturb.sh"

cubic="--quick --models linear,gp(ard=no),nn(steps=50) --seeds 5 --quiet"
gap="--quick --data data --models linear,linear(degree=2),nlm(steps=50) --splits 0-3 --quiet"
disturb cubic $cubic
disturb gap $gap

# Two runs share one folder.
una bench gap $gap --out shared >first.txt 2>&1 &
check "the second of two in one folder" 0 una bench gap $gap --out shared
cp stdout.txt second.txt
wait $!
true_that "the first ends well too" test $? -eq 0
made() { sed -n 's/.*(\([0-9]*\) fits made now.*/\1/p' "$1"; }
true_that "each fit was made once" test $(($(made first.txt) + $(made second.txt))) -eq 12
true_that "the rows are the same" same_rows shared gap

# The rows of another results version are other rows.
mkdir older
awk -F, -v OFS=, 'NR > 1 { $6 = 99; $7 = 1e6 } { print }' calm/cubic.csv >older/cubic.csv
check "another results version" 0 una bench cubic $cubic --out older --json
out '"fitted": 15'
numbers() { grep -o '"gap_std[a-z_]*": [^,}]*' "$1"; }        # of rows and means
numbers stdout.txt >mixed.txt
una bench cubic $cubic --out calm --json >calm.txt
numbers calm.txt >apart.txt
true_that "there are numbers" test -s apart.txt
same apart.txt mixed.txt
mkdir told
awk -F, '$6 != 99' older/cubic.csv >told/cubic.csv
true_that "the new rows are the usual ones" same_rows told cubic
true_that "the old ones are kept" test "$(awk -F, '$6 == 99' older/cubic.csv | wc -l)" -eq 15
