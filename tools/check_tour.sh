#!/bin/bash
# SPDX-License-Identifier: MIT
# Does docs/develop/TOUR.md name every source, and none that is not there? Its tables name files as `room/file.c`; a
# header counts as named with the .c file of its name. Every other path of a file in TOUR, GLOSSARY and the drawings
# must exist too, at the root, in src/ or in experiments/.
#   tools/check_tour.sh [TREE]
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1
tour=docs/develop/TOUR.md
bad=0
say() { echo "$*"; bad=1; }

paths() {    # paths FILE...: what is written like the path of a file
    grep -ohsE '[`>](([a-z_]+/)+[A-Za-z0-9_]+\.(c|h|sh|list|md))[`<]' "$@" | tr -d '`<>' | sort -u
}

[ -s "$tour" ] || { echo "there is no $tour"; exit 1; }
while read -r path; do
    [ -e "$path" ] || [ -e "src/$path" ] || [ -e "experiments/$path" ] || say "$tour, GLOSSARY or a drawing names $path, which is not there"
done < <(paths "$tour" docs/GLOSSARY.md docs/develop/*.svg)

named=" $(paths "$tour" | sed 's,^\(src\|experiments\)/,,' | tr '\n' ' ')"
count=0
for file in src/*/*.[ch] experiments/*/*.[ch] cli/*.[ch]; do
    [ -e "$file" ] || continue
    count=$((count + 1))
    short=${file#src/}
    short=${short#experiments/}
    case $named in
    *" $short "* | *" ${short%.*}.c "* | *" ${short%.*}.h "*) ;;
    *) say "$tour does not name $file: give it a line in the table of its room" ;;
    esac
done
for room in src/*/; do
    grep -qF "### \`$room\`" "$tour" || say "$tour has no section '### \`$room\`'"
done
while read -r room; do
    [ -d "$room" ] || say "$tour has a section of $room, which is not there"
done < <(sed -n 's/^### `\(.*\)\/`$/\1/p' "$tour")
[ "$count" -gt 0 ] || say "no sources: is this the root of the tree?"
[ "$bad" -eq 0 ] && echo "$tour names all $count files"
exit "$bad"
