#!/bin/sh
# SPDX-License-Identifier: MIT
# One library as its users see it: its header compiles alone, as C11 and as C++; the shared library gives out the
# functions that the header declares, each of them and nothing else; each has its place in the test of calls without
# memory.
#   tools/check_face.sh BUILD una|una_report|una_study|una_bench|una_mpi
set -eu
build=$1
name=$2
header=include/$name.h
library=$build/lib$name.so
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

for language in 'cc -std=c11 -x c' 'c++ -std=c++11 -x c++'; do
    # shellcheck disable=SC2086
    echo "#include \"$name.h\"" | $language -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -
done

# Only comments are taken out; a function's name stands before its bracket, and in no typedef.
cc -w -fpreprocessed -dD -E -P "$header" | grep -v '^typedef' | grep -oE '\buna_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$place/declared"
nm -D --defined-only "$library" | awk '{ print $3 }' | sort -u >"$place/given"
test -s "$place/declared"
missing=0
while read -r call; do
    grep -qE "(CALL|ELSEWHERE|NEVER)\\($call[,)]" tests/test_no_memory.c && continue
    echo "$call is in none of the lists of tests/test_no_memory.c: what does it do without memory?"
    missing=1
done <"$place/declared"
[ "$missing" -eq 0 ]
diff "$place/declared" "$place/given" || { echo "< only in $header, > only in $library"; exit 1; }

# Programs that were linked when studies were a part of una_bench find them by it.
[ "$name" != una_bench ] || readelf -d "$library" | grep -q 'NEEDED.*\[libuna_study\.so'
case $name in
una | una_mpi) ;;                        # libuna itself, and what calls nothing of it
*)  # Which libuna it has met it must learn from that libuna.
    nm -D --undefined-only "$library" | grep -qw una_version ;;
esac
