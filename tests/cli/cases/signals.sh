# SPDX-License-Identifier: MIT
# One signal ends a wait, also one for a pipe that gives nothing, that nobody opens or that nobody empties; and nothing
# is half-written. Who waits has nothing to finish: three seconds are enough, on a busy machine too.
# shellcheck shell=bash
table 60 >train.csv
una fit train.csv --target y $fast --out model.una --quiet
cp model.una model.kept
mkfifo pipe
soon=3000
[ -z "${SANITIZED:-}" ] || soon=6000

stopped() {     # stopped NAME ARGUMENTS...: one SIGTERM, once it catches signals and sleeps; $input and $output, if any
    local title=$1 got=0 job i begun took
    shift
    set -m
    "$UNA" "$@" <"$input" >"${output:-stdout.txt}" 2>stderr.txt &
    job=$!
    set +m
    for ((i = 0; i < 500; i++)); do          # a process that waits before it catches signals would be ended by them
        caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$job/status 2>/dev/null)
        [ $((0x${caught:-0} >> 14 & 1)) -eq 1 ] && grep -q '^State:[[:space:]]*S' /proc/$job/status 2>/dev/null && break
        sleep 0.01
    done
    sleep 0.05
    begun=$(date +%s%N)
    kill -TERM $job
    { sleep 30; kill -9 $job; } >/dev/null 2>&1 &    # a stop that does not come is a failure, not a hang
    local guard=$!
    wait $job 2>/dev/null || got=$?
    took=$((($(date +%s%N) - begun) / 1000000))
    kill $guard 2>/dev/null
    wait $guard 2>/dev/null
    name=$title
    if [ $got -eq 130 ]; then pass "$name: ends with 130"; else fail "$name: exit status $got" "$(cat stderr.txt)"; fi
    true_that "it ends soon ($took ms)" test $took -le $soon
    true_that "it says something" test -s stderr.txt
    absent never.una
}
if [ ! -r /proc/self/status ]; then
    skip "there is no /proc to see that a process waits"
    return 0
fi

input=/dev/null
stopped "nobody writes to the pipe, fit" fit pipe --target y $fast --out never.una
stopped "nobody writes to the pipe, model" predict pipe train.csv --out never.una
stopped "nobody writes to the pipe, info" info pipe
stopped "nobody reads the pipe" predict model.una train.csv --out pipe
exec 7<>pipe                     # now it is open at both ends, and empty
input=/dev/fd/7
stopped "an empty pipe, fit" fit pipe --target y $fast --out never.una
stopped "an empty pipe, the standard input" fit - --target y $fast --out never.una
stopped "an empty pipe, model" score pipe train.csv
stopped "an empty pipe, update" update model.una pipe
same model.una model.kept
stopped "an empty pipe, space" study new never.study --space pipe
absent never.study
stopped "an empty pipe, concepts" explain model.una train.csv --concepts pipe
# Half of a file has come.
head -c 100 train.csv >&7
stopped "a pipe that stops" predict model.una pipe --out answers.csv
absent answers.csv
# More than a pipe holds, and nobody takes it.
for _ in $(seq 40); do tail -n +2 train.csv; done | { echo x1,x2,y; cat; } >many.csv
printf '{"x1": {"type": "real", "low": 0, "high": 1}, "x2": {"type": "real", "low": 0, "high": 1}}' >space.json
una study new long.study --space space.json --quiet
awk 'BEGIN { print "x1,x2,value"; for (i = 1; i <= 5000; i++) printf "%.6f,%.6f,%d\n", (i * 0.5698) % 1, (i * 0.7549) % 1, i }' >trials.csv
una study import long.study trials.csv --quiet
input=/dev/null output=/dev/fd/7
stopped "a full pipe, predict" predict model.una many.csv
for form in "show long.study --all" "show long.study --json" "export long.study csv" "export long.study json"; do
    # shellcheck disable=SC2086
    stopped "a full pipe, study $form" study $form
done
exec 7>&-
tidy
