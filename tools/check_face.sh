#!/bin/sh
# SPDX-License-Identifier: MIT
# One library as strangers see it: its header compiles alone, as C11 and as C++; the shared library gives out the
# functions that the header declares, each of them and nothing else; each has its place in the test of calls without
# memory; and it needs no more than it may.
#   tools/check_face.sh BUILD una|una_report|una_bench|una_mpi
set -eu
build=$1
name=$2
headers=include/$name.h
[ "$name" = una_bench ] && headers="$headers include/una_study.h"
library=$build/lib$name.so
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

for header in $headers; do
    for language in 'cc -std=c11 -x c' 'c++ -std=c++11 -x c++'; do
        # shellcheck disable=SC2086
        echo "#include \"${header#include/}\"" | $language -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -
    done
done

# Only comments are taken out; a function's name stands before its bracket, and in no typedef.
for header in $headers; do cc -w -fpreprocessed -dD -E -P "$header"; done | grep -v '^typedef' | grep -oE '\buna_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$place/declared"
nm -D --defined-only "$library" | awk '{ print $3 }' | sort -u >"$place/given"
test -s "$place/declared"
missing=0
while read -r call; do
    grep -qE "(CALL|ELSEWHERE|NEVER)\\($call[,)]" tests/test_no_memory.c && continue
    echo "$call is in none of the lists of tests/test_no_memory.c: what does it do without memory?"
    missing=1
done <"$place/declared"
[ "$missing" -eq 0 ]
diff "$place/declared" "$place/given" || { echo "< only in $headers, > only in $library"; exit 1; }

case $name in
una) allowed='libjansson|libz|libdnnl|libgomp' ;;
una_report) allowed='libuna|libcairo|libz' ;;
una_bench) allowed='libuna|libcairo|libsqlite3|libpq|libsvm|libcurl|libmd|libjansson|libz' ;;
una_mpi) allowed='libmpi' ;;
esac
needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
echo "$needed" | grep -vE "^($allowed|libc|libm|libpthread|ld-linux.*|libasan|libubsan)\.so" &&
    { echo "$library needs more than it may"; exit 1; }
if [ "$name" = una ]; then
    ! ldd "$library" | grep -iE 'cairo|X11|fontconfig|freetype|sqlite|libpq'
elif [ "$name" != una_mpi ]; then      # which calls nothing of libuna
    # Which libuna it has met it must learn from that libuna.
    nm -D --undefined-only "$library" | grep -qw una_version
fi
