# SPDX-License-Identifier: MIT
# Rows by a condition: --where in every verb that reads a table does what a file of those rows would do.
awk -v s=3 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
    BEGIN { print "x,kind,sex,known on,y"; for (i = 0; i < 5; i++) u()
            for (i = 0; i < 90; i++) { x = 4 * u() - 2; k = i % 3 == 0 ? "b" : i % 7 == 0 ? "" : "a"
                printf "%.5f,%s,%d,%s,%.5f\n", x, k, i % 2, i % 5 ? i : "NA", 2 * x + (k == "b") + i % 2 + 0.1 * u() } }' >all.csv
condition="sex == 1 and (kind == 'b' or x > 0) and not missing(\`known on\`)"
awk -F, 'NR == 1 || ($3 == 1 && ($2 == "b" || $1 > 0) && $4 != "NA")' all.csv >some.csv
rows=$(($(wc -l <some.csv) - 1))
name="the table"
true_that "the table tells rows apart" test "$rows" -gt 20 -a "$rows" -lt 45

check "fit" 0 una fit all.csv --target y $fast --missing mean --where "$condition" --out m.una
err "note: $rows of 90 rows of all.csv match the condition sex == 1 and (kind"
out "target y, $rows rows"
check "fit on a file of those rows" 0 una fit some.csv --target y $fast --missing mean --out s.una
same m.una s.una
check "info says nothing of it" 0 una info m.una --json
true_that "a condition is no part of a model" test "$(grep -c where stdout.txt)" -eq 0
check "fit, JSON" 0 una fit all.csv --target y $fast --missing mean --where "$condition" --out x.una --json
json kind rows notes
out "\"rows\": $rows"
check "rows of a file that judge" 0 una fit all.csv --target y $fast --missing mean --where "$condition" --valid all.csv --out x.una
err "note: $rows of 90 rows of all.csv"
out "on $rows rows held out"

check "predict" 0 una predict m.una all.csv --where "$condition" --keep --digits 17 --out answers.csv
out "$rows rows predicted"
err "note: $rows of 90 rows of all.csv match"
check "predict those rows" 0 una predict m.una some.csv --keep --digits 17 --out answers-2.csv --quiet
no_err
same answers.csv answers-2.csv
check "predict to the output" 0 una predict m.una all.csv --where 'x > 1.5'
true_that "as many lines" test "$(wc -l <stdout.txt)" -eq "$(awk -F, 'NR == 1 || $1 > 1.5' all.csv | wc -l)"
check "a stream" 0 sh -c 'cat all.csv | "$UNA" predict m.una /dev/stdin --where "kind == '"'b'"'" --quiet'
true_that "b alone" test "$(wc -l <stdout.txt)" -eq 31
check "score" 0 una score m.una all.csv --where "$condition" --json
cp stdout.txt score.json
check "score those rows" 0 una score m.una some.csv --json
same stdout.txt score.json
check "update" 0 una update m.una all.csv --where 'sex == 0' --out u.una
awk -F, 'NR == 1 || $3 == 0' all.csv >zero.csv
out "45 rows added"
check "update by those rows" 0 una update m.una zero.csv --out v.una
same u.una v.una
check "update --with" 0 una update m.una all.csv --with all.csv --where "$condition" --out w.una --json
out "\"rows_added\": $rows" "\"rows\": $((2 * rows))"
check "two targets" 0 una fit all.csv --target y,x $fast --missing mean --where 'sex == 1' --out two.una --quiet
check "score of two targets" 0 una score two.una all.csv --where 'sex == 0' --json
out '"target": "y", "rows": 45' '"joint": {"rows": 45'

check "gap" 0 una gap all.csv --target y $fast --missing mean --where 'x > -1.5' --columns x --pairs 0 --json
out "\"rows\": $(awk -F, 'NR > 1 && $1 > -1.5 { n++ } END { print n }' all.csv)"
check "tune" 0 una tune all.csv --target y $fast --missing mean --where 'sex == 1' --over 'degree=1|2'
out "Best: una fit all.csv --model" "--where 'sex == 1'"
err "45 of 90 rows of all.csv match"
check "suggest" 0 una suggest s.una --pool all.csv --where 'x > 1 and sex == 0' --count 2 --out next.csv --json
true_that "rows are those of the file" awk -F, 'NR == FNR { x[FNR - 1] = $1; next }
    FNR > 1 { n++; if (x[$2] != $3 || $3 <= 1) bad = 1 } END { exit bad || n != 2 }' all.csv next.csv
check "suggest without a table" 1 una suggest s.una --where 'x > 1'
err "give --pool or --data"

bad() {     # bad NAME STATUS CONDITION SENTENCE...
    check "$1" "$2" una fit all.csv --target y $fast --where "$3" --out no.una
    shift 3
    err "$@"
    absent no.una
}
bad "no condition" 1 'sex ==' 'una fit: condition "sex ==>>>", character 7: expected a column'
bad "one =" 1 'sex = 1' "use == for equality"
bad "no such column" 2 'sx == 1' "all.csv has no column 'sx'" "its columns are: x, kind, sex, known on, y"
bad "words and numbers" 2 'kind == 1' "line 2, column 'kind' holds the word 'b'"
bad "nothing left" 2 'sex > 1' "the condition sex > 1 holds for none of the 90 rows of all.csv"
check "predict, nothing left" 2 una predict m.una all.csv --where 'sex > 1' --out no.csv
err "holds for none of the 90 rows of all.csv"
absent no.csv
check "predict, no such column" 2 una predict m.una all.csv --where '`known at` > 1'
err "all.csv has no column 'known at' (did you mean 'known on'?)"
no_out
check "update, nothing left" 2 una update m.una all.csv --where "kind == 'z'"
same m.una s.una
tidy

# ---- ranks -------------------------------------------------------------------------------------------------------
only_plain || return 0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if una --version | grep -q '^ranks *none' || ! timeout 20 mpirun --oversubscribe -n 2 true >/dev/null 2>&1; then
    skip "mpirun is not there, or cannot run here, or there is no libuna_mpi beside una"
    return 0
fi
ranks() { timeout 60 mpirun --oversubscribe -n 2 "$UNA" "$@"; }
check "two ranks" 0 ranks fit all.csv --target y --model linear --missing mean --where 'x > 0' --out r.una
many=$(awk -F, 'NR > 1 && $1 > 0 { n++ } END { print n }' all.csv)
err "note: $many of 90 rows of all.csv match"
true_that "told once" test "$(grep -c 'rows of all.csv match' stderr.txt)" -eq 1
out "target y, $many rows"
check "a rank without rows" 2 ranks fit all.csv --target y --model linear --where 'sex == 1' --out no.una
err "but for none of the 45 that this rank has; use fewer ranks"
absent no.una
