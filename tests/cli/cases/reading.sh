# SPDX-License-Identifier: MIT
# Files as people have them: what is found, what is said, what comes out, and that one table is one model.
export TZ=UTC

# ---- one table, four ways to write it ----------------------------------------------------------------------
# Days from 1 January 2024 on; a share in percent, an amount above 1,000, a mark that is missing now and then.
conventions() { # conventions clean|us|de|fr
    awk -v how="$1" -v s=11 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
        function date(i,    m, d, length_of, n) {
            n = split("31 29 31 30 31 30 31 31 30 31 30 31", length_of, " "); d = i + 1
            for (m = 1; d > length_of[m]; m++) d -= length_of[m]
            if (how == "us") return m "/" d "/2024"
            if (how == "clean") return sprintf("2024-%02d-%02d", m, d)
            return sprintf(how == "de" ? "%02d.%02d.2024" : "%02d/%02d/2024", d, m)
        }
        function number(v, digits,    text, mark, head) {        # with thousands marks, in the way of the place
            text = sprintf("%.*f", digits, v)
            if (how == "clean") return text
            mark = how == "us" ? "," : how == "de" ? "." : "\342\200\257"
            head = index(text, ".") ? index(text, ".") - 1 : length(text)
            if (how != "us") sub(/\./, ",", text)
            if (head > 3) text = substr(text, 1, head - 3) mark substr(text, head - 2)
            return how == "us" && index(text, ",") ? "\"" text "\"" : text
        }
        BEGIN {
            c = how == "clean" || how == "us" ? "," : ";"
            percent["us"] = "%"; percent["de"] = " %"; percent["fr"] = "\302\240%"
            missing["clean"] = "NA"; missing["us"] = "#N/A"; missing["de"] = "-"; missing["fr"] = "n/a"
            for (i = 0; i < 5; i++) u()
            print "date" c "share" c "amount" c "count" c "mark" c "kind" c "y"
            for (i = 0; i < 90; i++) {
                p = int(1000 * u()) / 10; a = 500 + 9000 * u(); n = int(2000 * u()) + 1; m = int(100 * u())
                y = 0.2 * a + 3 * p + 500 * (i % 7 == 5) + 0.1 * n + 20 * u()
                print date(i) c number(p, 1) percent[how] c number(a, 2) c number(n, 0) c \
                      (i % 13 == 4 ? missing[how] : m) c (i % 2 ? "red" : "blue") c number(y, 2)
            }
        }'
}
for how in clean us de fr; do
    mkdir -p $how
    conventions $how >$how/t.csv
    check "fit, $how" 0 una fit $how/t.csv $fast --missing mean --out $how.una
done
name="one table is one model"
same us.una clean.una
same de.una clean.una
same fr.una clean.una
check "fit, German" 0 una fit de/t.csv $fast --missing mean --out x.una --json
out "the cells have semicolons between them" "percent signs were taken off" "commas are decimal marks" \
    "thousands marks were taken off" "dates became days since 1970-01-01" "cells such as '-' count as missing" \
    "the weekday became inputs too"
check "how the file was written is no part of the model" 0 una info de.una
true_that "no semicolons" test "$(grep -c semicolons stdout.txt)" -eq 0
check "all given" 0 una fit de/t.csv $fast --missing mean --delimiter semicolon --decimal comma --dates dmy --out x.una
same x.una clean.una

