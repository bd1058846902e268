# SPDX-License-Identifier: MIT
# Rows that belong together: near copies count once and are told; --group goes through fit, info, update, compare, gap
# and tune; subjects are named where nobody named them.
# shellcheck shell=bash

subjects() {    # subjects ROWS SEED NAME: subject,a,b,y; ten rows of each subject, which has an effect
    awk -v rows="$1" -v seed="$2" -v name="$3" 'function n() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
        BEGIN { srand(seed); print "subject,a,b,y"
            for (i = 0; i < rows; i++) { if (i % 10 == 0) s = n(); a = n(); b = n()
                printf "%s%d,%.6f,%.6f,%.6f\n", name, i / 10, a, b, 2 * a - b + s + 0.5 * n() } }'
}
subjects 300 1 s >visits.csv
subjects 100 2 t >more.csv

check "subjects that nobody named" 0 una fit visits.csv --model linear --drop subject --out plain.una --json
true_that "they are found" sh -c 'jq -e ".verdict.findings | any(.kind == \"grouped_rows\" and .column == \"subject\")" stdout.txt'
check "as an input" 0 una fit visits.csv --model linear --out words.una
out "rows in groups" "fit again with --group"
check "a group" 0 una fit visits.csv --model linear --group subject --out visits.una --json
true_that "it is named no more" sh -c 'jq -e ".inputs == 2 and (.verdict.findings | all(.kind != \"grouped_rows\"))" stdout.txt'
out "rows with the same 'subject' stay together"
check "the file knows it" 0 una info visits.una --json
out '"group": "subject"'
check "answers need no group" 0 sh -c 'cut -d, -f2-3 more.csv >ask.csv; "$UNA" predict visits.una ask.csv --out ask-answers.csv'
check "update, exactly" 0 una update visits.una more.csv --out updated.una
check "update, fitted again" 0 una update visits.una more.csv --with visits.csv --out again.una
out "400 rows"
check "it is remembered" 0 una info again.una --json
out '"group": "subject"'
cut -d, -f2-4 more.csv >groupless.csv
check "the column is missing then" 2 una update visits.una groupless.csv --with visits.csv --out no.una
err "subject"
absent no.una
check "compare" 0 una compare visits.csv --target y --models linear --group subject
out "folds of 30 groups"
check "tune" 0 una tune visits.csv --target y --models linear --over 'degree=1|2' --splits 2 --group subject
out "--group subject"
check "gap" 0 una gap visits.csv --target y --model linear --columns a --pairs 0 --group subject
check "one thread or two" 0 una fit visits.csv --model gp --group subject --threads 1 --out one.una --quiet
check "two threads" 0 una fit visits.csv --model gp --group subject --threads 2 --out two.una --quiet
same one.una two.una

check "no such column" 2 una fit visits.csv --model linear --group patient --out no.una
err "no column 'patient'"
check "the target" 1 una fit visits.csv --model linear --group y --out no.una
err "cannot say which rows belong together"
head -n 31 visits.csv >three.csv
check "three groups" 2 una fit three.csv --model linear --group subject --out no.una
err "makes 3 groups, and at least 5 are needed"
subjects 1500 3 s >many.csv
check "more subjects than a category may have" 2 una fit many.csv --model linear --out no.una
err "--group 'subject'"
absent no.una

awk -F, 'BEGIN { srand(4) } NR == 1 { print "a,b,y"; next } NR <= 61 { for (k = 0; k < 5; k++)
    printf "%.7f,%.7f,%.7f\n", $2 + 0.001 * rand(), $3 + 0.001 * rand(), $4 + 0.001 * rand() }' visits.csv >near.csv
check "near copies" 0 una fit near.csv --model linear --out near.una --json
out "300 of the 300 rows nearly agree with another row" '"rows": 60'
true_that "the noise is not that of copies" sh -c 'jq -e ".noise_std > 0.5 and .verdict.explained < 0.95" stdout.txt'
tidy
