#!/bin/bash
# SPDX-License-Identifier: MIT
# Does the version stand in one place only? include/una.h has it; CHANGELOG.md has a heading for it; no other text of
# the tree does, and what was built says the same.
#   tools/check_version.sh [BUILD]
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
version=$(tools/version.sh) || exit 1
bad=0

# Fixtures, corpora and kept rows say by which una they were made; they are not copies.
copies=$(grep -rnIE "(^|[^0-9.])${version//./\\.}([^0-9.]|$)" . --exclude-dir=.git --exclude-dir='build*' \
    --exclude-dir=dist \
    --exclude-dir='obj-*' --exclude-dir=corpus --exclude-dir=fixtures --exclude-dir=results --exclude-dir=perf \
    --exclude-dir=tmp --exclude=.manifest --exclude=changelog --exclude=CHANGELOG.md)
if [ -n "$copies" ]; then
    echo "a second copy of the version $version, which stands in include/una.h:"
    echo "$copies"
    bad=1
fi
first=$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' CHANGELOG.md | head -n 1)
if [ "$first" != "$version" ]; then
    echo "the first entry of CHANGELOG.md is that of '$first', not of $version"
    bad=1
fi
if [ -x "$build/una" ] && [ "$("$build/una" --version | head -n 1)" != "una $version" ]; then
    echo "$build/una is not of version $version: $("$build/una" --version | head -n 1)"
    bad=1
fi
for file in "$build"/una*.pc; do
    [ -e "$file" ] || continue
    grep -qx "Version: $version" "$file" || { echo "$file is not of version $version"; bad=1; }
done
[ "$bad" -eq 0 ] && echo "the version is $version, in one place"
exit "$bad"
