# SPDX-License-Identifier: MIT
# Models of images from the file to the answer, and what is wrong with tensors, rows and models: a sentence that names
# the file or the row, the right exit status, and no output.
export XDG_CACHE_HOME=$PWD/cache
small="nlm(body=resnet(width=8,blocks=1,stem=small),steps=4,members=1)"
count=40 side=6

pixels() {      # pixels COUNT SIZE: as many bytes, reproducible
    printf '%b' "$(awk -v n=$(($1 * $2)) 'BEGIN { s = 7; for (i = 0; i < n; i++) { s = (s * 16807) % 2147483647
                                                  printf "\\0%o", s % 256 } }')"
}
sizes() { local n; for n in "$@"; do printf '%b' "$(printf '\\0%o' $((n >> 24 & 255)) $((n >> 16 & 255)) $((n >> 8 & 255)) $((n & 255)))"; done; }
idx() { printf '\0\0\010\003'; sizes "$@"; }
npy() {         # npy TYPE FORTRAN SHAPE: the head of an array
    local head="{'descr': '$1', 'fortran_order': $2, 'shape': $3, }"
    printf '\223NUMPY\001\000\166\000%-117s\n' "$head"
}
pixels $count $((side * side)) >pixels
(idx $count $side $side; cat pixels) >good.idx
awk -v n=$count 'BEGIN { print "index,y,other"; for (i = 0; i < n; i++) print i "," sin(i) "," i % 3 }' >rows.csv
with() { una fit rows.csv --images "$1" --target y --model "$small" --out "${2:-bad.una}" --quiet; }
rows() { una fit "$1" --images good.idx --target y --model "$small" --out bad.una --quiet "${@:2}"; }

# ---- what works ------------------------------------------------------------------------------------------
check "fit" 0 with good.idx good.una
no_err
gzip -c good.idx >good.gz
(npy '|u1' False "($count, $side, $side)"; cat pixels) >good.npy
gzip -c good.npy >good.npy.gz
(head -c 1000 good.idx | gzip -c; tail -c +1001 good.idx | gzip -c) >members.gz
check "packed" 0 with good.gz packed.una
same good.una packed.una
check "packed in two members" 0 with members.gz packed.una
same good.una packed.una
check "NPY" 0 with good.npy array.una
check "NPY, packed" 0 with good.npy.gz packed.una
same array.una packed.una
check "predict" 0 una predict good.una rows.csv --images good.gz --out answers.csv --quiet
true_that "a row each" test "$(wc -l <answers.csv)" -eq $((count + 1))
check "score" 0 una score good.una rows.csv --images good.idx --json
json rmse
check "update" 0 una update good.una rows.csv --images good.idx --out more.una --quiet

# ---- damaged tensors -------------------------------------------------------------------------------------
head -c 900 good.idx >cut.idx
head -c 9 good.idx >head.idx
(printf 'P5'; tail -c +3 good.idx) >magic.idx
(printf '\0\0\015\003'; tail -c +5 good.idx) >float.idx
(idx 4294967295 4294967295 4294967295; cat pixels) >beyond.idx
(idx 4294967295 $side $side; cat pixels) >hopeful.idx
(cat good.idx; printf x) >longer.idx
(printf '\0\0\010\001'; sizes 1440; cat pixels) >flat.idx
(idx 1 1440 1; cat pixels) >one.idx
cat good.gz good.gz >twice.gz
head -c 1000 good.gz >cut.gz
(head -c 700 good.gz; printf 'damage'; tail -c +707 good.gz) >bad.gz
(npy '|u1' True "($count, $side, $side)"; cat pixels) >fortran.npy
(npy '<c8' False "($count, $side, $side)"; cat pixels) >complex.npy
(npy '|u1' False "($count, $side, $side)"; head -c 1439 pixels) >cut.npy
(npy '<f8' False "(6000000000000, 8000000, 8000000)"; cat pixels) >beyond.npy
(npy '|u1' False "($count, 36)"; cat pixels) >flat.npy
(npy '|u1' False "(2, 3, 12, 20)"; cat pixels) >first.npy
cp good.npy misnamed
bad() {         # bad FILE SENTENCE
    check "$1" 2 with "$1"
    err "$1" "$2"
}
bad cut.idx "promises 1440 bytes of items in its header, and there are fewer"
bad head.idx "ends within its header"
bad magic.idx "does not begin with two zeros"
bad float.idx "not unsigned bytes"
bad beyond.idx "beyond any file"
bad hopeful.idx "there are fewer"
bad longer.idx "there are more"
bad flat.idx "three sizes are needed"
bad one.idx "names image 1, and one.idx has 1"
bad twice.gz "there are more"
bad cut.gz "ends too early; copy it again"
bad bad.gz "is damaged"
bad fortran.npy "Fortran's order"
bad complex.npy "type '<c8'"
bad cut.npy "has 1567 bytes where its header promises 1568"
bad beyond.npy "beyond any file"
bad flat.npy "three sizes are needed"
bad first.npy "channels"
bad misnamed "a name that ends with .npy"
bad rows.csv "does not begin with two zeros"
check "no such file" 5 with nowhere.idx
err "nowhere.idx"
check "a folder" 5 with .
err "it is a folder"

