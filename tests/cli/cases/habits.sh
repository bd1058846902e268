# SPDX-License-Identifier: MIT
# Same seed, same bits; quiet in a pipe; Ctrl-C; limits.
table 80 >train.csv
table 30 5 >test.csv

# Threads and seeds are numbers; with the sanitizers one model goes that way, and fewer threads.
models="luna nlm"
crowds="1 2 3"
wide=epochs=3,members=3
[ -z "${SANITIZED:-}" ] || models=nlm crowds="1 2" wide=epochs=1,members=2
for model in $models; do
    check "$model: one thread" 0 una fit train.csv --target y --model $model $quick --threads 1 --out $model-1.una --quiet
    check "$model: two threads" 0 una fit train.csv --target y --model $model $quick --threads 2 --out $model-2.una --quiet
    check "$model: again" 0 una fit train.csv --target y --model $model $quick --out $model-3.una --quiet
    same $model-1.una $model-2.una
    same $model-1.una $model-3.una
    una predict $model-1.una test.csv --threads 1 --draws 2 --seed 4 --digits 17 >a.csv
    una predict $model-2.una test.csv --threads 2 --draws 2 --seed 4 --digits 17 >b.csv
    same a.csv b.csv
    check "$model: another seed" 0 una fit train.csv --target y --model $model $quick --seed 1 --out $model-4.una --quiet
    true_that "another seed is another model" test "$(cmp -s $model-1.una $model-4.una; echo $?)" -eq 1
done
# Rows and inputs enough for threads to share the steps of one network.
awk 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
    BEGIN { s = 7; for (d = 1; d <= 13; d++) printf "x%d,", d; print "y"
            for (i = 0; i < 500; i++) {
                for (y = d = 0; d < 13; d++) { x = 4 * u() - 2; y += d < 3 ? x * x : x; printf "%.4f,", x }
                printf "%.4f\n", y + u() } }' >wide.csv
for threads in $crowds; do
    check "large steps, $threads threads" 0 \
        una fit wide.csv --target y --model luna --set $wide --threads $threads --out wide-$threads.una --quiet
done
for threads in $crowds; do same wide-1.una "wide-$threads.una"; done
# Another way through the same steps: the same but for rounding, and the model does not remember it.
check "the plain path" 0 \
    env UNA_PATH=plain "$UNA" fit wide.csv --target y --model luna --set $wide --threads 1 --out wide-plain.una --quiet
una predict wide-1.una wide.csv --digits 17 >a.csv
una predict wide-plain.una wide.csv --digits 17 >b.csv
true_that "the plain path gives other bits" test "$(cmp -s a.csv b.csv; echo $?)" -eq 1
true_that "the plain path gives the same numbers" test "$(paste -d, a.csv b.csv | awk -F, '
    NR > 1 { n = NF / 2; d = $1 - $(n + 1); if (d * d > 1e-4) far++ } END { print far + 0 }')" -eq 0
true_that "the path is not in the file" test "$(grep -c '"path"' wide-plain.una)" -eq 0
check "no such path" 1 env UNA_PATH=scenic "$UNA" fit train.csv --target y --model luna $quick --out scenic.una --quiet
err "no path 'scenic'"
absent scenic.una
check "generic kernels" 0 una fit train.csv --target y --model luna $quick --kernels generic --out generic.una --quiet

check "quiet in a pipe" 0 una fit train.csv --target y --model luna $quick --out p.una
no_err
check "no colour in a pipe" 0 una models luna
true_that "no escape codes" test "$(grep -c "$(printf '\033')" stdout.txt)" -eq 0
if script -qec true /dev/null >/dev/null 2>&1; then
    check "colour on a terminal" 0 env NO_COLOR= TERM=xterm script -qec "'$UNA' models luna" /dev/null
    true_that "escape codes" grep -q "$(printf '\033')" stdout.txt
    check "NO_COLOR on a terminal" 0 env NO_COLOR=1 TERM=xterm script -qec "'$UNA' models luna" /dev/null
    true_that "no escape codes" test "$(grep -c "$(printf '\033\\[1m')" stdout.txt)" -eq 0
    long=600                               # steps that take a second or two
    [ -z "${SANITIZED:-}" ] || long=100
    check "progress on a terminal" 0 env TERM=xterm script -qec "'$UNA' fit train.csv --target y --model luna --out p.una --set members=1 --set epochs=$long --threads 1" /dev/null
    true_that "a percentage" grep -q '%' stdout.txt
    check "progress of a sweep" 0 env TERM=xterm script -qec "'$UNA' bench cubic --models 'linear,nn(steps=800)' --seeds 2 --threads 1 --out swept" /dev/null
    true_that "fits that are done" grep -q '[123] of 4 fits' stdout.txt
else
    skip "there is no way to make a terminal: the program 'script' is missing, or /dev/pts"
fi

check "too little memory" 4 una fit train.csv --target y --model luna $quick --memory 40K --out small.una
err "memory"
absent small.una

interrupted() {    # interrupted SIGNAL: a long fit, stopped once
    set -m
    "$UNA" fit train.csv --target y --model luna --set epochs=1000000 --set restarts=1 --out never.una >stdout.txt 2>stderr.txt &
    local job=$! got=0
    set +m
    sleep 1
    kill -"$1" $job
    { sleep 60; kill -9 $job; } >/dev/null 2>&1 &    # a stop that does not come is a failure, not a hang
    local guard=$!
    wait $job || got=$?
    kill $guard 2>/dev/null
    name="SIG$1"
    if [ $got -eq 130 ]; then pass "$name ends with 130"; else fail "$name: exit status $got" "$(cat stderr.txt)"; fi
    absent never.una
    err "interrupted"
    no_out
    tidy
}
# A run started with SIGINT ignored (a background job of a plain shell) hands that on to its programs.
ignored=$(sed -n 's/^SigIgn:[[:space:]]*//p' /proc/self/status 2>/dev/null)
if [ $((0x${ignored:-0} & 2)) -eq 0 ]; then interrupted INT; else echo "skip SIGINT: this run was started with it ignored"; fi
interrupted TERM
