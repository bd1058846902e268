#!/bin/bash
# SPDX-License-Identifier: MIT
# The program from outside: what it prints, where, and its exit code.
#   tests/cli/run.sh PROGRAM [CASE...]      cases are the files in tests/cli/cases, without .sh
# Each case runs in an empty folder of its own, $JOBS (2) of them at once. The last line is "N passed, N failed".
# SANITIZED=1: cases that train many models are left out, as `only_plain` in them says.
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
root=$(cd "$here/../.." && pwd)    # of the project
# No data of the person who runs this.
unset UNA_DATA
# A crash under a sanitizer must not look like the exit status 1 of wrong usage.
# intercept_tls_get_addr=0: as in tools/test.sh.
export ASAN_OPTIONS=exitcode=99:intercept_tls_get_addr=0 UBSAN_OPTIONS=exitcode=99
work=$(mktemp -d)
export XDG_DATA_HOME=$work/no-data
trap 'rm -rf "$work"' EXIT
export LSAN_OPTIONS=suppressions=$root/tests/no_leaks:print_suppressions=0

cases=("$@")
if [ ${#cases[@]} -eq 0 ]; then
    for file in "$here"/cases/*.sh; do cases+=("$(basename "$file" .sh)"); done
fi
run_case() {
    local begun=$SECONDS
    mkdir -p "$work/$1"
    # A case that stops halfway must not look like one that passed.
    (cd "$work/$1" && CASE=$1 && . "$here/lib.sh" && . "$here/cases/$1.sh" && echo "end of $1") >"$work/$1.log" 2>&1
    grep -qx "end of $1" "$work/$1.log" || echo "FAIL $1: the script did not reach its end" >>"$work/$1.log"
    echo "time $((SECONDS - begun)) s: $1" >>"$work/$1.log"
}
# The longest first, so that none of them is left for the end.
long='verbs|bench|habits'
for case in $(printf '%s\n' "${cases[@]}" | grep -xE "$long") $(printf '%s\n' "${cases[@]}" | grep -vxE "$long"); do
    while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-2}" ]; do wait -n; done
    run_case "$case" &
done
wait
for case in "${cases[@]}"; do
    grep -v "^end of $case\$" "$work/$case.log"
    cat "$work/$case.log" >>"$work/all.log"
done
passed=$(grep -c '^ok ' "$work/all.log")
failed=$(grep -c '^FAIL ' "$work/all.log")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
