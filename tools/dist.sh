#!/bin/sh
# SPDX-License-Identifier: MIT
# `make dist`: dist/una-VERSION.tar.xz, the source of the last commit, and beside it the Debian packages that are built
# from it. The archive has the same bytes wherever it is made, also from an archive that was unpacked: names in order,
# the time of the commit, nobody's name. Such a tree has no git; it knows its commit by .commit, its files by .manifest.
#   tools/dist.sh [--source] [FOLDER]      --source: the archive only; default: dist
set -eu
cd "$(dirname "$0")/.."
root=$PWD
only=""
[ "${1:-}" != "--source" ] || { only=1; shift; }
mkdir -p "${1:-dist}"
out=$(cd "${1:-dist}" && pwd)

version=$(tools/version.sh)
name=una-$version
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/$name"

if [ -e .git ]; then
    [ -z "$(git status --porcelain)" ] || echo "what is not committed is not in the archive" >&2
    git archive HEAD | tar -x -C "$place/$name"
    tools/version.sh --debian >"$place/$name/debian/changelog"
    (cd "$place/$name" && find . ! -type d | sed 's,^\./,,' | LC_ALL=C sort >"$place/manifest")
    mv "$place/manifest" "$place/$name/.manifest"
elif [ -e .manifest ]; then
    tar -c -T .manifest .manifest | tar -x -C "$place/$name"
else
    echo "$root is neither a checkout nor an archive of the source: there is no .git and no .manifest" >&2
    exit 1
fi
SOURCE_DATE_EPOCH=$(cut -d' ' -f2 "$place/$name/.commit")
export SOURCE_DATE_EPOCH
tar -c -C "$place" --format=gnu --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode='u=rwX,go=rX' "$name" | xz -T1 -6 >"$place/$name.tar.xz"
mv "$place/$name.tar.xz" "$out/"
echo "$out/$name.tar.xz"
[ -z "$only" ] || exit 0

if ! command -v dpkg-buildpackage >/dev/null || ! command -v dh >/dev/null; then
    echo "no Debian packages: dpkg-buildpackage or debhelper is not there" >&2
    exit 0
fi
mkdir "$place/packages"
tar -x -C "$place/packages" -f "$out/$name.tar.xz"
cd "$place/packages/$name"
dpkg-buildpackage -us -uc -b >"$place/log" 2>&1 || { tail -n 60 "$place/log" >&2; exit 1; }
cd ..
find . -maxdepth 1 -type f -exec mv {} "$out/" \;
find "$out" -maxdepth 1 -name "*_${version}_*"
