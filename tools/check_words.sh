#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Rules for names and words in the source; run from the repository's root:
#   - no name has an old word of tools/words.list: identifiers of C (not comments, not texts) and names of files;
#   - no static function of src/ and cli/ has the name of those in two other files: a stack trace would not tell them apart;
#   - no two headers define one type, guard or macro;
#   - no expression of src/, cli/ and include/ has a second ? at the same level.
# Prints FILE:LINE and what is wrong, and exits 1; or says that all is in order. It begins with a test of itself: a small
# tree with one fault of each sort must be refused, with every fault named.

# One line for each find: KIND TAB FILE:LINE TAB NAME, with the kinds name, static, header and nested.
finds() {
    find src cli include tests fuzz perf -name '*.[ch]' 2>/dev/null | LC_ALL=C sort | LC_ALL=C xargs awk '
        # The line without comments and texts; a comment may go on over several lines.
        function code(line,    at, out, c, two) {
            out = ""
            while (line != "") {
                if (inside) {
                    at = index(line, "*/")
                    if (!at) return out
                    line = substr(line, at + 2)
                    inside = 0
                    continue
                }
                if (!match(line, /"|\047|\/\*|\/\//)) return out line
                out = out substr(line, 1, RSTART - 1)
                line = substr(line, RSTART)
                c = substr(line, 1, 1); two = substr(line, 1, 2)
                if (two == "//") return out
                if (two == "/*") { inside = 1; line = substr(line, 3); continue }
                if (c == "\"" && match(line, /^"([^"\\]|\\.)*"/)) { out = out "\"\""; line = substr(line, RLENGTH + 1) }
                else if (c == "\047" && match(line, /^\047([^\047\\]|\\.)*\047/)) { out = out "0"; line = substr(line, RLENGTH + 1) }
                else { out = out " "; line = substr(line, 2) }
            }
            return out
        }
        function find_out(kind, name) { print kind "\t" FILENAME ":" FNR "\t" name }
        function count_questions(text,    i, c) {
            for (i = 1; i <= length(text); i++) {
                c = substr(text, i, 1)
                if (c == "(" || c == "[") depth++
                else if ((c == ")" || c == "]") && depth > 0) { questions[depth] = 0; depth-- }
                else if (c == "," || c == ";" || c == "{" || c == "}") {
                    questions[depth] = 0
                    if (c != ",") depth = 0
                    questions[depth] = 0
                }
                else if (c == "?" && ++questions[depth] == 2) find_out("nested", "?")
                if (c == "(" || c == "[") questions[depth] = 0
            }
        }
        FNR == 1 { inside = 0; depth = 0; questions[0] = 0; header = FILENAME ~ /^(src|include|cli)\/.*\.h$/; body = 0 }
        {
            line = code($0)
            if (line ~ /^[ \t]*#[ \t]*include/) next
            rest = line
            while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
                find_out("name", substr(rest, RSTART, RLENGTH))
                rest = substr(rest, RSTART + RLENGTH)
            }
            if (FILENAME ~ /^(src|cli)\/.*\.c$/ && line ~ /^static [A-Za-z_0-9 *]*[ *][a-z_0-9]+\(/ && line !~ /;[ \t]*$/) {
                rest = line
                sub(/\(.*/, "", rest); sub(/.*[ *]/, "", rest)
                find_out("static", rest)
            }
            if (header && match(line, /^[ \t]*#[ \t]*define[ \t]+[A-Za-z_0-9]+/)) {
                rest = substr(line, 1, RLENGTH); sub(/.*[ \t]/, "", rest)
                find_out("header", "macro " rest)
            }
            if (header && match(line, /^(typedef[ \t]+)?(struct|enum|union)[ \t]+[a-z_0-9A-Z]+[ \t]*\{/)) {
                rest = substr(line, 1, RLENGTH); sub(/[ \t]*\{.*/, "", rest); sub(/.*[ \t]/, "", rest)
                find_out("header", "type " rest)
            }
            if (FILENAME ~ /^(src|cli|include)\// && line !~ /^[ \t]*#/) count_questions(line)
        }'
}

# Names of files as finds of the first kind, one for each part of the path.
file_finds() {
    find src cli include tests fuzz perf -type f -name '*.*' ! -path '*/corpus/*' ! -path '*/fixtures/*' 2>/dev/null |
        LC_ALL=C sort | awk '{ name = $0; sub(/.*\//, "", name); sub(/\..*/, "", name); gsub(/-/, "_", name)
                               print "name\t" $0 ":0\t" name }'
}

# What is wrong, sorted; macros that are meant to be set anew for each precision (kern/both.h) are left out.
judge_tree() {
    { finds; file_finds; } | LC_ALL=C awk -F '\t' -v words="$1" '
        BEGIN {
            while ((getline line < words) > 0)
                if (line !~ /^[ \t]*(#|$)/) {
                    sub(/[ \t]*$/, "", line)
                    gsub(/\\w/, "[a-z0-9_]", line)
                    pattern[++patterns] = line ~ /[\^$]/ ? tolower(line) : "(^|_)(" tolower(line) ")(_|$)"
                }
            split("macro REAL,macro real,macro UNA_IN_BOTH", list, ",")
            for (i in list) meant[list[i]] = 1
        }
        function file_of(place) { sub(/:[0-9]*$/, "", place); return place }
        $1 == "name" {
            if (!($3 in bad)) {
                bad[$3] = ""
                for (i = 1; i <= patterns; i++)
                    if (tolower($3) ~ pattern[i]) bad[$3] = pattern[i]
            }
            if (bad[$3] != "") print $2 ": the name " $3 " has an old word (tools/words.list)"
        }
        $1 == "static" {
            key = $3 SUBSEP file_of($2)
            if (!(key in defined)) { defined[key] = 1; files[$3]++; where[$3] = where[$3] "\n" $2 }
        }
        $1 == "header" && !($3 in meant) {
            key = $3 SUBSEP file_of($2)
            if (!(key in told)) { told[key] = 1; headers[$3]++; stands[$3] = stands[$3] "\n" $2 }
        }
        $1 == "nested" { print $2 ": a second ? in one expression; write it out" }
        END {
            for (name in files) if (files[name] >= 3) {
                n = split(where[name], at, "\n")
                for (i = 2; i <= n; i++) print at[i] ": the static function " name " stands in " files[name] " files"
            }
            for (name in headers) if (headers[name] >= 2) {
                n = split(stands[name], at, "\n")
                for (i = 2; i <= n; i++) print at[i] ": another header defines the " name " too"
            }
        }' | LC_ALL=C sort -u
}

# A tree with one fault of each sort, and the same words where they do no harm.
self_test() {
    tree=$(mktemp -d) || return 1
    trap 'rm -rf "$tree"' EXIT
    here=$PWD
    mkdir -p "$tree/src/a" "$tree/cli" "$tree/include" || return 1
    printf '# a comment\ncompany\n(^|_)seats?($|_)\n' > "$tree/list"
    for file in one two three; do
        printf 'static int weigh(int x)\n{\n    return x;\n}\n' > "$tree/src/a/$file.c"
    done
    printf '/* in good company */\nconst char *text = "company";\nint accompany;\n' > "$tree/src/a/fine.c"
    printf 'int of_company(void);\nint two_SEATS, nauseats;\n' > "$tree/src/a/word.c"
    : > "$tree/src/a/company.c"
    printf 'int sign(int x)\n{\n    return x > 0 ? 1\n        : x < 0 ? -1 : 0;\n}\n' > "$tree/src/a/sign.c"
    printf 'int both(int x)\n{\n    return (x ? 1 : 2) + f(x ? 1 : 2, x ? 3 : 4);\n}\n' > "$tree/src/a/both.c"
    printf '#define UNA_A_H\ntypedef struct una_a { int x; } una_a;\n' > "$tree/src/a/a.h"
    printf '#define UNA_A_H\nstruct una_a {\n    int x;\n};\n' > "$tree/src/a/b.h"
    cd "$tree" || return 1
    judge_tree "$tree/list" > "$tree/found"
    cd "$here" || return 1
    cat > "$tree/wanted" <<'END'
src/a/a.h:1: another header defines the macro UNA_A_H too
src/a/a.h:2: another header defines the type una_a too
src/a/b.h:1: another header defines the macro UNA_A_H too
src/a/b.h:2: another header defines the type una_a too
src/a/company.c:0: the name company has an old word (tools/words.list)
src/a/one.c:1: the static function weigh stands in 3 files
src/a/sign.c:4: a second ? in one expression; write it out
src/a/three.c:1: the static function weigh stands in 3 files
src/a/two.c:1: the static function weigh stands in 3 files
src/a/word.c:1: the name of_company has an old word (tools/words.list)
src/a/word.c:2: the name two_SEATS has an old word (tools/words.list)
END
    diff "$tree/wanted" "$tree/found" >&2 && return 0
    echo "words: the check does not find what it should" >&2
    return 1
}

[ -f CMakeLists.txt ] && [ -f tools/words.list ] || { echo "words: run this from the root of the repository" >&2; exit 1; }
self_test || exit 1
wrong=$(judge_tree tools/words.list)
[ -z "$wrong" ] && { echo "words: all in order"; exit 0; }
printf '%s\n' "$wrong"
exit 1
