#!/bin/sh
# SPDX-License-Identifier: MIT
# Are these programs and libraries hardened, as cmake/Harden.cmake asks? Canaries, bound addresses and marks of
# control-flow protection in each; checked copies in those that copy anything themselves. Of stacks that cannot jump over
# their guard nothing is left to see: the build is asked. What this compiler or processor does not know is not asked for.
#   tools/check_hardened.sh [FILE...]      default: all of build/
set -eu
export LC_ALL=C
command -v readelf >/dev/null || { echo "skip: readelf is not there"; exit 0; }
bad=0
say() { echo "$1: $2"; bad=1; }
marks=""
[ "$(uname -m)" != x86_64 ] || marks=1
if [ $# -eq 0 ]; then
    set -- build/una build/libuna*.so
    if [ -n "$marks" ] && ! grep -q -e -fstack-clash-protection build/build.ninja; then say build "stacks may jump over their guard"; fi
fi
for file in "$@"; do
    head=$(readelf -hW "$file")
    dynamic=$(readelf -dW "$file")
    segments=$(readelf -lW "$file")
    names=$(readelf -W --dyn-syms "$file")
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
echo "$# files looked at"
exit $bad