printf 'date,share,amount,count,mark,kind\n2024-04-15,30,1234.5,1500,7,red\n2024-04-16,30,1234.5,1500,NA,red\n' >new.csv
printf 'date,share,amount,count,mark,kind\n4/15/2024,30%%,"1,234.5","1,500",7,red\n4/16/2024,30,1234.5,1500,--,red\n' >new-us.csv
printf 'date;share;amount;count;mark;kind\n15.04.2024;30 %%;1.234,5;1.500;7;red\n16.04.2024;30;1234,5;1500;-;red\n' >new-de.csv
check "predict" 0 una predict clean.una new.csv --out a.csv
check "predict, US" 0 una predict clean.una new-us.csv --out b.csv
same a.csv b.csv
check "predict, German" 0 una predict us.una new-de.csv --out b.csv
same a.csv b.csv
check "the next day is answered, from the standard input" 0 sh -c '"$UNA" predict us.una - --out b.csv <new-de.csv'
same a.csv b.csv
check "score" 0 una score clean.una us/t.csv --json
cp stdout.txt score.json
check "score, French" 0 una score clean.una fr/t.csv --json
same stdout.txt score.json
check "update" 0 una update clean.una us/t.csv --out u.una
check "update, German" 0 una update clean.una de/t.csv --out v.una
same u.una v.una

# ---- dates ---------------------------------------------------------------------------------------------------
printf 'date,share,amount,count,mark,kind\n45397,30,1,1,1,red\n' >serial.csv
check "a number is no date" 2 una predict clean.una serial.csv
err "serial.csv, line 2, column 'date': '45397' is not a date, and the model knows this column as such; write 2024-03-31"
printf 'date,share,amount,count,mark,kind\n3/4/2024,30,1,1,1,red\n' >either.csv
check "either order" 0 una predict clean.una either.csv
err "warning: column 'date': dates such as '3/4/2024' were read with the day first" "--dates mdy"
cp stdout.txt first.txt
check "day first" 0 una predict clean.una either.csv --dates dmy
no_err
same stdout.txt first.txt
check "month first" 0 una predict clean.una either.csv --dates mdy
no_err
true_that "another day" sh -c '! cmp -s stdout.txt first.txt'
awk 'BEGIN { print "when,y"; for (i = 0; i < 3000; i++) printf "2024-%02d-%02dT%02d:30:00Z,%.4f\n", 1 + int(i / 672) , 1 + int(i / 24) % 28, i % 24, sin(i * 6.2831853 / 24) + (i * 7919 % 13) / 50 }' >stamps.csv
check "3,000 timestamps" 0 una fit stamps.csv $fast --out stamps.una
out "3000 rows, 3 inputs" "of the dates in 'when' the hour became inputs too"
printf 'when\n2024-07-01 06:30\n' >later.csv
check "a later one" 0 una predict stamps.una later.csv
true_that "the hour is known" awk -F, 'NR == 2 { good = $1 > 0.9 && $1 < 1.3 } END { exit !good }' stdout.txt
printf 'a,b,y\n1,2024-01-01,2024-02-01\n2,2024-01-02,2024-02-03\n3,2024-01-05,2024-02-07\n' >when.csv
check "a target of dates" 2 una fit when.csv $fast
err "the target must be a number, but the column 'y' of when.csv holds dates; choose another column with --target"

printf 'd,x,y\n2023-01-05,1,1\n2023-03-05,3,2\n2023-06-05,2,3\n2023-07-05,5,4\n2023-09-05,4,9\n' >spring.csv
check "from a day on" 0 una fit spring.csv $fast --where "d >= '2023-06-01'" --out x.una
err "3 of 5 rows"
check "one day" 0 una fit spring.csv $fast --where "d != '2023-06-05'" --out x.una
err "4 of 5 rows"
check "some days" 0 una fit spring.csv $fast --where "not d in ('2023-06-05', '2023-07-05')" --out x.una
err "3 of 5 rows"
check "a date without quotes is no difference" 1 una fit spring.csv $fast --where "d >= 2023-06-01" --out x.una
err "put a date into quotes, as in day >= '2023-03-31'"

# ---- marks, units, words ----------------------------------------------------------------------------------------
printf 'p,w,price,y\n30%%,12 kg,$5,1\n12%%,7.5 kg,"$1,200",2\n50%%,9kg,$7,4\n40%%,3 kg,$9,3\n' >units.csv
check "units" 0 una fit units.csv $fast --out units.una
out "3 inputs" "column 'p': percent signs were taken off ('30%' is 30)" "column 'w': the unit 'kg' was taken off ('12 kg' is 12)" \
    "column 'price': the unit '\$' was taken off"
