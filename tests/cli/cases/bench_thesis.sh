# SPDX-License-Identifier: MIT
# The thesis's protocol on published splits: its searches are kept, test rows are asked once, and both protocols share a
# folder and a page.
# shellcheck shell=bash
published data 90
how="--data data --steps 12 --quiet"
check "gap under the thesis's protocol" 0 una bench gap $how --preset thesis --models luna,nlm,gp --splits 0-1
out "6 fits made now"
has una-bench/gap.csv '"gap(preset=thesis, steps=12)"'
has una-bench/gap.csv 'units=standardised'
true_that "rows of the search are in no table" test -z "$(grep -o 'search(' una-bench/gap.csv)"
check "all of them are there" 0 una bench gap $how --preset thesis --models luna,nlm,gp --splits 0-1
out "0 fits made now, 6 were there"
cp una-bench/gap.csv before.csv
check "beside the automatic ones" 0 una bench gap $how --preset both --models linear,gp --splits 0-1 --json
out '"fitted": 6' '"rows"'
check "uci, with the noise that the thesis set" 0 una bench uci $how --preset thesis --models gp,linear --splits 0
has una-bench/uci.csv ",hand_rmse,hand_log_lik,hand_std_epistemic,hand_noise_std,"
true_that "which is 4 for this set" grep -qE '"gp[^"]*",.*,4,[^,]*,"[a-z0-9]*","' una-bench/uci.csv
mkdir public    # as if these rows were of the public files, whose sum is known
sed 's/#[0-9a-f]*"/#7b037a2f"/' before.csv >public/gap.csv
check "rows are shown without the data" 0 una bench gap --data nowhere --sets yacht --steps 12 --quiet --preset thesis \
    --models luna,nlm,gp --splits 0-1 --out public
out "0 fits made now, 6 were there"
check "what is there, of more that is not" 0 una bench gap --kept --data nowhere --sets yacht --steps 12 --quiet \
    --preset thesis --models luna,nlm,gp --splits 0-3 --out public
out "0 fits made now, 6 were there"
has public/gap.html "6 of 12 fits are there"
check "nothing that was asked for is there" 2 una bench gap --kept $how --models linear --splits 3 --out public
err "public has none of the fits that were asked for (1 in all)"
check "fits are not made without it" 2 una bench gap --data nowhere --sets yacht --quiet --models linear --splits 3 --out public
err "nowhere" "uci/yacht.csv"
check "every column" 0 una bench gap $how --columns all --models linear --splits 0
out "yacht x1" "yacht Froude number"
check "rows to choose by are its own matter" 1 una bench uci $how --preset thesis --group valid --models linear
err "preset=thesis" "group=valid"
check "nothing of the thesis's" 1 una bench uci $how --preset thesis --models auto --splits 0
err "no protocol for auto" "preset=automatic"
cp -r data odd
for target in word 7; do
    awk -F, -v OFS=, -v target=$target 'NR > 1 { $3 = target } { print }' data/uci/yacht.csv >odd/uci/yacht.csv
    check "a target of $target" 2 una bench gap --data odd --steps 12 --quiet --preset thesis --models gp --splits 0 --out odd
    err "the target 'resistance' of odd/uci/yacht.csv has no spread"
done
awk -F, -v OFS=, 'NR > 1 { $1 = $2 = 1 } { print }' data/uci/yacht.csv >odd/uci/yacht.csv
check "no column for a gap" 2 una bench gap --data odd --columns all --models linear --splits 0 --quiet --out odd
err "every input of the data is constant"
check "an unknown preset" 1 una bench gap $how --preset best
err "automatic|thesis|both"

# A run that was killed in its search goes on, and the table is that of one that was not.
mkdir killed
{ timeout -s KILL 0.3 "$UNA" bench gap $how --preset thesis --models luna,nlm,gp --splits 0-1 --out killed; } >/dev/null 2>&1
check "after kill -9" 0 una bench gap $how --preset thesis --models luna,nlm,gp --splits 0-1 --out killed
for file in before.csv killed/gap.csv; do sed -E 's/,[^,]*(,"[a-z0-9]*","[^"]*","[^"]*")$/\1/' $file; done >both.txt
half=$(($(wc -l <both.txt) / 2))
head -n $half both.txt >one.txt
tail -n $half both.txt >other.txt
true_that "there are six rows" test $half -eq 7
same one.txt other.txt
