# SPDX-License-Identifier: MIT
# Images in every verb: the report and the page of explanations show them, and the model knows the column that names them.
{
    printf '\000\000\010\003\000\000\000\074\000\000\000\010\000\000\000\010'
    awk 'BEGIN { for (i = 0; i < 60; i++) for (p = 0; p < 64; p++) printf "%c", 33 + i }'
} >flat.idx
awk 'BEGIN { print "picture,kind,light"; for (i = 0; i < 60; i++) printf "%d,%s,%.2f\n", i, i % 3 ? "a" : "b", i / 60 + 0.02 * cos(37 * i) }' >flat.csv
printf "b: kind == 'b'\n" >concepts.txt
small='body=resnet(stem=small, width=8, blocks=1), epochs=2'
check "fit" 0 una fit flat.csv --target light --images flat.idx --index picture --where 'picture < 40' --set "body=resnet(stem=small, width=8, blocks=1)" --set epochs=2 --out m.una --report r.html --chart r.svg
out "luna fitted to flat.csv: target light, 40 rows, 64 inputs" "Next: una predict m.una NEW.csv --images FILE --keep --out answers.csv"
has r.html "images of 8 × 8 places, which the column picture names"
has r.html "The images the model knows least about."
true_that "36 pictures" test "$(grep -o '<img ' r.html | wc -l)" -eq 36
there r.svg
check "a model without ignorance" 0 una fit flat.csv --target light --images flat.idx --index picture --model "nn($small)" --out nn.una --report nn.html
has nn.html "the same ignorance about every image"
true_that "12 pictures" test "$(grep -o '<img ' nn.html | wc -l)" -eq 12
check "predict" 0 una predict m.una flat.csv --images flat.idx
true_that "60 answers" test "$(wc -l <stdout.txt)" -eq 61
check "explain" 0 una explain m.una flat.csv --images flat.idx --concepts concepts.txt --report why.html --rows 4
true_that "four pictures" test "$(grep -o '<img ' why.html | wc -l)" -eq 4
check "update" 0 una update m.una flat.csv --images flat.idx --where 'picture >= 40' --out more.una
out "20 rows added: the luna model now rests on 60 rows"
check "fitted again" 0 una update m.una flat.csv --with flat.csv --images flat.idx --where 'picture < 30' --out again.una
out "now rests on 60 rows"
check "auto says no" 1 una fit flat.csv --target light --images flat.idx --index picture --model auto
err "auto cannot be fitted to images"
