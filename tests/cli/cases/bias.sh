# SPDX-License-Identifier: MIT
# Sampling bias, on made-up people of 6 x 6 pixels: who trains, who is asked, and what is compared.
only_plain || return 0

# people FOLDER EACH WOMEN: 400 people, three in four of them men; brightness tells the age; no face was found in every
# EACH-th picture; women's pictures are as uneven as WOMEN says, men's 11.
people() {
    mkdir -p "$1/faces"
    awk -v each="$2" 'BEGIN {
        print "index,sex,face_score,age_thesis"
        for (i = 0; i < 400; i++) printf "%d,%d,%g,%d\n", i, (i % 4 > 0), ((i + 1) % each > 0) * 1.5, 18 + (i * 7) % 60
    }' >"$1/faces/wiki-faces32.csv"
    {
        printf '\0\0\010\003\0\0\001\220\0\0\0\006\0\0\0\006'
        awk -v women="$3" 'BEGIN {
            for (i = 0; i < 400; i++)
                for (p = 0; p < 36; p++) printf "%c", 1 + 18 + (i * 7) % 60 + (i * 31 + p * 17) % (i % 4 ? 11 : women)
        }'
    } | gzip >"$1/faces/wiki-faces32-images-idx3-ubyte.gz"
}
# value FOLDER ROW MEASURE: of the table
value() {
    sed -n "1p;$((1 + $2))p" "$1/bias.csv" | sed 's/"[^"]*"/-/g' |
        awk -F, -v want="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) at = i } NR == 2 { print $at }'
}

people all 1000 40
people some 5 40
people alike 1000 11
study="bench bias --quick --study sex --models nlm"
is() {          # is FOLDER MEASURE VALUE
    true_that "$2 is $3 in $1" [ "$(value "$1" 1 "$2")" = "$3" ]
}
differ() { [ "$1" != "$2" ]; }

check "everybody has a face" 0 una $study --data all --out all
out "Where a face was found, NLM's is" "needs luna"
out "a face was found in 100 % of those left out and 100 % of the others"
is all rows_train 212           # 300 * 26375/37293
is all rows_in 88
is all rows_out 100
is all found_in 1
is all excess_found "$(value all 1 excess)"
is all auroc_found "$(value all 1 auroc)"
true_that "the excess is std_out over std_in" awk -v a="$(value all 1 std_in)" -v b="$(value all 1 std_out)" \
    -v e="$(value all 1 excess)" 'BEGIN { off = 100 * (b / a - 1) - e; exit !(e > 50 && off < 1e-6 && off > -1e-6) }'
has all/bias-sex.md "face found"

check "every fifth has none" 0 una $study --data some --out some
is some found_out 0.8           # 4, 24, 44 ... have none, of 0, 4, 8 ...
is some excess "$(value all 1 excess)"
true_that "others are compared where a face was found" differ "$(value some 1 excess_found)" "$(value some 1 excess)"

small='luna(body=resnet(width=8, blocks=1), heads=3, steps=30)'
check "half as large again" 0 una bench bias --quick --study sex --models "$small" --data all --out l
out "holds          LUNA's ignorance is at least half as large again" "The concept"
check "women like men" 0 una bench bias --quick --study sex --models "$small" --data alike --out alike
out "does not hold  LUNA's ignorance is at least half as large again"

mkdir -p none/faces
cut -d, -f1,2,4 all/faces/wiki-faces32.csv >none/faces/wiki-faces32.csv
cp all/faces/*.gz none/faces
check "no column of faces found" 2 una $study --data none --out n
err "no column 'face_score'"
check "no faces" 2 una $study --data nowhere --out n
err "name a folder that has faces/wiki-faces32.csv"
check "no such study" 1 una bench bias --study hair --data all --out n
err "there is no study 'hair' here; there are sex and age"
