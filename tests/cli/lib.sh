# SPDX-License-Identifier: MIT
# Words for the cases. `check NAME STATUS COMMAND...` runs the command and compares the exit status; the
# lines below it ask about its stdout and stderr. Every one of them counts as a test.
# shellcheck shell=bash

# Small and quick, for tests about anything but quality. $quick goes with --model luna and nlm.
quick="--set epochs=20 --set width=10"
fast="--model linear"

# Charts as PDF and PNG need a library that may not be there.
pdf=pdf png=png
PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -q 'libcairo\.so\.2' || pdf=svg png=svg

una() { "$UNA" "$@"; }
pass() { echo "ok   $CASE: $1"; }
fail() {
    echo "FAIL $CASE: $1"
    [ $# -gt 1 ] && printf '%s\n' "$2" | head -n 12 | sed 's/^/    /'
    return 0
}
skip() { echo "skip $CASE: $1"; }
only_plain() {  # at the top of a case: `only_plain || return 0`
    [ -z "${SANITIZED:-}" ] && return 0
    skip "trains too many models for the sanitizers, under which its unit tests run"
    return 1
}

check() {
    name=$1
    local wanted=$2 got=0
    shift 2
    "$@" >stdout.txt 2>stderr.txt </dev/null || got=$?
    if [ "$got" -eq "$wanted" ]; then pass "$name"
    else fail "$name: exit status $got instead of $wanted" "$(cat stdout.txt stderr.txt)"; fi
    if [ "$1" = una ]; then check_advice "$@"; fi
}
flags_of() {    # flags_of VERB...: those that its help lists, one per line
    una "$@" --help 2>/dev/null | grep -oE '^ +--[a-z-]+' | tr -d ' '
}
# What a sentence advises exists: every flag in it is one of the verb's, or was given, or belongs to a verb that the
# sentence names ('una fit --set ...', "fit the model with --missing mean").
check_advice() {
    local verb=${2:-} flag other
    case $verb in study | data) verb="$verb ${3:-}" ;; esac
    for flag in $(grep -oE "(^|[ ('])--[a-z][a-z-]*" stderr.txt | tr -d " ('" | sort -u); do
        case " --help --version $* " in *" $flag "* | *" $flag="*) continue ;; esac
        flags_of $verb | grep -qxe "$flag" && continue
        for other in $(grep -oE "una [a-z]+" stderr.txt | cut -c5- | sort -u) \
                     $(grep -qE "fit (the model|it|one|again|anew|with)" stderr.txt && echo fit); do
            [ "$other" != "$verb" ] && flags_of "$other" | grep -qxe "$flag" && continue 2
        done
        fail "$name: the advice $flag is no flag of 'una $verb'" "$(cat stderr.txt)"
    done
}
has() {     # has FILE TEXT
    if grep -qF -- "$2" "$1"; then pass "$name: $1 says '$2'"
    else fail "$name: $1 does not say '$2'" "$(cat "$1")"; fi
}
out() { local text; for text in "$@"; do has stdout.txt "$text"; done; }
err() { local text; for text in "$@"; do has stderr.txt "$text"; done; }
no_out() { if [ ! -s stdout.txt ]; then pass "$name: stdout is empty"; else fail "$name: stdout is not empty" "$(cat stdout.txt)"; fi; }
no_err() { if [ ! -s stderr.txt ]; then pass "$name: stderr is empty"; else fail "$name: stderr is not empty" "$(cat stderr.txt)"; fi; }
there() { if [ -s "$1" ]; then pass "$name: $1 was written"; else fail "$name: $1 was not written"; fi; }
absent() { if [ ! -e "$1" ]; then pass "$name: $1 was not written"; else fail "$name: $1 was written"; fi; }
same() { if cmp -s "$1" "$2"; then pass "$name: $1 and $2 are the same"; else fail "$name: $1 and $2 differ"; fi; }
true_that() {   # true_that WHAT COMMAND...
    local what=$1
    shift
    if "$@"; then pass "$name: $what"; else fail "$name: not so: $what" "$(cat stdout.txt stderr.txt)"; fi
}
tidy() {        # no temporary file was left behind
    local left
    left=$(find . -name '*.una.*' -o -name '*tmp*' -o -name '.*.una*' | head -n 5)
    if [ -z "$left" ]; then pass "$name: no temporary files"; else fail "$name: files left behind" "$left"; fi
}