printf 'p,w,price\n30,12,5\n30%%,12 kg,$5\n' >two.csv
check "with and without" 0 una predict units.una two.csv
true_that "the same answers" test "$(tail -n 2 stdout.txt | sort -u | wc -l)" -eq 1
printf 'p,w,price\n30,12 lb,5\n' >lb.csv
check "another unit" 2 una predict units.una lb.csv
err "lb.csv: the cells of the column 'w' have the unit 'lb', and the model was fitted to 'kg'; convert them."
printf 'p,w,price\n30,12%%,5\n' >lb.csv
check "percent is another unit" 2 una predict units.una lb.csv
err "lb.csv: the cells of the column 'w' have the unit '%', and the model was fitted to 'kg'; convert them."
printf 'p,w,price\n30,5 kg,5\n30,6 lb,5\n' >lb.csv
check "two units" 2 una predict units.una lb.csv
err "lb.csv: the cells of the column 'w' have the unit 'lb', and the model was fitted to 'kg'; convert them."
printf 'p,w,price\n30,5 lb,5\n30,6 kg,5\n' >lb.csv
check "two units, the other way round" 2 una predict units.una lb.csv
err "lb.csv: the cells of the column 'w' have the unit 'lb', and the model was fitted to 'kg'; convert them."
printf 'p,w,price\n5 kg,5,5\n6 lb,6,5\n' >lb.csv
check "two units where none is known" 2 una predict units.una lb.csv
err "lb.csv: some cells of the column 'p' have the unit 'kg' and others 'lb'; convert them to one."
awk 'BEGIN { print "x,y"; for (i = 0; i < 60; i++) print i * 7 % 61 " kg," i * 7 % 61 " kg" }' >kg.csv
sed 's/,\(.*\) kg/,\1 lb/' kg.csv >lb.csv
sed 's/ kg//g' kg.csv >bare.csv
check "the target has a unit" 0 una fit kg.csv --model linear --out kg.una
for verb in score update; do
    check "$verb by another" 2 una $verb kg.una lb.csv
    err "lb.csv: the cells of the column 'y' have the unit 'lb', and the model was fitted to 'kg'; convert them."
done
check "score by its own" 0 una score kg.una kg.csv
no_err
check "score without" 0 una score kg.una bare.csv
no_err
check "validated by another" 2 una fit kg.csv --model "luna(epochs=5, width=5, members=1)" --valid lb.csv --out x.una
err "lb.csv: the cells of the column 'y' have the unit 'lb', and the model was fitted to 'kg'; convert them."
check "validated by one where none is known" 0 una fit bare.csv --model "luna(epochs=5, width=5, members=1)" --valid kg.csv --out x.una --json
out "column 'x' of kg.csv: the unit 'kg' was taken off, and the model was fitted to numbers without a unit"
printf 'w,x,y\n12,1,1\n12 kg,2,2\n12 lb,3,4\n13 kg,4,3\n12,5,3\n13 kg,7,4\n12 lb,1,2\n' >mixed.csv
check "mixed units are words, and that is said" 0 una fit mixed.csv $fast --out x.una
out "warning           column 'w' was taken as words, though many" "not all have the same unit ('12 kg')"
check "words on purpose" 0 una fit mixed.csv $fast --words w --out x.una
true_that "not a word about it" test "$(grep -c 'taken as words' stdout.txt)" -eq 0
printf 'zip,y\n10115,1\n20095,2\n10115,1.5\n20095,2.5\n' >zip.csv
check "numbers as words" 0 una fit zip.csv $fast --words zip --out zip.una
out "4 rows, 2 inputs"
check "predict them" 0 una predict zip.una zip.csv
check "no such column" 2 una fit zip.csv $fast --words zap
err "zip.csv has no column 'zap' (did you mean 'zip'?)"

