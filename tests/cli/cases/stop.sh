# SPDX-License-Identifier: MIT
# One SIGTERM is enough: every verb ends soon after it, with the status of an interruption, and leaves nothing half
# written. Of work that would take minutes, each is stopped at some moment; what must be soon is the time that its
# threads still work, two seconds, so that a busy machine does not matter much: by the clock it may be ten, and three
# for those who sleep. What no moment found at work is a failure: it must be made larger.
# UNA_TEST_LONG=1: every kind and verb, at several moments.
# shellcheck shell=bash
watch=$(dirname "$UNA")/tests/watch
if [ ! -x "$watch" ]; then
    skip "there is no $watch"
    return 0
fi
most=2
[ -z "${SANITIZED:-}" ] || most=6
moments=${moments:-0.5}
[ -z "${UNA_TEST_LONG:-}" ] || moments="0.2 1 3"

is_whole() {    # no temporaries; what was written before the signal came is all of it, and a model was said to be safe
    local left
    left=$(find . -name '*.una.*' -o -name '*tmp*' -o -name '.?*.*' -o -name 'never*.svg' -o -name 'never*.csv' -o -name 'never*.json' | head -n 5)
    [ ! -e never.html ] || tail -n 1 never.html | grep -q '</html>' || left="never.html"
    [ ! -e never.una ] || { grep -q 'is safe in never.una' stderr.txt && una info never.una >/dev/null; } || left="never.una"
    if [ -z "$left" ]; then pass "$name: nothing is left that is not whole"; else fail "$name: files are left" "$left"; fi
}
stopped() {     # stopped NAME COMMAND...: words of una; what it writes is called never.*, or lies in the folder never
    local title=$1 moment status wall cpu place
    shift
    echo "$title" >>titles
    for moment in $moments; do
        place=$(mktemp -d "$PWD/at.XXXXXX")
        (
            cd "$place" || exit 1
            name="$title after $moment s"
            read -r status wall cpu < <("$watch" stop "$moment" "$UNA" "$@" 2>stderr.txt | tail -n 1)
            if [ "$status" = early ]; then
                if [ "$wall" -eq 0 ]; then skip "$name: it was done already"
                else fail "$name: it fails" "$(cat stderr.txt)"; fi
            elif [ "$status" = 0 ]; then skip "$name: it was about to end"
            elif [ "$status" = 143 ]; then skip "$name: it had hardly begun"
            elif [ "$status" = 130 ] && awk "BEGIN { exit !($cpu <= $most && $wall <= ${longest:-10}) }"; then pass "$name: it ends"
            else fail "$name: status $status, $wall s, $cpu s of work" "$(cat stderr.txt)"; fi
            [ "$status" = 130 ] && is_whole
        ) >"$place.log" 2>&1 &
        while [ "$(jobs -rp | wc -l)" -ge "${at_once:-3}" ]; do wait -n; done
    done
}

here=$PWD
numbers() {     # numbers ROWS COLUMNS
    awk -v rows="$1" -v columns="$2" 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }
        BEGIN { s = 5; for (c = 1; c <= columns; c++) printf "x%d,", c
                print "y"
                for (i = 0; i < rows; i++) { y = 0
                    for (c = 1; c <= columns; c++) { v = u(); if (c < 4) y += c * v; printf "%.4f,", v }
                    printf "%.4f\n", y + 0.1 * u() } }'
}
numbers 1500 6 >mid.csv
numbers 60 2 >few.csv
numbers 400 700 >wide.csv
awk 'BEGIN { for (c = 1; c <= 60000; c++) printf "x%d,", c
             print "y"
             for (i = 0; i < 6; i++) { for (c = 1; c <= 60000; c++) printf "%d %s,", i, i % 2 ? "kg" : "lb"; print i } }' >units.csv
mid=$here/mid.csv few=$here/few.csv wide=$here/wide.csv quiet="--out never.una --threads 1"
una fit few.csv --model 'mcd(passes=100000,steps=20,width=4,noise_std=1e-7)' --no-verdict --out many.una --quiet

