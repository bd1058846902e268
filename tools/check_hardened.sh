#!/bin/sh
# SPDX-License-Identifier: MIT
# Are these programs and libraries hardened, as cmake/Harden.cmake asks? Canaries, bound addresses and marks of
# control-flow protection in each; checked copies in those that copy anything themselves. Of stacks that cannot jump over
# their guard nothing is left to see: the build is asked. What this compiler or processor does not know is not asked for.
# And no library is looked for in the current folder, which may be a stranger's: that is asked of tests, too.
#   tools/check_hardened.sh [FILE...]      default: all of build/
set -eu
export LC_ALL=C
command -v readelf >/dev/null || { echo "skip: readelf is not there"; exit 0; }
bad=0
looked=0
say() { echo "$1: $2"; bad=1; }
search_path() {     # search_path FILE DYNAMIC: every element is a place of the system, or beside the file itself
    path=$(echo "$2" | sed -n 's/.*(R\(UN\)\{0,1\}PATH).*\[\(.*\)\]$/[\2]/p')
    [ -z "$path" ] || ! echo "$path" | tr -d '[]' | tr : '\n' | grep -qvE '^(/|\$ORIGIN)' ||
        say "$1" "looks for libraries in the current folder (search path $path)"
    if echo "$2" | grep -qE '\(NEEDED\).*\[[^/].*/'; then say "$1" "needs a library by a path from here"; fi
    looked=$((looked + 1))
}
marks=""
[ "$(uname -m)" != x86_64 ] || marks=1
if [ $# -eq 0 ]; then
    for file in build/tests/* build/examples/* build/perf/* build-asan/una build-asan/tests/*; do
        if [ -f "$file" ] && [ -x "$file" ]; then search_path "$file" "$(readelf -dW "$file")"; fi
    done
    set -- build/una build/libuna*.so
    if [ -n "$marks" ] && ! grep -q -e -fstack-clash-protection build/build.ninja; then say build "stacks may jump over their guard"; fi
fi
for file in "$@"; do
    head=$(readelf -hW "$file")
    dynamic=$(readelf -dW "$file")
    segments=$(readelf -lW "$file")
    names=$(readelf -W --dyn-syms "$file")
    search_path "$file" "$dynamic"
    echo "$head" | grep -q 'Type: *DYN' || say "$file" "stands at a fixed address (not PIE)"
    echo "$segments" | grep -q GNU_RELRO || say "$file" "addresses stay writable (no RELRO)"
    echo "$dynamic" | grep -qE 'BIND_NOW|Flags:.* NOW' || say "$file" "addresses are looked up late (no BIND_NOW)"
    echo "$segments" | grep GNU_STACK | grep -q 'RW ' || say "$file" "the stack may be run"
    if echo "$dynamic" | grep -q TEXTREL; then say "$file" "code is written to when loaded (TEXTREL)"; fi
    echo "$names" | grep -q __stack_chk_fail || say "$file" "no canaries on the stack"
    if [ -n "$marks" ] && ! objdump -d "$file" | grep -q endbr64; then say "$file" "no marks of control-flow protection"; fi
    case $file in
    *_mpi.so*) ;;        # copies nothing itself
    *) echo "$names" | grep -qE '__(mem|str|v?sn?printf|realpath|fread|fprintf)[a-z]*_chk' || say "$file" "no checked copies" ;;
    esac
done
echo "$looked files looked at, $# of them closely"
exit $bad
