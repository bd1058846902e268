#!/bin/bash
# SPDX-License-Identifier: MIT
# Do the guides still hold? Does with every fenced block of the pages (README.md and docs/) what a reader would do:
#   c, and the text above names a file    stands in that file, line for line; if it is new, it is laid over the tree
#   c, and it names none                  statements in a function that has a run: compiled
#   diff                                  laid over the tree, where its context stands exactly once
#   sh                                    run
#   no language, first line "$ ..."       each command is run, and must print what stands below it
# In what a command prints, "..." as a line stands for any lines, inside a line for any text; seconds are not compared.
# What a page lays over the tree is compiled, warnings being errors, and linked with the objects of BUILD: una, and the
# tests that the page runs as build/tests/NAME. Pages run one after the other in one folder, README.md and
# docs/use/START.md first, with una in PATH and a copy of examples/. tools/guides.list names the blocks that are not run
# like this, and why.
#   tools/check_guides.sh [--long] [--write] [BUILD]     --long: also blocks that take long; --write: what a command
# prints now is put into the page (tools/write_block.py), for a person to read the difference
# Every block counts once, and once more what a page makes of its own. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
root=$(pwd -P)
long=""
[ "${1:-}" != "--long" ] || { long=1; shift; }
write=""
[ "${1:-}" != "--write" ] || { write=1; shift; }
build=$(cd "${1:-build}" && pwd -P) || exit 1
list=$root/tools/guides.list
shared=$(cd "${UNA_SHARED:-../shared}" 2>/dev/null && pwd)
passed=0
failed=0
not_run=0
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
walk=$place/walk
mkdir -p "$place/bin" "$place/blocks" "$walk"
cp -r examples "$walk"
: >"$place/later"

# A place of one's own, with una installed, and no data of the person who runs this.
ln -s "$build/una" "$place/bin/una"
printf 'Name: una\nDescription: una\nVersion: 0\nCflags: -I%s\nLibs: -L%s -luna\n' \
    "$root/include" "$build" >"$place/una.pc"
export PATH=$place/bin:$PATH PKG_CONFIG_PATH=$place LD_LIBRARY_PATH=$build NO_COLOR=
export XDG_CACHE_HOME=$place/cache XDG_DATA_HOME=$place/no-data
unset UNA_DATA

