#!/bin/bash
# SPDX-License-Identifier: MIT
# una needs little. In short: what the program and the shared libraries of a build are linked with is in the lists below,
# and nothing else is. In long: a bare Debian 12 says what it misses, and installs nothing by itself; with a compiler,
# CMake, Ninja, pkg-config, cmocka, zlib, Jansson and Random123 alone it builds libuna, and its tests pass.
#   tools/check_light.sh [--long] [BUILD]
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/bare.sh
long=""
[ "${1:-}" != "--long" ] || { long=1; shift; }
build=${1:-build}

needs() {    # needs FILE: the libraries that it is linked with, without versions
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*\]/\1/p' | grep -vE '^(ld-linux.*|libasan|libubsan)$' | sort
}

only() {     # only FILE LIBRARY...: no others
    local file=$build/$1 more
    shift
    [ -e "$file" ] || return 0
    more=$(comm -23 <(needs "$file") <(printf '%s\n' "$@" | sort))
    echo "$file: $(needs "$file" | xargs)"
    [ -z "$more" ] || bad "$file needs more than it may: $more"
}

short() {
    command -v readelf >/dev/null || skip "readelf is not there"
    only libuna.so libc libm libz libjansson
    only libuna_report.so libc libm libz libuna
    only libuna_study.so libc libm libz libjansson libuna libsqlite3
    only libuna_bench.so libc libm libz libjansson libuna libsqlite3 libuna_study libsvm libcurl libmd
    only libuna_mpi.so libc libmpi
    only una libc libm libz libjansson libsqlite3 libsvm libcurl libmd
    [ "$(needs "$build/libuna.so" | xargs)" = "libc libjansson libm libz" ] || bad "libuna.so needs less: change the lists"
}

alone() {    # libuna by itself, from the source to its tests
    local before
    make_bare
    tar -c --exclude=./.git --exclude='./build*' . | tar -x -C "$place/bare/work"
    before=$(inside dpkg-query -W)
    if inside sh -c 'cd /work && sh tools/build.sh' >"$place/log" 2>&1; then bad "a bare machine builds una?"; fi
    grep -q "^The build misses packages: build-essential cmake ninja-build pkg-config" "$place/log" ||
        { cat "$place/log"; bad "a bare machine does not say what it misses"; }
    [ "$(inside dpkg-query -W)" = "$before" ] || bad "tools/build.sh has installed something"

    inside apt-get install -qq -y --no-install-recommends gcc libc6-dev cmake ninja-build pkg-config libcmocka-dev \
        zlib1g-dev libjansson-dev librandom123-dev >"$place/log" 2>&1 || { tail -n 20 "$place/log"; bad "no compiler"; }
    inside sh -c 'cd /work && rm -rf build && cmake -S . -B build -G Ninja -DUNA_ONLY=una && cmake --build build' >"$place/log" 2>&1 ||
        { tail -n 40 "$place/log"; bad "libuna alone is not built"; }
    grep '^-- una: ' "$place/log"
    inside ctest --test-dir /work/build -j 2 >"$place/log" 2>&1 || { tail -n 40 "$place/log"; bad "its tests fail"; }
    grep 'tests passed' "$place/log"
    inside ldd /work/build/libuna.so
    build=$place/bare/work/build
    only libuna.so libc libm libz libjansson
    inside /work/build/examples/quickstart

    # The program needs no more than the page writer does.
    inside sh -c 'cd /work && cmake -S . -B small -G Ninja -DUNA_TESTS=OFF "-DUNA_ONLY=una;una_report" && cmake --build small' >"$place/log" 2>&1 ||
        { tail -n 40 "$place/log"; bad "the program without studies and experiments is not built"; }
    inside /work/small/una --version
    awk 'BEGIN { print "x,y"; for (i = 0; i < 60; i++) print i "," 3 * i + i % 5 }' >"$place/bare/work/line.csv"
    inside sh -c 'cd /work && small/una fit line.csv --model linear --out line.una --report line.html' ||
        bad "the program without studies and experiments does not fit"
    if inside /work/small/una tune 2>"$place/log"; then bad "a verb that was left out works"; fi
    grep -q "built without 'tune'; build it with -DUNA_STUDY=ON" "$place/log" || bad "a verb that was left out does not say so"
}

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
if [ -z "$long" ]; then short; else alone; fi