json() {        # stdout is one JSON value with these keys at the top
    if command -v jq >/dev/null 2>&1; then
        if jq -e 'type == "object"' stdout.txt >/dev/null 2>&1; then pass "$name: one JSON object"
        else fail "$name: not one JSON object" "$(cat stdout.txt)"; fi
        local key
        for key in "$@"; do
            if jq -e "has(\"$key\")" stdout.txt >/dev/null 2>&1; then pass "$name: key $key"
            else fail "$name: no key $key" "$(cat stdout.txt)"; fi
        done
    elif command -v python3 >/dev/null 2>&1; then
        if python3 -c 'import json, sys; d = json.load(open("stdout.txt")); assert isinstance(d, dict); assert all(k in d for k in sys.argv[1:])' "$@" 2>/dev/null
        then pass "$name: one JSON object with its keys"
        else fail "$name: not one JSON object, or a key is missing" "$(cat stdout.txt)"; fi
    else
        skip "$name: neither jq nor python3 is there to read the JSON"
    fi
}

near() {        # near A.csv B.csv TOLERANCE: the same numbers, relatively
    if awk -F, -v tolerance="$3" 'NR == FNR { for (i = 1; i <= NF; i++) a[FNR, i] = $i; rows = FNR; next }
        FNR > 1 { for (i = 1; i <= NF; i++) { d = a[FNR, i] - $i; if (d < 0) d = -d; s = $i < 0 ? -$i : $i
                  if (d > tolerance * (s > 1e-3 ? s : 1e-3)) bad = 1 } }
        END { exit bad || FNR != rows || rows < 2 }' "$1" "$2"
    then pass "$name: $1 and $2 agree to $3"
    else fail "$name: $1 and $2 do not agree to $3" "$(paste "$1" "$2" | head -n 5)"; fi
}

# ---- data ------------------------------------------------------------------------------------------------

table() {       # table ROWS [SEED]: x1,x2,y with y = 2 x1 - x2 + noise, reproducible
    awk -v rows="$1" -v s="${2:-1}" 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
        BEGIN { print "x1,x2,y"; for (i = 0; i < 5; i++) u()
                for (i = 0; i < rows; i++) { a = 4 * u() - 2; b = 4 * u() - 2
                    printf "%.6f,%.6f,%.6f\n", a, b, 2 * a - b + 0.1 * (u() + u() + u() - 1.5) } }'
}
coloured() {    # the same with a text column
    table "$1" "${2:-1}" | awk -F, 'NR == 1 { print "x1,colour,y"; next }
        { split("red green blue", c, " "); print $1 "," c[NR % 3 + 1] "," $3 }'
}
published() {   # published FOLDER ROWS: FOLDER/uci/yacht.csv with three splits and a gap along each input
    mkdir -p "$1/uci/splits"
    table "$2" 7 | sed '1s/.*/x1,Froude number,resistance/' >"$1/uci/yacht.csv"
    awk -v rows="$2" -v file="$1/uci/yacht.csv" '
        function list(which,    i, text) {       # rows marked so in part[]
            for (i = 0; i < rows; i++) if (part[i] == which) text = text (text == "" ? "" : ", ") i
            return "[" text "]"
        }
        function entry() { return "{\"train\": " list(0) ", \"test\": " list(1) "}" }
        BEGIN {
            printf "{\"name\": \"yacht\", \"rows\": %d, \"standard\": [", rows
            for (k = 0; k < 3; k++) {
                for (i = 0; i < rows; i++) part[i] = (i + k) % 10 == 0
                printf "%s%s", k ? ", " : "", entry()
            }
            printf "], \"gap\": ["
            for (k = 0; k < 2; k++) {            # inputs lie in [-2, 2]: the middle is left out
                getline line <file
                for (i = 0; i < rows; i++) {
                    getline line <file
                    split(line, cell, ",")
                    part[i] = cell[k + 1] > -0.6 && cell[k + 1] < 0.6
                }
                close(file)
                printf "%s%s", k ? ", " : "", entry()
            }
            print "]}"
        }' >"$1/uci/splits/yacht.json"
}