# ---- rows ------------------------------------------------------------------------------------------------
changed() { sed "4s/^2,/$1,/" rows.csv >changed.csv; }
changed 40;  check "an image that is not there" 2 rows changed.csv
err "changed.csv, line 4, column 'index' names image 40, and good.idx has 40, counted from 0"
check "nor at prediction" 2 una predict good.una changed.csv --images good.idx --out bad.csv
err "changed.csv, line 4, column 'index' names image 40"
absent bad.csv
check "unless the row is left out" 0 rows changed.csv --where 'index < 40'
changed -1;  check "below 0" 2 rows changed.csv
err "line 4, column 'index' names image -1"
changed 1.5; check "no whole number" 2 rows changed.csv
err "line 4, column 'index' holds 1.5" "whole numbers"
changed two; check "a word" 2 rows changed.csv
err "line 4, column 'index' holds 'two'" "whole numbers"
changed "";  check "missing" 2 rows changed.csv
err "line 4, column 'index' is missing" "--missing drop"
check "dropped" 0 rows changed.csv --missing drop
check "no mean of numbers of images" 2 rows changed.csv --missing mean
err "line 4, column 'index' is missing" "names the row's image"
check "missing at prediction" 2 una predict good.una changed.csv --images good.idx --out bad.csv
err "line 4, column 'index' is missing" "names the row's image"
check "no such column" 2 rows rows.csv --index item
err "no column 'item'"
check "an index without images" 1 una fit rows.csv --index other --target y $fast --out bad.una
err "--images"
check "the target names the images" 2 una fit rows.csv --images good.idx --target index --model "$small" --out bad.una
err "cannot be the target too"

# ---- a model and what it is given ------------------------------------------------------------------------
(idx 64 5 5; head -c 1440 pixels; head -c 160 pixels) >small.idx
una fit rows.csv --target y $fast --out table.una --quiet
for verb in predict score update; do
    out=(--out bad.out)
    [ $verb = score ] && out=()
    check "$verb: images of another size" 2 una $verb good.una rows.csv --images small.idx "${out[@]}"
    err "small.idx has images of 5 x 5 x 1" "6 x 6 x 1"
    check "$verb: a damaged tensor" 2 una $verb good.una rows.csv --images cut.gz "${out[@]}"
    err "cut.gz"
    check "$verb: a plain table for a model of images" 1 una $verb good.una rows.csv "${out[@]}"
    err "rows.csv comes without any" "--images"
    check "$verb: images for a model of tables" 1 una $verb table.una rows.csv --images good.idx "${out[@]}"
    err "was not fitted to images"
    absent bad.out
done
check "convolutions and a plain table" 1 una fit rows.csv --target y --model "$small" --out bad.una
err "name the file of the images with --images"
check "images and a kind that sees none" 1 una fit rows.csv --images good.idx --target y $fast --out bad.una
err "linear cannot be fitted to images"
check "images and the choice of a kind" 1 una fit rows.csv --images good.idx --target y --model auto --out bad.una
err "name one with --model"
echo 'low: other == 0' >concepts.txt
check "explain: images of another size" 2 una explain good.una rows.csv --images small.idx --concepts concepts.txt
err "small.idx has images of 5 x 5 x 1"
head -c 3000 good.una >cut.una
check "a model cut short" 2 una predict cut.una rows.csv --images good.idx --out bad.csv
err "cut.una"
absent cache

# ---- packed images are unpacked once ---------------------------------------------------------------------
(idx 1100 32 32; head -c 1126400 /dev/urandom) | gzip -1 >large.gz
sleep 0.3                                       # a file just written is not kept
check "without a cache" 0 una fit rows.csv --images large.gz --target y --model "$small" --no-cache --out none.una --quiet
absent cache
check "kept" 0 with large.gz first.una
true_that "a file of images is there" test "$(find cache/una -name '*.images' | wc -l)" -eq 1
check "used" 0 with large.gz second.una
same none.una first.una
same first.una second.una
check "verified" 0 una predict first.una rows.csv --images large.gz --verify-cache --out answers.csv --quiet
no_err
printf 'no cache any more' >"$(find cache/una -name '*.images')"
check "damaged: made anew" 0 with large.gz second.una
same first.una second.una
true_that "and kept" test "$(find cache/una -name '*.images' -size +1000k | wc -l)" -eq 1
tidy
