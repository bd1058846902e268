#!/bin/bash
# SPDX-License-Identifier: MIT
# Everything that must never break, for the release build (preset ci) and under the address and undefined-behaviour
# sanitizers. Details go to build/test-*.log, failures are printed; the last line is "N passed, N failed".
#   tools/test.sh [--long]     --long: the slow tier too
set -u
cd "$(dirname "$0")/.." || exit 1

long=0
[ "${1:-}" = "--long" ] && long=1
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
many=$((jobs + 1))    # tests at once: there is always one that waits, for a server, a signal or a moment
passed=0
failed=0
skipped=0
mkdir -p build

tally() {    # tally NAME PASSED FAILED
    passed=$((passed + $2))
    failed=$((failed + $3))
    printf '%-34s %5d passed, %d failed\n' "$1" "$2" "$3"
}

step() {     # step NAME LOG COMMAND...: one check, judged by its exit status
    local name=$1 log=$2
    shift 2
    if "$@" >"$log" 2>&1; then
        tally "$name" 1 0
        return 0
    fi
    tail -n 40 "$log"
    tally "$name" 0 1
    return 1
}

maybe() {    # maybe NAME LOG COMMAND...: a step that may end with "skip: why" as its last line
    step "$@" || return 1
    local why
    why=$(tail -n 1 "$2" | sed -n 's/^skip: //p')
    [ -z "$why" ] && return 0
    echo "$1: not all of it, because $why"
    skipped=$((skipped + 1))
}

add() {      # the sum of the first number on each line
    awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/) { sum += $i; break } } END { print sum + 0 }'
}

