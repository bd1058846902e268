#!/bin/bash
# SPDX-License-Identifier: MIT
# What was found, from the rows that are kept: DOCS/results/RESULTS.md and its pictures.
#   tools/results.sh [PROGRAM [ROWS [DOCS]]]        build/una, results and docs of this repository
# ROWS has NAME.csv for every experiment (rows of a full run), NAME.flags (flags of that run) and FIGURES.md. Rows that
# are there are not made again; where some are missing they are, and stderr says how many. The same rows give the same
# file; pictures of a fitted function need a fit, whose last digits hang on the machine's kernels.
set -euo pipefail
home=$(cd "$(dirname "$0")/.." && pwd)
una=${1:-$home/build/una} rows=${2:-$home/results} docs=${3:-$home/docs}
if [ ! -x "$una" ]; then
    echo "tools/results.sh: there is no program $una; build it first" >&2
    exit 1
fi
if ! ls "$rows"/*.csv >/dev/null 2>&1; then
    echo "tools/results.sh: there are no rows in $rows, which should have NAME.csv of an experiment" >&2
    exit 1
fi
una=$(cd "$(dirname "$una")" && pwd)/$(basename "$una")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
known=" $("$una" bench | cut -d' ' -f1 | tr '\n' ' ')"
for file in "$rows"/*.csv; do
    name=$(basename "$file" .csv)
    case $known in
    *" $name "*) ;;
    *) echo "tools/results.sh: $file has the name of no experiment; 'una bench' lists them all" >&2; exit 1 ;;
    esac
done

run() {         # run NAME: its page in $work/NAME, from the rows that are kept
    local flags=() fitted
    [ -f "$rows/$1.flags" ] && read -r -a flags <"$rows/$1.flags"
    mkdir "$work/$1"
    cp "$rows/$1.csv" "$work/$1/"
    (cd "$work" && "$una" bench "$1" --full "${flags[@]}" --out "$1" --quiet --json >"$1.json")
    fitted=$(grep -o '"fitted": [0-9]*' "$work/$1.json" | tail -n 1 | grep -o '[0-9]*')
    if [ "$fitted" -gt 0 ]; then
        echo "tools/results.sh: $1: $fitted fits were made, because $rows/$1.csv does not have their rows" >&2
    fi
}

says() { grep -o "\"verdict\": \"$2\"" "$work/$1.json" | wc -l; }
summary() {     # a line of the first table
    echo "| \`$1\` | $(sed -n '1s/^# //p' "$work/$1/$1.md") | $(says "$1" holds) | $(says "$1" 'does not hold') |" \
         "$(says "$1" 'cannot tell') |"
}

section() {     # its Markdown one level down, its pictures beside the others; which rows they are of
    echo
    echo "<!-- $1.csv $(cksum <"$rows/$1.csv") -->"
    sed 's/^#/##/' "$work/$1/$1.md"
    cp "$work/$1/$1"-*.svg "$work/pictures/" 2>/dev/null || true
}

mkdir "$work/pictures"
for name in $known; do
    [ -f "$rows/$name.csv" ] || continue
    run "$name"
    summary "$name" >>"$work/summary"
    section "$name" >>"$work/sections"
done
{
    cat <<'END'
# What was found

<!-- made by tools/results.sh (make results) from the rows in results/; edit those, or the experiments, not this -->

The experiments of the thesis, computed again by `una bench NAME --full`. What the thesis says stands here as claims, one
sentence each; beside it are our numbers with their uncertainty, and a verdict that is computed from the rows: **holds**,
**does not hold**, or **cannot tell**, where something was not run or the numbers leave both open. The rows are in
[`results/`](../../results); what each experiment does, how it judges, and what was chosen by which numbers is in
[BENCH.md](BENCH.md). `make results` makes this page again from the rows.

| Experiment | | hold | do not hold | cannot tell |
|---|---|---:|---:|---:|
END
    cat "$work/summary"
    echo
    echo "## Which figure of the thesis is which command"
    echo
    if [ -f "$rows/FIGURES.md" ]; then cat "$rows/FIGURES.md"; fi
    cat "$work/sections"
} >"$work/RESULTS.md"
mkdir -p "$docs/results"
rm -f "$docs"/results/*.svg
cp "$work"/pictures/*.svg "$docs/results/" 2>/dev/null || true
cp "$work/RESULTS.md" "$docs/results/RESULTS.md"
