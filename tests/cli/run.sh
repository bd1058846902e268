#!/bin/bash
# SPDX-License-Identifier: MIT
# The program from outside: what it prints, where, and its exit code.
#   tests/cli/run.sh PROGRAM [CASE...]      cases are the files in tests/cli/cases, without .sh
# Each case runs in an empty folder of its own. The last line is "N passed, N failed".
set -u
here=$(cd "$(dirname "$0")" && pwd)
una=${1:-build/una}
if [ ! -x "$una" ]; then
    echo "tests/cli: there is no program $una; build it first" >&2
    exit 1
fi
UNA=$(cd "$(dirname "$una")" && pwd)/$(basename "$una")
shift
export UNA NO_COLOR=
# A crash under a sanitizer must not look like the exit status 1 of wrong usage.
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Fontconfig keeps what it once read; that is no leak of ours.
echo "leak:libfontconfig" >"$work/suppressions"
export LSAN_OPTIONS=suppressions=$work/suppressions:print_suppressions=0

cases=("$@")
if [ ${#cases[@]} -eq 0 ]; then
    for file in "$here"/cases/*.sh; do cases+=("$(basename "$file" .sh)"); done
fi
for case in "${cases[@]}"; do
    mkdir -p "$work/$case"
    # A case that stops halfway must not look like one that passed.
    (cd "$work/$case" && CASE=$case && . "$here/lib.sh" && . "$here/cases/$case.sh" && echo "end of $case") \
        >"$work/$case.log" 2>&1
    grep -qx "end of $case" "$work/$case.log" || echo "FAIL $case: the script did not reach its end" >>"$work/$case.log"
    grep -v "^end of $case\$" "$work/$case.log"
    cat "$work/$case.log" >>"$work/all.log"
done
passed=$(grep -c '^ok ' "$work/all.log")
failed=$(grep -c '^FAIL ' "$work/all.log")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
