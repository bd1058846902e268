#!/bin/bash
# SPDX-License-Identifier: MIT
# An experiment, killed at random moments and taken up again, against the same one undisturbed:
#   tests/cli/kill.sh PROGRAM KILLS EXPERIMENT [FLAGS...]
#   tests/cli/kill.sh build/una 5 cubic --quick --models 'linear,gp,nlm(steps=50)' --quiet
# The last line is "N passed, N failed".
set -u
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 3 ] || [ ! -x "$1" ]; then
    sed -n '4,5s/^# *//p' "$0" >&2
    exit 1
fi
UNA=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
kills=$2 CASE=kill name=kill
export UNA NO_COLOR=
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$here/lib.sh"
. "$here/disturb.sh"
disturb "$@" | tee log.txt
echo "$(grep -c '^ok ' log.txt) passed, $(grep -c '^FAIL ' log.txt) failed"
! grep -q '^FAIL ' log.txt
