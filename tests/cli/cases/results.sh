# SPDX-License-Identifier: MIT
# tools/results.sh: a page of what was found, from rows that are kept.
# shellcheck shell=bash
tool=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
mkdir kept docs
check "rows to keep" 0 una bench cubic --full --models linear,gp --seeds 3 --out folder --quiet
cp folder/cubic.csv kept/
echo "--models linear,gp --seeds 3" >kept/cubic.flags
echo "| a figure | \`una bench cubic\` |" >kept/FIGURES.md
check "the page" 0 "$tool/tools/results.sh" "$UNA" kept docs
no_err
has docs/results/RESULTS.md "| a figure | \`una bench cubic\` |"
has docs/results/RESULTS.md "## The cubic gap: who knows what it does not know?"
has docs/results/RESULTS.md "### What is known, in numbers"
has docs/results/RESULTS.md "![The functions.](cubic-functions.svg)"
has docs/results/RESULTS.md "| cannot tell | needs hmc |"
has docs/results/RESULTS.md "| \`cubic\` | The cubic gap: who knows what it does not know? | 2 | 0 | 9 |"
there docs/results/cubic-functions.svg
cp docs/results/RESULTS.md first.md && cp docs/results/cubic-functions.svg first.svg
check "the same rows, the same page" 0 "$tool/tools/results.sh" "$UNA" kept docs
same first.md docs/results/RESULTS.md
same first.svg docs/results/cubic-functions.svg
sed -i '$d' kept/cubic.csv
check "a row is missing" 0 "$tool/tools/results.sh" "$UNA" kept docs
err "cubic: 1 fits were made"
cp kept/cubic.csv kept/cubik.csv
check "of no experiment" 1 "$tool/tools/results.sh" "$UNA" kept docs
err "cubik.csv has the name of no experiment"
mkdir nothing
check "no rows" 1 "$tool/tools/results.sh" "$UNA" nothing docs
err "there are no rows in nothing"

# The page of the repository is of the rows of the repository.
for file in "$tool"/results/*.csv; do
    name=$(basename "$file")
    has "$tool/docs/results/RESULTS.md" "<!-- $name $(cksum <"$file") -->"
done
