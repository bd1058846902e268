#!/bin/bash
# SPDX-License-Identifier: MIT
# Lines of src/ that the tests execute; fails below 90 %.
set -eu
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}

cmake --preset coverage >/dev/null
cmake --build build-coverage -j "$jobs" >build-coverage/build.log 2>&1 || { tail -n 40 build-coverage/build.log; exit 1; }
find build-coverage -name '*.gcda' -delete
server=$(mktemp -d)
trap 'tools/postgres.sh stop "$server" >/dev/null 2>&1; rm -rf "$server"' EXIT
UNA_TEST_POSTGRES=$(tools/postgres.sh start "$server")
export UNA_TEST_POSTGRES
ctest --test-dir build-coverage -j "$jobs" >build-coverage/test.log 2>&1 || tail -n 20 build-coverage/test.log
bash tests/cli/run.sh build-coverage/una >build-coverage/cli.log 2>&1 || tail -n 20 build-coverage/cli.log
gcovr --root . --filter 'src/' --exclude-unreachable-branches --object-directory build-coverage \
      --html-details build-coverage/coverage.html --txt build-coverage/coverage.txt \
      --print-summary --fail-under-line 90
