#!/bin/bash
# SPDX-License-Identifier: MIT
# What the committed inputs of the fuzz targets reach: lines and branches of all that reads bytes of strangers or text
# written by hand. Fails below 95 % of lines and 85 % of branches, or if the inputs are 2 MB and more.
#   tools/fuzz_coverage.sh [--show FILE]      --show: that source, with how often each line ran
set -u
cd "$(dirname "$0")/.." || exit 1
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
folder=build-fuzz-coverage
lines_wanted=95
branches_wanted=85

# base: specs, options, tokens, numbers, the model file. read, data: every format of tables, cached images, conditions, columns in
# model files. gp: kernels and formulas. model: model files. bo, sweep, explain: spaces, constraints, rows, concepts.
files="src/base/archive.c src/base/spec.c src/base/option.c src/base/lexer.c src/base/text.c src/base/decimal.c
src/read/csv.c src/read/numbers.c src/read/csv_dialect.c src/data/cell_format.c src/base/calendar.c src/read/npy.c src/read/idx.c
src/read/packed.c src/read/cache.c src/data/exchange.c
src/read/where_parse.c src/read/json.c src/gp/kernel_parse.c src/gp/kernel_text.c src/gp/formula_parse.c src/model/model_file.c
src/bo/space.c src/study/study_csv.c src/store/store_csv.c src/select/option_space.c src/diagnose/concepts.c"

mkdir -p $folder
{ cmake --preset fuzz-coverage && cmake --build $folder -j "$jobs" --target fuzz_targets; } >$folder/build.log 2>&1 ||
    { tail -n 40 $folder/build.log; exit 1; }
rm -rf $folder/profiles
mkdir -p $folder/profiles
objects=()
for source in fuzz/*.c; do
    name=$(basename "$source" .c)
    [ -d "fuzz/corpus/$name" ] || { echo "fuzz/corpus/$name is missing"; exit 1; }
    LLVM_PROFILE_FILE=$folder/profiles/$name.raw $folder/fuzz/"$name" "fuzz/corpus/$name" >$folder/replay.log 2>&1 ||
        { cat $folder/replay.log; exit 1; }
    objects+=(${objects:+-object} "$folder/fuzz/$name")          # the first stands alone
done
llvm-profdata merge -sparse $folder/profiles/*.raw -o $folder/all.profile || exit 1

if [ "${1:-}" = --show ]; then
    exec llvm-cov show --show-branches=count --instr-profile $folder/all.profile "${objects[@]}" "$PWD/$2"
fi

# The report has one line for each file: regions, functions, lines and branches, each with how many were missed.
llvm-cov report --instr-profile $folder/all.profile "${objects[@]}" >$folder/report.txt || exit 1
awk -v files="$files" -v lines_wanted=$lines_wanted -v branches_wanted=$branches_wanted '
    function share(all, missed) { return all ? 100 * (all - missed) / all : 100 }
    function tell(name, lines, missed_lines, branches, missed_branches) {
        printf "%-26s lines %5d of %5d %6.1f %%   branches %5d of %5d %6.1f %%\n", name, lines - missed_lines, lines,
               share(lines, missed_lines), branches - missed_branches, branches, share(branches, missed_branches)
    }
    BEGIN { count = split(files, names); for (i = 1; i <= count; i++) wanted[names[i]] = 1 }
    $1 in wanted {
        tell($1, $8, $9, $11, $12)
        lines += $8; missed_lines += $9; branches += $11; missed_branches += $12
        seen++
    }
    END {
        tell("all", lines, missed_lines, branches, missed_branches)
        if (seen < count) print count - seen " files are not in the report"
        exit seen < count || share(lines, missed_lines) < lines_wanted || share(branches, missed_branches) < branches_wanted
    }' $folder/report.txt
status=$?
size=$(find fuzz/corpus -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }')
echo "$(find fuzz/corpus -type f | wc -l) inputs, $size bytes"
[ "$size" -lt 2000000 ] && [ "$status" -eq 0 ]