stopped "fit nlm" fit "$mid" --model 'nlm(epochs=10000000)' $quiet
stopped "fit hmc" fit "$mid" --model 'hmc(samples=1000000)' $quiet
stopped "fit linear, many columns" fit "$wide" --model 'linear(degree=12)' $quiet
moments=2 stopped "fit, a warning for each column" fit "$here/units.csv" --model 'nlm(epochs=10000000)' $quiet
head -c 16 many.una >large.una          # holes of a file take no disk
truncate -s 3G large.una none.una
moments=0.4 stopped "a model that is long" score "$here/large.una" "$few"
name="what is no model is not read to its end"
read -r status code < <("$watch" stop 2 "$UNA" score none.una few.csv 2>stderr.txt | tail -n 1)
true_that "it is refused at once ($status $code)" test "$status $code" = "early 2"
err "none.una is not a una model file"
stopped "score of many parts" score "$here/many.una" "$mid" --threads 1
stopped "draws of many parts" predict "$here/many.una" "$mid" --draws 100000 --out never.csv --threads 1
stopped "tune" tune "$mid" --model 'nlm(epochs=10000000)' --over 'width=4|8' --out never --threads 1
stopped "bench" bench cubic --models 'nn(steps=10000000)' --seeds 1 --threads 1 --out never
if [ -n "${UNA_TEST_LONG:-}" ]; then
    long=$here/long.csv
    numbers 1000000 8 >long.csv
    numbers 6 100000 >inputs.csv
    una fit inputs.csv --model 'nlm(steps=1,width=2,members=1)' --no-verdict --out inputs.una --quiet
    for moment in 1 5 15 25; do moments=$moment stopped "suggest, many inputs" suggest "$here/inputs.una" --threads 1; done
    numbers 1500 6 | cut -d, -f1-6 >pool.csv
    una fit mid.csv --model 'linear(degree=2)' --no-verdict --out lin.una --quiet
    una fit few.csv --model gp --no-verdict --out gp.una --quiet
    printf 'far: x1 > 0.5\nright: x2 > 0.5\n' >concepts.txt
    una fit few.csv --model 'hmc(samples=60,warmup=60,chains=2)' --no-verdict --out hmc.una --quiet
    for kind in luna nn mcd bbvi sngp ensemble; do
        stopped "fit $kind" fit "$mid" --model "$kind(epochs=10000000)" $quiet
    done
    for kind in auto gp tuna; do stopped "fit $kind" fit "$mid" --model "$kind" $quiet; done
    stopped "fit gp, many columns" fit "$wide" --model gp $quiet
    stopped "fit of one large step" fit "$mid" --model 'nn(width=4096,depth=8,epochs=1000)' $quiet
    stopped "fit of a large sngp" fit "$mid" --model 'sngp(width=1024,depth=8,epochs=1000)' $quiet
    stopped "fit of several targets" fit "$mid" --target y,x1 --model 'nlm(epochs=10000000)' $quiet
    for model in lin gp hmc many; do
        m=$here/$model.una
        stopped "predict, $model" predict "$m" "$long" --out never.csv --threads 1
        stopped "draws, $model" predict "$m" "$long" --draws 5000 --out never.csv --threads 1
        stopped "quantiles, $model" predict "$m" "$long" --quantiles 0.1,0.2,0.5 --out never.csv --threads 1
        stopped "score, $model" score "$m" "$long" --threads 1
        for what in bands effect observed calibration residuals ignorance; do
            stopped "plot of $what, $model" plot "$m" "$long" --what $what --out never.svg --threads 1
        done
    done
    stopped "explain" explain "$here/lin.una" "$long" --concepts "$here/concepts.txt" --out never.csv --report never.html --threads 1
    for model in lin gp; do
        stopped "update, $model" update "$here/$model.una" "$long" --out never.una --threads 1
        stopped "suggest, $model" suggest "$here/$model.una" --pool "$here/pool.csv" --count 500 --out never.csv --threads 1
    done
    stopped "report" fit "$mid" --model linear --report never.html --chart never.svg $quiet
    stopped "report of many parts" fit "$few" --model 'mcd(passes=100000,steps=20)' --report never.html $quiet
    stopped "compare" compare "$mid" --models 'nlm(epochs=10000000)' --out never --threads 1
    stopped "gap" gap "$mid" --model 'nlm(epochs=100000)' --report never.html --threads 1
    stopped "demo" demo --out . --seeds 100 --threads 1
    for what in bayesopt knowledge radial; do stopped "bench $what" bench $what --full --threads 1 --out never; done
    printf '{"x1": {"type": "real", "low": 0, "high": 1}, "x2": {"type": "real", "low": 0, "high": 1}}' >space.json
    trials() {  # trials COUNT [FIRST]
        awk -v count="$1" -v first="${2:-0}" 'BEGIN { print "x1,x2,value"
            for (i = first; i < first + count; i++) printf "%.6f,%.6f,%d\n", (i * 0.5698403) % 1, (i * 0.7548777) % 1, i }'
    }
    for study in run some large; do una study new $study.study --space space.json --quiet; done
    trials 3000 >trials.csv
    una study import some.study trials.csv --quiet
    trials 1000000 >trials.csv
    una study import large.study trials.csv --quiet
    trials 1000000 1000000 >trials.csv
    stopped "study ask" study ask "$here/some.study"
    for verb in best show "show --all" "show --json"; do
        # shellcheck disable=SC2086
        stopped "study $verb" study ${verb%% *} "$here/large.study" $([ "$verb" = "${verb%% *}" ] || echo "${verb#* }")
    done
    for form in csv json; do stopped "study export, $form" study export "$here/large.study" $form --out never.$form; done
    stopped "study import" study import "$here/large.study" "$here/trials.csv"
    longest=3 stopped "study run" study run "$here/run.study" --trials 50 -- sleep 100
    longest=3 stopped "info of a pipe" info <(sleep 100)
    data=${UNA_SHARED:-$root/../shared}/data
    if [ -d "$data/mnist" ]; then moments="0.05 0.1 0.3" stopped "data import" data import "$data" --data never
    else skip "data import: there is no $data/mnist"; fi
fi
wait
cat at.*.log
while read -r title; do
    name=$title
    true_that "some moment found it at work" grep -qE "^(ok  |FAIL) [a-z]*: .* after [0-9.]* s: (it ends|status|it fails)" <(grep -hF " $title after " at.*.log)
done < <(sort -u titles)