# ---- a point may be a thousands mark: all rows of a column are read alike ----------------------------------------
awk 'BEGIN { print "x,z,y"; for (i = 0; i < 200; i++) { x = (i * 7919) % 5000 - .5; print x "," (i * 31 % 17) / 17 "," x } }' >id.csv
check "y is x" 0 una fit id.csv --model linear --out id.una
means() { # means NUMBER ...: of all answers
    true_that "means are $*" test "$(tail -n +2 stdout.txt | cut -d, -f1 | xargs printf '%.8g ')" = "$* "
}
for odd in '"1.234,5"' '"1,5"' 1.234.567; do
    printf 'x,z\n1.100,1\n%s,1\n1.100,1\n' "$odd" >odd.csv
    check "thousands above and below $odd" 0 una predict id.una odd.csv
    means 1100 $(echo $odd | sed 's/"//g; s/,/;/; s/\.//g; s/;/./') 1100
    cp stdout.txt first.txt
    check "the same from the standard input" 0 sh -c '"$UNA" predict id.una - <odd.csv'
    same stdout.txt first.txt
done
{ echo 'x;z;y'; yes '1.100;1;1100' | head -100; echo '1.234.567;1;1234567'; echo '1.100;1;1100'; } >late.csv
for verb in predict score; do
    check "$verb" 0 una $verb id.una late.csv
    cp stdout.txt first.txt
    check "$verb, told" 0 una $verb id.una late.csv --decimal comma
    same stdout.txt first.txt
done
check "update" 0 una update id.una late.csv --out a.una
check "update, told" 0 una update id.una late.csv --decimal comma --out b.una
same a.una b.una
for odd in '"1,5"' 1.234.567; do
    { echo 'x,z'; yes '12.345,1' | head -9000; echo "$odd,1"; } >far.csv
    check "thousands far above $odd" 0 una predict id.una far.csv
    true_that "12345" awk -F, 'NR > 1 && NR < 9002 { good += $1 > 12344 && $1 < 12346 } END { exit good != 9000 }' stdout.txt
done
{ echo 'x,z'; yes '12.345,1' | head -9000; echo '12.5,1'; } >far.csv
check "decimals" 0 una predict id.una far.csv
true_that "12.345" awk -F, 'NR > 1 && NR < 9002 { good += $1 > 12.3 && $1 < 12.4 } END { exit good != 9000 }' stdout.txt
cp stdout.txt first.txt
check "of a pipe, which cannot be looked through" 0 bash -c '"$UNA" predict id.una <(cat far.csv)'
same stdout.txt first.txt

# ---- what one column proves holds for the file ----------------------------------------------------------------------
printf 'x,z\n"2,033","0,5"\n"3,120","0,1"\n' >either.csv
check "decimal commas of another column" 0 una predict id.una either.csv
means 2.033 3.12
printf 'x,z\n"2,033",0.5\n"3,120",0.1\n' >either.csv
check "decimal points of another column" 0 una predict id.una either.csv
means 2033 3120
printf 'x;z;unused\n1.119;1;0,5\n1.200;2;7\n' >either.csv
check "of a column that the model does not know" 0 una predict id.una either.csv
means 1119 1200
{ echo 'x;z;y'; awk 'BEGIN { for (i = 0; i < 9000; i++) printf "1.%d;%d;1%d\n", i % 800 + 100, i % 7, i % 800 + 100 }'; echo '1.500;0,5;1500'; } >late.csv
check "far below" 0 una score id.una late.csv --json
cp stdout.txt score.json
check "far below, told" 0 una score id.una late.csv --json --decimal comma
same stdout.txt score.json
check "fit" 0 una fit late.csv $fast --out a.una
check "fit, told" 0 una fit late.csv $fast --out b.una --decimal comma
same a.una b.una
printf 'x\tz\n2.033\t0,5\n3.120\t0,1\n' >points.tsv
check "points stay where they always were decimal" 0 una predict id.una points.tsv
err "warning: column 'x': numbers such as '2.033' were read with a decimal point, though other columns have decimal commas" \
    "say --decimal comma"
