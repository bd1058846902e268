# SPDX-License-Identifier: MIT
# One signal ends a wait, also one for a pipe that gives nothing or that nobody opens; and nothing is half-written.
# shellcheck shell=bash
table 60 >train.csv
una fit train.csv --target y $fast --out model.una --quiet
cp model.una model.kept
mkfifo pipe

stopped() {     # stopped NAME ARGUMENTS...: one SIGTERM, once it catches signals and sleeps; standard input is the pipe
    local title=$1 got=0 job i
    shift
    set -m
    "$UNA" "$@" <"$input" >stdout.txt 2>stderr.txt &
    job=$!
    set +m
    for ((i = 0; i < 500; i++)); do          # a process that waits before it catches signals would be ended by them
        caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$job/status 2>/dev/null)
        [ $((0x${caught:-0} >> 14 & 1)) -eq 1 ] && grep -q '^State:[[:space:]]*S' /proc/$job/status 2>/dev/null && break
        sleep 0.01
    done
    sleep 0.05
    kill -TERM $job
    { sleep 30; kill -9 $job; } >/dev/null 2>&1 &    # a stop that does not come is a failure, not a hang
    local guard=$!
    wait $job 2>/dev/null || got=$?
    kill $guard 2>/dev/null
    wait $guard 2>/dev/null
    name=$title
    if [ $got -eq 130 ]; then pass "$name: ends with 130"; else fail "$name: exit status $got" "$(cat stderr.txt)"; fi
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
(set -m; "$UNA" predict model.una many.csv >&7 2>stderr.txt & echo $! >job; wait $!; echo $? >status) &
sleep 0.5
kill -TERM "$(cat job)" 2>/dev/null
for ((i = 0; i < 300; i++)); do [ -s status ] && break; sleep 0.1; done
name="a full pipe"
true_that "ends with 130" test "$(cat status 2>/dev/null)" = 130
wait
exec 7>&-
tidy
