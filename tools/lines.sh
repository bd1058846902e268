#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines of code of src, cli and experiments (their tests apart), counted after clang-format, without blank lines and
# comments, so that no layout makes a tree look shorter than another.
#   tools/lines.sh [--files] [REV]     of the working tree, or of a commit; --files: of each file too
set -eu
cd "$(dirname "$0")/.."
each=
if [ "${1:-}" = --files ]; then each=1; shift; fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp .clang-format "$place/"
if [ $# -gt 0 ]; then
    git archive "$1" | tar x -C "$place" --exclude=.clang-format
else
    git ls-files -z -co --exclude-standard -- src cli experiments | xargs -0 sh -c '
        for file; do if [ -e "$file" ]; then printf "%s\0" "$file"; fi; done' sh |
        tar c --null -T - | tar x -C "$place"
fi
cd "$place"
find src cli experiments -name '*.[ch]' ! -path '*/tests/*' 2>/dev/null | sort | while read -r file; do
    count=$(clang-format --style=file "$file" | gcc -fpreprocessed -dD -E -P -x c - 2>/dev/null | grep -c '[^[:space:]]')
    echo "$count $file"
done >counts
if [ -n "$each" ]; then cat counts; fi
awk '{ sum += $1 } END { print sum, "lines of code in", NR, "files" }' counts