sums() {     # sums NAME LOG STATUS: a log that ends in "N passed, N failed"
    local last
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$2" | tail -n 1)
    if [ -z "$last" ]; then
        tail -n 40 "$2"
        tally "$1" 0 1
        return
    fi
    local good=${last%% *} bad=${last#*passed, }
    bad=${bad%% *}
    if [ "$bad" -eq 0 ] && [ "$3" -ne 0 ]; then bad=1; fi
    if [ "$bad" -ne 0 ]; then grep -E '^(FAIL|not ok)|^    ' "$2" | head -n 80; fi
    tally "$1" "$good" "$bad"
}

unit() {     # unit PRESET FOLDER: the cmocka programs, counted test by test
    local log=build/test-unit-$1.log status=0
    ctest --test-dir "$2" -V -j "$many" >"$log" 2>&1 || status=$?
    local good bad programs not
    good=$(grep -oE '\[  PASSED  \] [0-9]+ test' "$log" | grep -oE '[0-9]+' | add)
    bad=$(grep -oE '\[  FAILED  \] [0-9]+ test' "$log" | grep -oE '[0-9]+' | add)
    not=$(grep -oE '\[  SKIPPED \] [0-9]+ test' "$log" | grep -oE '[0-9]+' | add)
    programs=$(sed -n 's/.* \([0-9]*\) tests\{0,1\} failed out of.*/\1/p' "$log" | add)
    [ "$programs" -gt "$bad" ] && bad=$programs    # a program that crashed has no summary
    [ "$status" -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
    skipped=$((skipped + not))
    if [ "$bad" -ne 0 ]; then
        grep -E '\[  (ERROR|FAILED)   ?\]|ERROR: AddressSanitizer|runtime error|LeakSanitizer|error: Failure' "$log" | head -n 60
        sed -n '/The following tests FAILED/,$p' "$log"
    fi
    tally "unit tests ($1)" "$good" "$bad"
}

examples() { # each ends well and says something
    local program
    for program in build/examples/*; do
        "$program" >build/example.out || return 1
        [ -s build/example.out ] || { echo "$program says nothing"; return 1; }
    done
}

guides() {   # what the pages show, done and compared
    local log=build/test-guides.log status=0 more=
    [ "$long" -eq 1 ] && more=--long
    JOBS=$jobs tools/check_guides.sh $more build >"$log" 2>&1 || status=$?
    skipped=$((skipped + $(grep -c '^skip' "$log")))
    sums guides "$log" "$status"
}

build() {    # build PRESET FOLDER
    local more=
    [ "$1" = asan ] && more=-DUNA_EVERY_ACCESS=$long
    cmake --preset "$1" $more && cmake --build "$2" -j "$jobs"
}

program() {  # program PRESET FOLDER: the scripts in tests/cli
    local log=build/test-cli-$1.log status=0
    local sanitized=
    [ "$1" = ci ] || sanitized=1
    SANITIZED=$sanitized JOBS=$many bash tests/cli/run.sh "$2/una" >"$log" 2>&1 || status=$?
    skipped=$((skipped + $(grep -c '^skip' "$log")))
    sums "program ($1)" "$log" "$status"
}

golden() {   # reference vectors, where the shared folder is there
    local place=${UNA_SHARED:-../shared}/golden log=build/test-golden.log status=0
    if [ ! -x build/tests/golden ] || [ ! -d "$place" ]; then
        echo "golden vectors: skipped, because $place or build/tests/golden is not there"
        skipped=$((skipped + 1))
        return
    fi
    build/tests/golden "$place" >"$log" 2>&1 || status=$?
    skipped=$((skipped + $(grep -c '^skip' "$log")))
    if grep -qE '^[0-9]+ passed, [0-9]+ failed' "$log"; then
        sums "golden vectors" "$log" "$status"
    elif [ "$status" -eq 0 ]; then
        tally "golden vectors" 1 0
    else
        tail -n 40 "$log"
        tally "golden vectors" 0 1
    fi
}

slow() {     # the demo, twice: the same numbers whatever the threads
    local place
    place=$(mktemp -d) || return 1
    build/una demo --json --threads 1 --report "$place/a.html" | sed 's/, "report".*//' >"$place/one" &&
        build/una demo --json --threads 2 --report "$place/b.html" | sed 's/, "report".*//' >"$place/two" &&
        cmp "$place/one" "$place/two"
    local status=$?
    rm -rf "$place"
    return $status
}

server() {   # one for the whole run: tests of databases make their own inside it
    server=$(mktemp -d) || return
    trap 'tools/postgres.sh stop "$server" >/dev/null 2>&1; rm -rf "$server"' EXIT
    if UNA_TEST_POSTGRES=$(tools/postgres.sh start "$server" 2>build/test-postgres.log); then
        export UNA_TEST_POSTGRES
    else
        echo "server of PostgreSQL: skipped, because $(tail -n 1 build/test-postgres.log)"
        skipped=$((skipped + 1))
        unset UNA_TEST_POSTGRES
    fi
}

[ "$long" -eq 1 ] && export UNA_TEST_LONG=1
# Else the leak check itself dies now and then (signal 11) in what threads hold for libraries that were loaded late.
export ASAN_OPTIONS=intercept_tls_get_addr=0
export LSAN_OPTIONS=suppressions=$PWD/tests/no_leaks:print_suppressions=0
server
for preset in ci asan; do
    folder=build
    [ "$preset" = ci ] || folder=build-$preset
    step "build ($preset)" "build/test-build-$preset.log" build "$preset" "$folder" || continue
    unit "$preset" "$folder"
    program "$preset" "$folder"
done
golden
[ -x tools/check_arrows.sh ] && step "rooms include only rooms above" build/test-arrows.log tools/check_arrows.sh
step "names without old words" build/test-words.log tools/check_words.sh
for library in una una_report una_study una_bench; do
    step "$library.h alone, names of $library" "build/test-face-$library.log" tools/check_face.sh build "$library"
done
if [ -e build/libuna_mpi.so ]; then
    step "una_mpi.h alone, names of una_mpi" build/test-face-una_mpi.log tools/check_face.sh build una_mpi
else
    echo "libuna_mpi: skipped, because there was no MPI to build it with"
    skipped=$((skipped + 1))
fi
step "version in one place" build/test-version.log tools/check_version.sh build
step "files of TOUR" build/test-tour.log tools/check_tour.sh
step "sizes of files and functions" build/test-sizes.log tools/check_sizes.py
step "texts of the mutants" build/test-mutants.log tools/mutants --list
step "links of the pages" build/test-links.log tools/check_links.py
step "examples" build/test-examples.log examples
guides
maybe "what files are linked with" build/test-light.log tools/check_light.sh build
step "installed tree" build/test-install.log tools/check_install.sh build
maybe "hardened files" build/test-hardened.log tools/check_hardened.sh
maybe "packages" build/test-package.log tools/check_package.sh build
[ "$long" -eq 1 ] && maybe "packages on a bare machine" build/test-package-long.log tools/check_package.sh --long build
[ "$long" -eq 1 ] && maybe "libuna alone on a bare machine" build/test-light-long.log tools/check_light.sh --long
[ "$long" -eq 1 ] && step "demo, 1 and 2 threads" build/test-demo.log slow

[ "$skipped" -gt 0 ] && echo "$skipped skipped (the logs build/test-*.log say why)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
