# SPDX-License-Identifier: MIT
# Where files go: nothing that is read or written is overwritten by something else, and no place loses a file.
table 60 >train.csv
table 20 3 >more.csv
cp train.csv train.kept
cp more.csv more.kept
una fit train.csv --target y $fast --out model.una --quiet
cp model.una model.kept

apart() {       # apart NAME TEXT... -- ARGUMENTS...: refused at once, and every file is as it was
    local title=$1 texts=()
    shift
    while [ "$1" != -- ]; do texts+=("$1"); shift; done
    shift
    check "$title" 1 una "$@"
    err "would overwrite" "another name" "${texts[@]}"
    no_out
    same train.csv train.kept
    same more.csv more.kept
    same model.una model.kept
}
apart "model over data" "--out train.csv" "DATA train.csv" -- fit train.csv --target y $fast --out train.csv
apart "model over validation rows" "--out more.csv" "--valid more.csv" -- fit train.csv --target y --model luna $quick --valid more.csv --out more.csv
apart "report over data" "--report ./train.csv" "DATA train.csv" -- fit train.csv --target y $fast --report ./train.csv
apart "report over the model" "--report new.una" "--out new.una" -- fit train.csv --target y $fast --out new.una --report new.una
apart "report over the model, another spelling" "--report ./new.una" "--out new.una" -- fit train.csv --target y $fast --out new.una --report ./new.una
apart "the model's own name" "--report train.una" "--out train.una" -- fit train.csv --target y $fast --report train.una
apart "chart over the report" "--chart c.svg" "--report c.svg" -- fit train.csv --target y $fast --report c.svg --chart c.svg
apart "answers over data" "--out more.csv" "DATA more.csv" -- predict model.una more.csv --out more.csv
apart "answers over the model" "--out model.una" "MODEL model.una" -- predict model.una more.csv --out model.una
apart "update over new rows" "--out more.csv" "DATA more.csv" -- update model.una more.csv --out more.csv
apart "update over old rows" "--out train.csv" "--with train.csv" -- update model.una more.csv --with train.csv --out train.csv
apart "demo" "--chart d.svg" "--report d.svg" -- demo --seeds 1 --report d.svg --chart d.svg
apart "model over an option's file" "--out more.csv" "--set more.csv" -- fit train.csv --target y --model tuna --set copies=1,values=more.csv --out more.csv
apart "model over a spec's file" "--out more.csv" "--model more.csv" -- fit train.csv --target y --model 'tuna(values="more.csv", copies=1)' --out more.csv
cp more.csv "my more.csv"
cp more.csv more
apart "a name with a blank" "--out my more.csv" "--set my more.csv" -- fit train.csv --target y --model tuna --set "values=my more.csv" --out "my more.csv"
apart "a name without an ending" "--out more" "--model more" -- fit train.csv --target y --model 'tuna(values=more )' --out more
ln -s train.csv link.csv
ln train.csv twin.csv
ln -s later.una early.una
mkdir folder
apart "through a link" "--out link.csv" "DATA train.csv" -- fit train.csv --target y $fast --out link.csv
apart "through a hard link" "--out twin.csv" "DATA train.csv" -- fit train.csv --target y $fast --out twin.csv
apart "through a link to nothing yet" "--report early.una" "--out later.una" -- fit train.csv --target y $fast --out later.una --report early.una
apart "through a folder" "--report folder/../new.una" "--out new.una" -- fit train.csv --target y $fast --out new.una --report folder/../new.una
absent new.una
absent train.una
absent later.una
check "same name, another folder" 0 una fit train.csv --target y $fast --out folder/train.csv --quiet
same train.csv train.kept
check "a link to nothing yet" 0 una fit train.csv --target y $fast --out early.una --quiet
true_that "the link stays" test -L early.una
same later.una model.una

cp model.una update.una
check "update over itself" 0 una update update.una more.csv --quiet
cp model.una again.una
check "update over itself, by name" 0 una update again.una more.csv --out ./again.una --quiet
same update.una again.una
check "fit over an older model" 0 una fit train.csv --target y $fast --out again.una --quiet
same again.una model.una
check "nothing to overwrite in /dev/null" 0 una fit train.csv --target y $fast --out /dev/null --report /dev/null
check "a folder" 5 una fit train.csv --target y $fast --out folder
err "folder" "--out"
check "a folder, predict" 5 una predict model.una more.csv --out folder
true_that "the folder stays" test -f folder/train.csv

# The standard output is a stream, whatever it leads to.
una predict model.una more.csv >plain.csv
una predict model.una more.csv --out /dev/stdout >redirected.csv 2>stderr.txt
name="--out /dev/stdout, redirected"
same plain.csv redirected.csv
no_err
una predict model.una more.csv --out /dev/stdout | cat >piped.csv
same plain.csv piped.csv
{ echo before; una predict model.una more.csv --out /dev/fd/1; echo after; } >between.csv
{ echo before; cat plain.csv; echo after; } >wanted.csv
same wanted.csv between.csv
una fit train.csv --target y $fast --out /dev/stdout >stream.una
same stream.una model.una
check "the JSON object needs the standard output" 1 una fit train.csv --target y $fast --out /dev/stdout --json
err "--json"
no_out
mkfifo pipe
cat pipe >through.csv &
check "a pipe with a name" 0 una predict model.una more.csv --out pipe --quiet
wait $!
same plain.csv through.csv
true_that "the pipe stays" test -p pipe

# A plain file among devices is a plain file.
if shm=$(mktemp -d /dev/shm/una-XXXXXX 2>/dev/null); then
    for i in 1 2; do check "/dev/shm, fit $i" 0 una fit train.csv --target y $fast --out "$shm/m.una" --quiet; done
    same "$shm/m.una" model.una
    check "/dev/shm, update" 0 una update "$shm/m.una" more.csv --quiet
    same "$shm/m.una" update.una
    check "/dev/shm, predict" 0 una predict "$shm/m.una" more.csv --out "$shm/a.csv" --quiet
    check "/dev/shm, predict again" 0 una predict model.una more.csv --out "$shm/a.csv" --quiet
    same "$shm/a.csv" plain.csv
    true_that "no temporary files in /dev/shm" test "$(ls -A "$shm" | wc -l)" -eq 2
    rm -r "$shm"
else
    skip "there is no /dev/shm to write to"
fi
tidy