pass() { echo "ok   $at: $1"; passed=$((passed + 1)); }
fail() {     # fail WHAT [FILE]: with the last lines of what was said
    echo "FAIL $at: $1"
    [ $# -lt 2 ] || tail -n 30 "$2" | sed 's/^/    /'
    failed=$((failed + 1))
}

# ---- which blocks there are, and what is to be done with them ---------------------------------------------

# A line for each fenced block: line, language, file that the text above names, first line, file with its text.
blocks() {   # blocks PAGE
    awk -v page="$1" -v folder="$place/blocks" '
        function named(text,    name) {     # the last file in a paragraph
            while (match(text, /`[a-z]+\/[A-Za-z0-9_\/.]+\.[ch]`/)) {
                name = substr(text, RSTART + 1, RLENGTH - 2)
                text = substr(text, RSTART + RLENGTH)
            }
            return name
        }
        function tell() { print line "\037" language "\037" named(above) "\037" first "\037" file }
        BEGIN { flat = page; gsub(/\//, "_", flat) }
        !on && /^ *```/ {
            on = 1; line = FNR; language = /^ / ? "indented" : substr($0, 4); first = ""
            file = folder "/" ++count "-" flat
            printf "" >file
            next
        }
        on && /^ *```$/ { on = 0; close(file); tell(); next }
        on { if (first == "") first = $0; print >file; next }
        NF { above = blank ? $0 : above " " $0 }
        blank && /^    +(\$|(una|make|mpirun|cmake|ninja|cc|awk|cat|printf|python3|sh|bash|[a-z.-]*\/[a-zA-Z_.]+)) / {
            line = FNR; language = "indented"; first = substr($0, 5); file = "-"; tell()
        }
        { blank = !NF }
        END { if (on) { language = "unclosed"; tell() } }' "$1"
}

entry() {    # entry PAGE FIRST: what tools/guides.list says of a block: KIND|WHY; nothing: it is like the others
    awk -F ' *[|] *' -v page="$1" -v first="$2" -v used="$place/used" '
        !/^#/ && $2 == page && index(first, $3) == 1 { print FNR >>used; print $1 "|" $4; exit }' "$list"
}

block() {    # block LANGUAGE NAME FIRST TEXT: as the list says, and then by its language
    local said kind why data
    said=$(entry "$page" "$3")
    kind=${said%%|*}
    why=${said#*|}
    if [[ $kind == long* ]]; then
        [ -n "$long" ] || { leave "only with --long: $why"; return; }
        for data in ${kind#long}; do
            [[ $data == */* ]] || break
            [ -e "$shared/data/$data" ] || { echo "skip $at: $data is not in ${UNA_SHARED:-../shared}/data"; return; }
            ln -sf "$shared/data/$data" "$walk"
        done
    fi
    case $kind in
    no) leave "$why" ;;
    "after "* | "long after "*)
        printf '%s\037%s\037%s\037%s\037%s\n' "${kind#*after }" "$at" "$1" "$2" "$4" >>"$place/later" ;;
    "" | long | "long "*) do_block "$1" "$2" "$4" ;;
    *) fail "tools/guides.list says '$kind', which is no, after PAGE, long, long after PAGE, or long FILE..." ;;
    esac
}

leave() { echo "left $at: $1"; not_run=$((not_run + 1)); }

do_block() { # do_block LANGUAGE NAME TEXT
    case $1 in
    c) if [ -z "$2" ]; then statements "$3"; elif [ -e "$2" ]; then quoted "$2" "$3"; else new_file "$2" "$3"; fi ;;
    diff) change "$2" "$3" ;;
    sh) ready && script "$3" ;;
    "") if [[ $(head -n 1 "$3") == '$ '* ]]; then ready && session "$3"
        else fail "has neither a language nor '\$ ' before its first line: what should be done with it?"; fi ;;
    indented) fail "stands indented: put it between fences at the edge of the page, so that it is checked" ;;
    *) fail "a block of the sort '$1', with which this tool can do nothing" ;;
    esac
}

# ---- C: compared, compiled, linked ------------------------------------------------------------------------

quoted() {   # quoted NAME TEXT: all or some lines of a file of the tree; commands below find the block under its name
    local whole part
    whole=$(printf '\n'; cat "$1"; echo end)
    part=$(printf '\n'; cat "$2"; echo end)
    cp "$2" "$walk/${1##*/}"
    if [[ $whole == *"${part%end}"* ]]; then pass "stands in $1"; return; fi
    diff "$1" "$2" >"$place/log"
    fail "does not stand in $1 (<)" "$place/log"
}

commands() { # commands TARGET...: how these are made
    ninja -C "$build" -t commands "$@" 2>&1
}

compiled() { # compiled COMMAND SOURCE OBJECT: the command of another file, for this one
    sed -E "s, -MD -MT [^ ]+ -MF [^ ]+,,; s, -o [^ ]+, -o $3,; s, -c .*, -Werror -c $2,;
            s, -I$root/include, -I$over/src -I$over/tests -I$root/include," <<<"$1"
}

statements() { # statements TEXT: in a function that has a run, and whose status they leave in `status`
    local source=$place/statements.c command
    {
        (cd include && printf '#include <%s>\n' *.h)
        printf 'una_status statements(una_run *run);\nuna_status statements(una_run *run)\n{\n'
        cat "$1"
        printf 'return status;\n}\n'
    } >"$source"
    command=$(commands una_program | grep -F -- " -c $root/cli/main.c")
    if (cd "$build" && sh -c "$(compiled "$command" "$source" "$place/statements.o")") >"$place/log" 2>&1
    then pass "statements that compile"; else fail "does not compile" "$place/log"; fi
}

new_file() { # new_file NAME TEXT
    mkdir -p "$over/$(dirname "$1")"
    cp "$2" "$over/$1"
    laid+=("$1")
    pass "is $1"
}

change() {   # change NAME TEXT: a diff, of NAME or of the files it names itself; each part between two @@ has one place
    local name path part good=1
    rm -f "$place"/part-*
    awk -v name="$1" -v part="$place/part-" '
        /^--- / { name = $2; next }
        /^\+\+\+ / { next }
        /^@@/ { fresh = 1; next }
        !count || fresh || name != last {
            file = sprintf("%s%02d", part, ++count)
            print name >file
            fresh = 0
            last = name
        }
        { print >file }' "$2"
    for part in "$place"/part-*; do
        read -r path <"$part"
        if [ ! -e "$over/$path" ]; then
            [ -e "$path" ] || { fail "changes '$path', which is not there"; return; }
            mkdir -p "$over/$(dirname "$path")"
            cp "$path" "$over/$path"
            laid+=("$path")
        fi
        sed 1d "$part" >"$place/change"
        lay "$over/$path" "$place/change" >"$place/log" 2>&1 || { fail "does not fit $path" "$place/log"; good=0; }
    done
    [ "$good" -eq 0 ] || pass "fits $(awk 'FNR == 1' "$place"/part-* | sort -u | paste -sd, - | sed 's/,/, /g')"
}

lay() {      # lay FILE CHANGE: lines that begin with a blank or - stand there once, and become those with a blank or +
    awk '
        FNR == NR {
            text = substr($0, 2)
            if ($0 !~ /^\+/) old[++olds] = text
            if ($0 !~ /^-/) new[++news] = text
            next
        }
        { line[++lines] = $0 }
        END {
            for (i = 1; i + olds - 1 <= lines; i++) {
                for (k = 1; k <= olds && line[i + k - 1] == old[k]; k++) ;
                if (k > olds) { at = i; found++ }
            }
            if (found != 1) {
                print "these lines stand there " found + 0 " times:"
                for (k = 1; k <= olds; k++) print old[k]
                exit 1
            }
            for (i = 1; i < at; i++) print line[i] >out
            for (k = 1; k <= news; k++) print new[k] >out
            for (i = at + olds; i <= lines; i++) print line[i] >out
        }' out="$1.new" "$2" "$1" && mv "$1.new" "$1"
}

ready() {    # what the page laid over the tree is compiled and linked before the first command of the page runs
    [ ${#laid[@]} -gt 0 ] || return 0
    case $made in
    yes) return 0 ;;
    bad) fail "is not run, since what stands above does not compile"; return 1 ;;
    esac
    made=yes
    if make_programs >"$place/log" 2>&1; then pass "with the blocks above it compiles and links"; return 0; fi
    fail "what the blocks above lay over the tree does not compile or link" "$place/log"
    made=bad
    return 1
}

make_programs() {
    local here=$place/made/${page//\//_} tests name
    mapfile -t tests < <(grep -hoE 'build/tests/[a-z0-9_]+' "$place/blocks/"*-"${page//\//_}" | sed 's,.*/,,' | sort -u)
    mkdir -p "$here/tests"
    rm -f "$walk/build"
    ln -s "$here" "$walk/build"
    commands una_program "${tests[@]}" >"$place/commands" || { cat "$place/commands"; return 1; }
    declarations_only || return 1
    : >"$place/make"
    objects=()
    compile_laid "${tests[@]}" || return 1
    compile_tests "${tests[@]}" || return 1
    xargs -0 -P "${JOBS:-2}" -n 1 sh -c <"$place/make" || return 1
    link una una "$here" || return 1
    for name in "${tests[@]}"; do link "tests/$name" "$name" "$here" || return 1; done
}

declarations_only() { # other files see a changed header of src/ as it was: it may only gain declarations
    local name
    for name in "${laid[@]}"; do
        [[ -e $name && $name == src/*.h ]] || continue
        diff "$name" "$over/$name" | grep '^[<>]' | grep -v '^> extern ' || continue
        echo "$name changes in more than extern lines: files that include it would have to be compiled again"
        return 1
    done
}

# The commands for all .c files of the page: each is compiled as often as BUILD compiles it, or one like it.
compile_laid() { # compile_laid TEST...
    local name like command before room
    for name in "${laid[@]}"; do
        case $name in
        src/*.h | experiments/*.h | tests/*.h) continue ;;
        tests/*.c) if [[ " $* " == *" $(basename "$name" .c) "* ]]; then continue; fi ;;
        esac
        before=${#objects[@]}
        like=$name
        [ -e "$name" ] || like=$(neighbour "$name")
        room=$(basename "$(dirname "$name")")
        while [[ $name == src/* || $name == experiments/* ]] && read -r command; do
            objects+=("$place/made/${#objects[@]}-$room-${page//\//_}.o")
            printf 'cd %s && %s\0' "$build" "$(compiled "$command" "$over/$name" "${objects[-1]}")" >>"$place/make"
        done < <(grep -E -- " -c $root/$like\$" "$place/commands")
        [ ${#objects[@]} -gt "$before" ] || { echo "$name is part of nothing that the page runs"; return 1; }
    done
}

way() { grep -oE '_(real|fast|loops)\.c$' <<<"$1"; }     # how often a file is compiled: cmake/Rooms.cmake

neighbour() { # neighbour NAME: a file of its folder, or of one like it, that is compiled as it must be
    local like folder
    folder=$(dirname "$1")
    if [[ $folder == experiments/* && ! -d $folder ]]; then folder=experiments/split; fi    # a new one
    for like in "$folder"/*.c; do
        [ "$(way "$like")" = "$(way "$1")" ] || continue
        echo "$like"
        return
    done
}

compile_tests() { # test programs include headers of tests/, which the page may have changed
    local name command source
    for name in "$@"; do
        command=$(grep -F -- " -o CMakeFiles/$name.dir/" "$place/commands")
        [ -n "$command" ] || { echo "$name is not built from one file"; return 1; }
        source=${command##* -c }
        [ ! -e "$over/${source#"$root"/}" ] || source=$over/${source#"$root"/}
        command=$(compiled "$command" "$source" "$place/made/$name.o")
        printf 'cd %s && %s\0' "$build" "$command" >>"$place/make"
    done
}

link() {     # link OUTPUT NAME FOLDER: the new objects stand before the archives, so that these do not give theirs; a
             # program that is linked with some rooms only gets the objects of these
    local command object room linked=()
    command=$(grep -E -- " -o $1 " "$place/commands" | tail -n 1)
    [ "$2" = una ] || command=$(sed -E "s, CMakeFiles/$2\.dir/[^ ]+\.o, $place/made/$2.o," <<<"$command")
    for object in "${objects[@]}"; do
        room=${object##*/}
        room=${room#*-}
        [[ $command == *libroom_* && $command != *libroom_${room%%-*}_* ]] || linked+=("$object")
    done
    (cd "$build" && sh -c "${command/ -o $1 / -o $3/$1 ${linked[*]} }")
}

# ---- commands: run and compared ---------------------------------------------------------------------------

in_walk() {  # in_walk COMMAND: as the reader would, with the page's own una if it has one
    local own=""
    [ -z "$made" ] || own=$walk/build:
    (cd "$walk" && PATH=$own$PATH bash -c "$1") >"$place/got" 2>&1 </dev/null
}

script() {   # script TEXT
    if in_walk "set -e
$(cat "$1")"; then pass "runs"; else fail "ends with an error" "$place/got"; fi
}

session() {  # session TEXT: lines that begin with "$ " are commands, what is below one is what it prints
    local lines command i=0
    mapfile -t lines <"$1"
    while [ "$i" -lt ${#lines[@]} ]; do
        command=${lines[i]#\$ }
        i=$((i + 1))
        while ! whole "$command" && [ "$i" -lt ${#lines[@]} ]; do command+=$'\n'${lines[i]} i=$((i + 1)); done
        : >"$place/want"
        while [ "$i" -lt ${#lines[@]} ] && [[ ${lines[i]} != '$ '* ]]; do
            printf '%s\n' "${lines[i]}" >>"$place/want"
            i=$((i + 1))
        done
        in_walk "$command" || { fail "$command: ends with an error" "$place/got"; return; }
        if [ ! -s "$place/want" ] || [ -z "$digits" ]; then continue; fi
        compare "$place/want" "$place/got" >"$place/log" || { [ -n "$write" ] &&
            tools/write_block.py "$page" "$command" "$place/want" "$place/got"; } ||
            { fail "$command: prints something else" "$place/log"; return; }
    done
    pass "${lines[0]}"
}

whole() { [[ $1 != *\\ ]] && bash -n -c "$1" 2>/dev/null; }

compare() {  # compare WANT GOT
    awk '
        # Seconds: at the end of a line, and in a column of that name down to the next empty line.
        function veiled(text) {
            if (text == "") column = 0
            if (text ~ /^ *\.\.\.$/) return text
            if (column) text = substr(text, 1, column - 1) "seconds" substr(text, column + 7)
            else if (match(text, /  seconds( |$)/)) column = RSTART + 2
            sub(/[0-9.]+ s$/, "? s", text)
            return text
        }
        function alike(a, b,    at) {
            if (a == b) return 1
            at = index(a, "...")
            return at && substr(a, 1, at - 1) == substr(b, 1, at - 1) && length(b) >= length(a) - 3 &&
                   substr(a, at + 3) == substr(b, length(b) - length(a) + at + 3)
        }
        function same(i, j,    k) {
            if (i > furthest) { furthest = i; there = j }
            if (i > wants) return j > gots
            if (want[i] !~ /^ *\.\.\.$/) return j <= gots && alike(want[i], got[j]) && same(i + 1, j + 1)
            for (k = j + 1; k <= gots + 1; k++) if (same(i + 1, k)) return 1
            return 0
        }
        FNR == 1 { column = 0 }
        FNR == NR { want[++wants] = veiled($0); next }
        { got[++gots] = veiled($0) }
        END {
            if (same(1, 1)) exit 0
            print "the page says:  " (furthest > wants ? "(no more)" : want[furthest])
            print "what came:"
            for (k = there; k <= gots && k < there + 12; k++) print got[k]
            exit 1
        }' "$1" "$2"
}

# ---- page by page -----------------------------------------------------------------------------------------

one_page() { # one_page PAGE: its blocks, then those of other pages that wait for it
    page=$1
    over=$place/over/$page
    laid=()
    made=""
    mkdir -p "$over"
    local line language name first text for_page
    while IFS=$'\037' read -r line language name first text <&3; do
        at=$page:$line
        block "$language" "$name" "$first" "$text"
    done 3< <(blocks "$page")
    at=$page
    [ -n "$made" ] || ready
    laid=()
    made=""
    while IFS=$'\037' read -r for_page at language name text <&3; do
        [ "$for_page" != "$page" ] || do_block "$language" "$name" "$text"
    done 3<"$place/later"
}

digits=1
if ! "$build/una" --version | grep -q '^kernels *avx512'; then
    digits=""
    echo "skip what is printed: it is that of the kernels avx512, which this machine does not run"
fi
: >"$place/used"
pages=(README.md docs/use/START.md)
mapfile -t -O 2 pages < <(find docs -name '*.md' ! -path docs/use/START.md | LC_ALL=C sort)
for guide in "${pages[@]}"; do one_page "$guide"; done
at=tools/guides.list
while read -r number; do
    grep -qx "$number" "$place/used" || fail "line $number is about a block that is not there"
done < <(awk '!/^#/ && NF { print FNR }' "$list")
while IFS=$'\037' read -r for_page at rest; do
    [ -e "$for_page" ] || fail "waits for $for_page, which is not there"
done <"$place/later"
echo "$not_run blocks were not run, as tools/guides.list says"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