means 2.033 3.12
check "unless told" 0 una predict id.una points.tsv --decimal comma
no_err
means 2033 3120
printf 'd,e,y\n3/4/2024,3/14/2024,1\n4/5/2024,4/15/2024,2\n5/7/2024,5/16/2024,4\n' >months.csv
check "months first in one column" 0 una fit months.csv $fast --out a.una
true_that "no warning" test "$(grep -c 'day first' stdout.txt)" -eq 0
check "told" 0 una fit months.csv $fast --out b.una --dates mdy
same a.una b.una
check "predict" 0 una predict a.una months.csv
no_err

printf 'a,y\n1,yes\n2,no\n3,yes\n' >yes.csv
check "a target of yes and no" 2 una fit yes.csv $fast
err "yes.csv holds two words, 'yes' and 'no'; write them as 0 and 1"

# ---- delimiters, comments, ends of lines ---------------------------------------------------------------------------
table 40 >plain.csv
check "plain" 0 una fit plain.csv $fast --out plain.una
true_that "no note on reading" test "$(grep -c '  note' stdout.txt)" -eq 0
tr , ';' <plain.csv >semi.csv
tr , '\t' <plain.csv >tabs.csv
tr , '|' <plain.csv >bars.txt
sed 's/,/;/g; s/\./,/g' plain.csv >comma.csv
{ echo 'sep=;'; cat semi.csv; } >sep.csv
{ echo '# measured by hand, with care; twice'; echo '#'; sed '5a # a remark' plain.csv; } >remarks.csv
sed 's/$/,/' plain.csv >trailing.csv
printf '\357\273\277' | cat - semi.csv | sed 's/$/\r/' >excel.csv
for file in semi.csv tabs.csv bars.txt comma.csv sep.csv remarks.csv trailing.csv excel.csv; do
    check "$file" 0 una fit $file $fast --out x.una
    same x.una plain.una
    cp stdout.txt $file.said
done
has remarks.csv.said "3 lines that begin with # were passed over"
has trailing.csv.said "the last column has neither a name nor cells and was left out"
has comma.csv.said "commas are decimal marks"
cp semi.csv semi.tsv
check "a .tsv has tabs" 2 una fit semi.tsv $fast
check "unless told" 0 una fit semi.tsv $fast --delimiter ';' --out x.una
same x.una plain.una
check "a wrong delimiter" 1 una fit plain.csv --delimiter colon
err "--delimiter 'colon': only commas, semicolons, tabs and bars can stand between cells; give comma, semicolon, tab or bar"
for mark in : ' '; do
    check "a wrong delimiter, '$mark'" 1 una fit plain.csv --delimiter "$mark"
    err "--delimiter '$mark': only commas, semicolons, tabs and bars can stand between cells"
done
check "a wrong mark" 1 una fit plain.csv --decimal dot
printf '#a,y\n1,2\n2,3\n3,5\n#4,6\n' >hash.csv
check "a header with #" 0 una fit hash.csv $fast --out x.una
out "column '#a' is mostly numbers but was taken as 4 categories" "line 5, column '#a' holds '#4'"
sed '7s/$/8/' trailing.csv >behind.csv
check "a cell behind the last" 2 una fit behind.csv $fast
err "behind.csv, line 7 has a cell behind the column 'y', which is the last with a name; give the next one a name in the header too."

# ---- books, spreadsheets and statistics programs -------------------------------------------------------------------
printf 'x,y\n10.5-,1\n4-,2\n3.25,3\n10.5-,4\n4-,5\n3.25,6.5\n' >sap.csv
printf 'x,y\n-10.5,1\n-4,2\n3.25,3\n-10.5,4\n-4,5\n3.25,6.5\n' >sap-plain.csv
check "minus behind, plain" 0 una fit sap-plain.csv $fast --out plain-x.una
check "minus behind" 0 una fit sap.csv $fast --out x.una
same x.una plain-x.una
out "column 'x': minus signs were read as accounts and word processors write them"
printf 'x\n-4\n3.25\n' >new-x.csv
check "minus before, answered" 0 una predict x.una new-x.csv
cp stdout.txt plain.txt
for minus in 4- '(4)' '- 4' "$(printf '\342\200\2234')" "$(printf '\342\210\2224')" '"=""-4"""'; do
    printf 'x\n%s\n3.25\n' "$minus" >new-x.csv
    check "$minus, answered" 0 una predict x.una new-x.csv
    same stdout.txt plain.txt
