# SPDX-License-Identifier: MIT
# Which columns a fit uses, what it makes of missing cells and of words never seen.
awk 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
    BEGIN { s = 3; print "when,x,\"a,b\",w,y"; split("red blue green", word, " ")
            for (i = 0; i < 120; i++) { x = 2 * u() - 1; k = i % 3 + 1
                printf "t%d o clock,%.4f,%.4f,%s,%.4f\n", i, x, u(), word[k], x + k + 0.1 * u() } }' >t.csv

# ---- --drop and --only
check "a column of words, each once" 0 una fit t.csv --target y $fast --out m.una --drop when,w
out "column" "'when' and 'w' were left out, by request"
check "info remembers" 0 una info m.una --json
json dropped
true_that "the inputs" grep -q '"columns": \["x", "a,b"\]' stdout.txt
check "info says it" 0 una info m.una
out "dropped             when, w"
check "the same columns, by --only" 0 una fit t.csv --target y $fast --out only.una --only x --only a,b --json
out "only columns 'x' and 'a,b' were used, by request" '"inputs": 2'
una predict m.una t.csv --out a.csv --quiet
una predict only.una t.csv --out b.csv --quiet
same a.csv b.csv
check "the target among --only" 0 una fit t.csv --target y $fast --out only2.una --only x,y --json
out '"inputs": 1'
check "a name that is not there" 2 una fit t.csv --target y $fast --out never.una --drop whem
err "t.csv has no column 'whem'" "did you mean 'when'?"
check "a name that is not there, --only" 2 una fit t.csv --target y $fast --out never.una --only x,ww
err "'ww'"
check "the target dropped" 1 una fit t.csv --target y $fast --out never.una --drop y
err "'y' is the target and cannot be dropped" "--target"
check "the target dropped, by its place" 1 una fit t.csv $fast --out never.una --drop y
err "'y' is the target"
check "in both" 1 una fit t.csv --target y $fast --out never.una --drop when,x --only x,w
err "'x' is named by --drop and by --only"
check "nothing left" 1 una fit t.csv --target y $fast --out never.una --drop x,a,b,w,when
err "no input of t.csv is left by --drop"
absent never.una
check "two targets" 0 una fit t.csv --target y,x $fast --out two.una --drop when
out "'when' was left out, by request"
check "a dropped column may change and go" 0 sh -c "cut -d, -f2- t.csv | tail -n 5 >tail.csv; head -n 1 t.csv | cut -d, -f2- | cat - tail.csv >new.csv; '$UNA' predict m.una new.csv"
check "updated with the old rows" 0 una update m.una t.csv --with t.csv --out again.una
check "still remembered" 0 una info again.una
out "dropped             when, w"
check "holes" 0 una gap t.csv --target y $fast --drop when --pairs 0 --json
true_that "none along it" test "$(grep -c '"when"' stdout.txt)" -eq 0
check "holes along it" 1 una gap t.csv --target y $fast --drop when --columns when
err "'when' is left out by request"
check "a search" 0 una tune t.csv --target y --model linear --over 'degree=1|2' --drop when,w --out found
out "--drop when,w"
check "a search without less" 0 una tune t.csv --target y --model linear --over 'degree=1|2' --drop when --out found
out "--drop when"
true_that "other columns are other fits" test "$(grep -c '"[^"]*drop=' found/*.csv)" -ge 4
check "a search that looks at it" 2 una tune t.csv --target y --model linear --over 'degree=1|2'
err "--drop 'when'"

# ---- timestamps and other columns of many words
awk 'BEGIN { print "id,x,y"; for (i = 0; i < 300; i++) printf "k%d!,%d,%d\n", i, i % 7, i % 7 + i % 2 }' >ids.csv
check "too many words" 2 una fit ids.csv --target y $fast --out never.una
err "300 different words" "--drop 'id'" "--other N"
check "all words rare" 0 una fit ids.csv --target y $fast --out ids.una --other 5 --json
out "column 'id' was left out: each of its 300 different words stands in fewer than 5 rows" "--drop 'id'" '"inputs": 1'
check "dropped" 0 una fit ids.csv --target y $fast --out ids2.una --drop id
out "'id' was left out, by request"

# ---- words never seen
printf 'x,"a,b",w\n0.1,0.5,red\n0.1,0.5,blue\n0.1,0.5,green\n0.1,0.5,violet\n' >asked.csv
awk -F, 'NR == 1 || NR > 31 { print; next } { $4 = "rare" NR; print $1 "," $2 "," $3 "," $4 "," $5 }' t.csv >rare.csv
check "an unseen word without --other" 2 sh -c "'$UNA' fit t.csv --target y $fast --drop when --out m.una --quiet && '$UNA' predict m.una asked.csv"
err "asked.csv, line 5, column 'w': 'violet' was not seen in training" "--other N"
largest() {     # the last row's ignorance is the largest
    awk -F, 'NR > 1 { if ($3 > most) most = $3; last = $3 } END { exit !(NR == 5 && last >= most && last > 0) }' "$1"
}
for model in linear gp "luna(epochs=40, width=12, members=2)"; do
    for table in t rare; do
        check "$model, $table: an unseen word" 0 una fit $table.csv --target y --model "$model" --drop when --other 5 --out m.una --quiet
        una predict m.una asked.csv --out answers.csv --quiet
        true_that "ignorance is largest there" largest answers.csv
    done
done
check "a rare word is no unseen one" 0 sh -c "printf 'x,\"a,b\",w\n0.1,0.5,rare9\n0.1,0.5,violet\n' >both.csv; '$UNA' fit rare.csv --target y $fast --drop when --other 5 --out m.una --quiet; '$UNA' predict m.una both.csv"
true_that "less is known of the unseen one" awk -F, 'NR == 2 { a = $3 } NR == 3 { b = $3 } END { exit !(b > 2 * a) }' stdout.txt

# ---- missing cells
awk 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
    BEGIN { s = 5; print "age,x,y"
            for (i = 0; i < 200; i++) { a = u(); m = i % 4 == 0
                printf "%s,%.4f,%.4f\n", m ? "NA" : sprintf("%.4f", a), u(), (m ? 3 : a) + 0.05 * u() } }' >lacking.csv
check "the model is told" 0 una fit lacking.csv --target y $fast --missing mean --out told.una --json
out '"inputs": 3'
printf 'age,x\nNA,0.5\n0.5,0.5\n0.5,NA\n' >ask.csv
check "missing in training, missing now" 0 una predict told.una ask.csv
true_that "the cell that was missing counts" awk -F, 'NR == 2 { a = $1 } NR == 3 { b = $1 } END { exit !(a > 2.5 && b < 1) }' stdout.txt
err "missing cells of the column 'x' count as its mean"
check "nothing missing in training" 0 sh -c "grep -v NA lacking.csv >whole.csv; '$UNA' fit whole.csv --target y $fast --missing mean --out whole.una --json"
out '"inputs": 2'
for model in gp "luna(epochs=20, width=10, members=2)" "tuna(epochs=10, width=10)" "sngp(epochs=10)"; do
    check "$model is told" 0 una fit lacking.csv --target y --model "$model" --missing mean --out m.una --json
    out '"inputs": 3'
    check "$model asked" 0 una predict m.una ask.csv
done
# Dates too, whose calendar parts are inputs as well.
awk 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
    BEGIN { s = 7; print "day,x,y"
            for (i = 0; i < 300; i++) { m = i % 5 == 0; d = i % 7
                printf "%s,%.3f,%.3f\n", m ? "" : sprintf("2024-%02d-%02d", 1 + int(i / 28), 1 + i % 28), u(), m ? 9 : d + 0.1 * u() } }' >dates.csv
check "dates that are missing" 0 una fit dates.csv --target y $fast --missing mean --out dates.una
check "asked by a file that was saved" 0 sh -c "printf 'day,x\n,0.5\n2024-03-05,0.5\n' >when.csv; '$UNA' predict dates.una when.csv"
true_that "the missing one is known" awk -F, 'NR == 2 { a = $1 } NR == 3 { b = $1 } END { exit !(a > 8 && b < 7) }' stdout.txt
check "a long file is told of once" 0 sh -c "awk 'BEGIN { print \"age,x\"; for (i = 0; i < 9000; i++) print \"0.5,\" }' >long.csv; '$UNA' predict told.una long.csv --out long-answers.csv"
true_that "one note" test "$(grep -c 'missing cells of the column' stderr.txt)" -eq 1
