#!/bin/sh
# SPDX-License-Identifier: MIT
# Are these programs and libraries hardened, as cmake/Harden.cmake asks? Canaries and bound addresses in each; checked
# copies in those that copy anything themselves. What this compiler or processor does not know is not asked for.
#   tools/check_hardened.sh [FILE...]      default: all of build/
set -eu
export LC_ALL=C
command -v readelf >/dev/null || { echo "skip: readelf is not there"; exit 0; }
[ $# -gt 0 ] || set -- build/una build/libuna*.so

bad=0
say() { echo "$1: $2"; bad=1; }
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
    case $file in
    *_mpi.so*) ;;        # copies nothing itself
    *) echo "$names" | grep -qE '__(mem|str|v?sn?printf|realpath|fread|fprintf)[a-z]*_chk' || say "$file" "no checked copies" ;;
    esac
done
echo "$# files looked at"
exit $bad