done
printf 'x,z,w,y\n20-29,Jan-24,a,1\n30-39,Feb-24,b,2\n20-29,Jan-24,a,3\n30-39,Mar-24,b,5\n' >near.csv
check "words that look like numbers" 0 una fit near.csv $fast --json --out x.una
out "column 'x' was taken as words, though its cells look like numbers or dates ('20-29'); write them as plain numbers or ISO dates if they are, or say --words 'x' if they are words" \
    "column 'z' was taken as words, though its cells look like numbers or dates ('Jan-24')"
check "and are words" 0 una fit near.csv $fast --words x,z --out x.una
true_that "not a word about it" test "$(grep -c 'taken as words' stdout.txt)" -eq 0
sed 's/$/,,,/' plain.csv >trailing.csv
check "several empty columns" 0 una fit trailing.csv $fast --out x.una
same x.una plain.una
out "the last 3 columns have neither names nor cells and were left out"
awk -v OFS=, '{ print (NR == 1 ? "" : NR - 2), $0 }' plain.csv >index.csv
check "an index" 0 una fit index.csv $fast --out x.una
out "the first column has no name and was called 'row'" "column 'row' counts the rows and was left out" "40 rows, 2 inputs"
check "an index is asked for" 0 una fit index.csv $fast --only row,x1 --out x.una
out "40 rows, 2 inputs"
sed '2s/^0/7/; 1s/^/""/' index.csv >names.csv
check "names of rows" 0 una fit names.csv $fast --out x.una
out "40 rows, 3 inputs" "was called 'row'; leave it out with --drop"
check "no header, a missing cell" 2 sh -c 'sed "1d; 2s/^[^,]*//" plain.csv >headless.csv; "$UNA" fit headless.csv'
err "the header is missing"
printf 'a;b;y\n1.234.567;382,702;1\n2.234.567;1,5;2\n3.234.567;2,5;7\n1.234.567;3,5;2\n' >marks.csv
check "notes show what they say" 0 una fit marks.csv $fast --out x.una
out "column 'b': commas are decimal marks ('382,702' is 382.702)" "column 'a': thousands marks were taken off ('1.234.567' is 1234567)"

