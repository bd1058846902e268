#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The arrows of the house, run from the repository's root:
#   - a room includes only itself and the rooms its una_room(...) line in CMakeLists.txt names;
#   - una_report.h and una_bench.h are for the rooms of their own library, as una_library(...) lists them;
#   - the program includes only these three headers and its own cli.h;
#   - nothing under src/ prints, ends the process or uses rand();
#   - every source file has its licence line.
# Prints what is out of order and exits 1, or says that all is in order.

[ -f CMakeLists.txt ] && [ -d src ] || { echo "arrows: run this from the root of the repository" >&2; exit 1; }

bad=$(
    for file in src/*/*.[ch]; do
        [ -f "$file" ] || continue
        awk -v file="$file" '
            FILENAME == "CMakeLists.txt" {
                if ($0 ~ /^una_library\(/) {
                    count = split($0, word, /[ ()]+/)
                    for (i = 4; i <= count && word[i] ~ /^[a-z]+$/; i++) face[word[i], word[2] ".h"] = 1
                }
                if ($0 !~ /^una_room\(/) next
                gsub(/una_room\(|\)/, " ")
                count = split($0, word, " ")
                known[word[1]] = 1
                allowed[word[1], word[1]] = 1
                for (i = 2; i <= count; i++) allowed[word[1], word[i]] = 1
                next
            }
            FNR == 1 {
                split(file, part, "/")
                room = part[2]
                if (!(room in known)) print file ": the room " room " has no una_room line in CMakeLists.txt"
            }
            /^[ \t]*#[ \t]*include[ \t]*"/ {
                split($0, quoted, "\"")
                if (quoted[2] == "una.h" || ((room, quoted[2]) in face)) next
                if (split(quoted[2], path, "/") != 2)
                    print file ":" FNR ": includes are written \"room/file.h\": " $0
                else if (!((room, path[1]) in allowed))
                    print file ":" FNR ": " room " may not use " path[1] ": " $0
            }
            /(^|[^A-Za-z0-9_])(printf|exit|abort|rand)[ \t]*\(/ {
                print file ":" FNR ": the library never prints, exits or uses rand: " $0
            }
        ' CMakeLists.txt "$file"
    done
    for file in cli/*.[ch]; do
        [ -f "$file" ] || continue
        awk -v file="$file" '
            /^[ \t]*#[ \t]*include[ \t]*"/ && !/"(una|una_report|una_bench|cli)\.h"/ {
                print file ":" FNR ": the program uses public headers and cli.h only: " $0
            }
        ' "$file"
    done
    find src include cli tests tools perf examples cmake python web \
        \( -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' \) -type f 2>/dev/null |
    while read -r file; do
        head -n 5 "$file" | grep -q 'SPDX-License-Identifier' || echo "$file: the SPDX line is missing at the top"
    done
)

if [ -n "$bad" ]; then
    printf '%s\n' "$bad"
    exit 1
fi
echo "arrows: all in order"
