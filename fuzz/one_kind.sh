#!/bin/bash
# SPDX-License-Identifier: MIT
# The target `model` on files of one kind alone: fuzz/one_kind.sh KIND RUNS [FLAGS OF LIBFUZZER ...]
#   PROGRAM=build-fuzz/fuzz/model    UNA_FUZZ_MEMORY=8000000000 for the large limit
# Begins with the seeds fuzz/corpus/model/KIND* and tests/fixtures/KIND*.una; what it finds on the way stays in
# build-fuzz/work/model-KIND, so that it can go on, and findings in build-fuzz/findings.
set -eu
cd "$(dirname "$0")/.."
kind=$1 runs=$2
shift 2
work=build-fuzz/work/model-$kind
mkdir -p "$work" build-fuzz/findings
cp fuzz/corpus/model/"$kind" fuzz/corpus/model/"$kind"-* tests/fixtures/"$kind"_*.una "$work" 2>/dev/null || true
[ -n "$(ls -A "$work")" ] || { echo "there is no seed of the kind '$kind'" >&2; exit 1; }
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0} UBSAN_OPTIONS=print_stacktrace=1
exec "${PROGRAM:-build-fuzz/fuzz/model}" -runs="$runs" -timeout=25 -rss_limit_mb="${RSS:-10240}" -print_final_stats=1 -detect_leaks=0 \
    -artifact_prefix="build-fuzz/findings/model-$kind-" "$@" "$work"