# ---- the cell that is unlike the others -------------------------------------------------------------------------------
printf 'x,y\n1,2 kg\n2,3 kg\n3,3 lb\n4,6 kg\n5,2 kg\n' >odd.csv
check "a target with one other unit" 2 una fit odd.csv $fast
err "the target must be a number, but odd.csv, line 4, column 'y' holds '3 lb', and most cells are written like '2 kg'"
printf 'x;y\n1;5,5\n2;3,1\n3;3.2\n4;6,1\n' >odd.csv
check "a target with one other mark" 2 una fit odd.csv $fast
err "odd.csv, line 4, column 'y' holds '3.2'"
awk 'BEGIN { print "w,y"; for (i = 0; i < 300; i++) print i + 0.5 (i == 150 ? " lb," : " kg,") i % 17 }' >odd.csv
check "an input with one other unit" 2 una fit odd.csv $fast
err "most cells of the column 'w' are written like '0.5 kg', but odd.csv, line 152, column 'w' holds '150.5 lb'"
printf 'plz,y\n01002,1\n01003,2\n01002,4\n99,5\n' >plz.csv
check "postcodes" 0 una fit plz.csv $fast --words plz --out x.una
true_that "not a word about it" test "$(grep -c 'mostly numbers' stdout.txt)" -eq 0
printf 'x,y\n1,1\na,3\nb,4\n' >pipe.csv
check "a pipe" 5 sh -c 'cat pipe.csv | "$UNA" fit /dev/stdin --out x.una'
err "give it as - (the standard input), or write it to a file first"
printf 'x,d,y\n1,2024-01-01,1\n2,2024-02-01,2\n3,2024-03-01,4\n4,2023-01-01,3\n' >dated.csv
check "dates that the model does not use" 0 una fit dated.csv $fast --only x --out x.una
true_that "and are not spoken of" test "$(grep -c 'dates became' stdout.txt)" -eq 0
printf 'x,d,e,y\n1,1/2/2024,2024-01-01,1 kg\n2,3/2/2024,2024-02-01,2 kg\n3,4/2/2024,2024-03-01,4 kg\n4,4/3/2024,2024-03-01,3 kg\n' >unused.csv
check "several columns of dates" 0 una fit unused.csv $fast --out u.una
out "columns 'd', 'e': dates became days since 1970-01-01 ('1/2/2024' is 19754" "warning           column 'd': dates such as"
check "less one" 0 una fit unused.csv $fast --drop d --out u.una
no_err
out "column 'e': dates became days since 1970-01-01 ('2024-01-01' is 19723)" "column 'y': the unit 'kg' was taken off"
true_that "not a word about d" test "$(grep -c 'day first' stdout.txt)" -eq 0
check "are days in conditions" 0 una predict x.una dated.csv --where 'd > 19723'
err "2 of 4 rows of dated.csv match"

# ---- missing marks --------------------------------------------------------------------------------------------------
for mark in '#N/A' - -- n/a N/A . none '#DIV/0!' '#VALUE!'; do
    awk -F, -v m="$mark" -v OFS=, 'NR == 9 { $1 = m } { print }' plain.csv >gap.csv
    check "missing is '$mark'" 0 una fit gap.csv $fast --missing drop --out x.una
    out "column 'x1': 1 cell, '$mark', counts as missing" "39 rows, 2 inputs"
done
check "missing is an error as ever" 2 una fit gap.csv $fast
err "gap.csv, line 9, column 'x1' is missing; fill the cell, or use --missing drop"

# ---- no text ---------------------------------------------------------------------------------------------------------
printf 'PK\003\004\024\000\006\000[Content_Types].xml\000\000' >book.xlsx
printf '\320\317\021\340\241\261\032\341\000\000' >old.xls
printf 'PAR1\025\000' >t.parquet
printf '%%PDF-1.7\n' >t.pdf
printf '\377\376a\000,\000b\000' >wide.csv
check "a workbook" 2 una fit book.xlsx
err "book.xlsx is an Excel workbook (.xlsx); save it as CSV in the spreadsheet program."
check "an old workbook" 2 una fit old.xls
err "old.xls is an old Excel workbook (.xls); save it as CSV"
check "Parquet" 2 una fit t.parquet
err "t.parquet is a Parquet file; write it as CSV first"
check "PDF" 2 una fit t.pdf
err "t.pdf is a PDF document"
check "UTF-16" 2 una fit wide.csv
err "wide.csv is text in UTF-16; save it as UTF-8"
printf 'stra\337e,y\nK\366ln,1\nBonn,2\nBonn,3\n' >latin.csv
check "Latin-1" 0 una fit latin.csv $fast --out x.una
out "some characters are not in UTF-8 (perhaps Latin-1)"
check "nothing comes in" 2 una fit - --out x.una
err "standard input is empty; a header and rows are needed."

# Blanks that no keyboard shows: what a fit reads, predict reads.
awk 'BEGIN { print "x,y"; for (i = 0; i < 30; i++) printf "%s%d,%d\n", i % 2 ? "~" : "", i, 2 * i + i % 3 }' | tr '~' '\240' >blanks.csv
check "no-break blanks before numbers" 0 una fit blanks.csv --target y $fast --out blanks.una
check "no-break blanks again" 0 una predict blanks.una blanks.csv
