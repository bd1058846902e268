#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Which room may use which, and other rules of the source; run from the repository's root:
#   - a room includes only itself and the rooms its una_room(...) line in CMakeLists.txt names;
#   - the same holds for calls through the public headers: a public function belongs to the room that defines it;
#   - the program includes only the public headers and its own cli.h;
#   - nothing under src/ prints, ends the process or uses rand();
#   - nothing under src/ but base/text.c writes or reads doubles by functions that follow the host's locale;
#   - nothing but read/json.c reads JSON with Jansson, which knows no limit of memory;
#   - every file is opened so that no other program inherits it ("e" of fopen);
#   - every source file has its licence line.
# Prints what is out of order and exits 1, or says that all is in order.

[ -f CMakeLists.txt ] && [ -d src ] || { echo "arrows: run this from the root of the repository" >&2; exit 1; }

# The sources are read twice: first for who defines what, then for who uses it.
rooms=$(awk '
    function room_of(path,    part) { split(path, part, "/"); return part[2] }

    # The line without comments and texts; a comment may go on over several lines.
    function code(line,    at) {
        if (inside) {
            at = index(line, "*/")
            if (!at) return ""
            line = substr(line, at + 2)
            inside = 0
        }
        gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
        while ((at = index(line, "/*"))) {
            rest = substr(line, at + 2)
            line = substr(line, 1, at - 1) " "
            if (!index(rest, "*/")) { inside = 1; break }
            line = line substr(rest, index(rest, "*/") + 2)
        }
        return line
    }

    FNR == 1 { inside = 0; file = FILENAME; room = room_of(file); seen[file]++ }
    FILENAME == "CMakeLists.txt" {
        if ($0 !~ /^ *una_room\(/) next
        gsub(/una_room\(|\)/, " ")
        count = split($0, word, " ")
        known[word[1]] = 1
        allowed[word[1], word[1]] = 1
        for (i = 2; i <= count; i++) allowed[word[1], word[i]] = 1
        next
    }
    file ~ /^include\// {
        line = code($0)
        while (match(line, /una_[a-z0-9_]+\(/)) {
            public[substr(line, RSTART, RLENGTH - 1)] = 1
            line = substr(line, RSTART + RLENGTH)
        }
        next
    }
    seen[file] == 1 {            # a definition begins at the edge and does not end in a semicolon
        if ($0 !~ /^[a-z]/ || $0 ~ /;[ \t]*$/ || !match($0, /[ *]una_[a-z0-9_]+\(/)) next
        name = substr($0, RSTART + 1, RLENGTH - 2)
        if (name in public) home[name] = room
        next
    }
    FNR == 1 && file ~ /^experiments\// && !(room in known) {    # the line for all others
        for (pair in allowed) {
            split(pair, of, SUBSEP)
            if (of[1] == "${experiment}") allowed[room, of[2]] = 1
        }
        known[room] = allowed[room, room] = 1
    }
    FNR == 1 && !(room in known) { print file ": the room " room " has no una_room line in CMakeLists.txt" }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\"")
        if (quoted[2] ~ /^una(_[a-z]+)?\.h$/) next
        if (split(quoted[2], path, "/") != 2) print file ":" FNR ": includes are written \"room/file.h\": " $0
        else if (!((room, path[1]) in allowed)) print file ":" FNR ": " room " may not use " path[1] ": " $0
    }
    {
        line = code($0)
        if (line ~ /(^|[^A-Za-z0-9_])(printf|exit|abort|rand)[ \t]*\(/)
            print file ":" FNR ": the library never prints, exits or uses rand: " $0
        while (match(line, /[A-Za-z0-9_]+/)) {
            name = substr(line, RSTART, RLENGTH)
            if ((name in home) && !((room, home[name]) in allowed))
                print file ":" FNR ": " room " may not call " name ", which " home[name] " defines: " $0
            line = substr(line, RSTART + RLENGTH)
        }
    }
    END {
        for (name in public) if (!(name in home)) print "include/: " name " is declared, and no room defines it"
    }
' CMakeLists.txt include/*.h src/*/*.[ch] experiments/*/*.[ch] src/*/*.[ch] experiments/*/*.[ch])

program=$(awk '/^[ \t]*#[ \t]*include[ \t]*"/ && !/"una(_[a-z]+)?\.h"/ && !/"cli\.h"/ {
    print FILENAME ":" FNR ": the program uses the public headers and cli.h only: " $0
}' cli/*.[ch])

# Statement by statement, since a format may stand on the next line.
numbers=$(for file in src/*/*.[ch] experiments/*/*.[ch]; do
    [ "$file" = src/base/text.c ] || awk -v file="$file" 'BEGIN { RS = ";" }
        /(^|[^A-Za-z0-9_])(vsnprintf|vfprintf|strtod|strtof|strtold|atof)[ \t\n]*\(/ ||
        (/(^|[^A-Za-z0-9_])(snprintf|fprintf|sscanf|fscanf)[ \t\n]*\(/ &&
         /%[-+ #0-9.*]*l?[aefgAEFG]([^A-Za-z0-9_]|$|")/) {
            sub(/^[ \t\n]+/, ""); sub(/\n.*/, "")
            print file ": numbers follow the locale here; use una_write_text, una_text_add, una_parse_number: " $0
        }' "$file"
done)

json=$(grep -nE '(^|[^A-Za-z0-9_])json_load[a-z_]*[ \t]*\(|json_set_alloc_funcs' src/*/*.[ch] experiments/*/*.[ch] cli/*.[ch] |
    grep -v '^src/read/json\.c:[0-9]*:.*json_load_callback' | sed 's/$/   <- JSON of strangers goes through una_json_read/')

# Statement by statement, since the mode may stand on the next line.
opened=$(for file in src/*/*.[ch] experiments/*/*.[ch] cli/*.[ch]; do
    awk -v file="$file" 'BEGIN { RS = ";" }
        /(^|[^A-Za-z0-9_])fopen[ \t\n]*\(/ && !/fopen[ \t\n]*\([^;]*,[ \t\n]*"[a-z+]*e[a-z+]*"[ \t\n]*\)/ {
            sub(/^[ \t\n]+/, ""); sub(/\n.*/, "")
            print file ": fopen without \"e\": programs that are started would inherit it: " $0
        }' "$file"
done)

licence=$(find src include cli tests tools perf examples cmake python web \
    \( -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' \) -type f -print0 2>/dev/null |
    xargs -0 awk 'FNR == 1 && NR > 1 && !found { print last }
        FNR == 1 { found = 0; last = FILENAME ": the SPDX line is missing at the top" }
        FNR <= 5 && /SPDX-License-Identifier/ { found = 1 }
        END { if (!found) print last }')

if [ -n "$rooms$program$numbers$json$opened$licence" ]; then
    printf '%s\n' "$rooms" "$program" "$numbers" "$json" "$opened" "$licence" | sed '/^$/d'
    exit 1
fi
echo "arrows: all in order"
