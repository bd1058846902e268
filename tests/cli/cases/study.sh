# SPDX-License-Identifier: MIT
# Studies through the program: what the verbs print, and every wrong turn with its sentence and a study that is intact.
# shellcheck shell=bash
cat >space.json <<'END'
{"x1": {"type": "real", "low": 0, "high": 1},
 "rate": {"type": "real", "low": 1e-4, "high": 1, "log": true},
 "n": {"type": "integer", "low": 1, "high": 9},
 "kind": {"type": "category", "levels": ["steel", "wood"]},
 "batch": {"type": "fixed", "value": 32},
 "constraints": ["x1 + n/10 <= 1.5"]}
END
quasi="--acquisition quasi"

# ---- the ordinary way
check "help of the family" 0 una study --help
out "study ask" "una study VERB --help" "una study new coffee.study"
check "the family alone" 1 una study
check "help of one" 0 una study ask --help
out "una study ask WHERE [flags]" "--count N" "Examples"
check "help by name" 0 una help study run
out "una study run WHERE [flags] -- COMMAND"
check "help of the family by name" 0 una help study
check "no such verb" 1 una study aks a.study
err "did you mean 'una study ask'?"
check "no such verb of the program" 1 una sudy
err "did you mean 'una study'?"
check "the list of verbs" 0 una --help
out "study" "Bayesian optimisation"

check "new" 0 una study new a.study --space space.json $quasi --seed 4
out "a new study is in a.study: 5 inputs, minimize"
check "new again" 2 una study new a.study --space space.json
err "there is a study in a.study already"
check "ask" 0 una study ask a.study
out "1  x1=" "batch=32"
check "ask for two, as JSON" 0 una study ask a.study --count 2 --json
json trials
out '{"trials": [{"id": 2, "x": {"x1": ' '"kind": "'
check "tell" 0 una study tell a.study 1 -0.5
no_out
check "tell the same again" 0 una study tell a.study 1 -0.5
check "tell another value" 2 una study tell a.study 1 0.5
err "trial 1 was told before (-0.5)"
check "tell a failure" 0 una study tell a.study 2 --failed --note 'no water' --json
out '{"id": 2, "state": "failed", "value": null}'
check "best" 0 una study best a.study
out "trial  1" "value  -0.5" "kind"
check "best as JSON" 0 una study best a.study --json
json id value x
check "show" 0 una study show a.study
out "3 trials: 1 told, 1 failed, 1 open" "best: -0.5 (trial 1)" "no water"
echo '{"µ": {"type": "fixed", "value": 12345}, "k": {"type": "integer", "low": 1, "high": 2}}' >micro.json
check "a name of other letters" 0 una study new micro.study --space micro.json $quasi
check "ask for it" 0 una study ask micro.study
check "its columns stand under each other" 0 una study show micro.study
out "state       µ  k" "open    12345  "
check "show as JSON" 0 una study show a.study --json
json trials best goal model acquisition seed space
out '"state": "open"' '"state": "failed"' '"note": "no water"'
check "drop" 0 una study drop a.study 3
check "what was dropped comes again" 0 una study ask a.study --json
out '"id": 3'
check "info" 0 una info a.study
out "una study" "minimize" "told                1"
check "info as JSON" 0 una info a.study --json
json format trials told failed open space

check "export" 0 una study export a.study csv
out "id,state,x1,rate,n,kind,batch,value,note,attempts,asked,told,expected,doubt" "1,told," ",no water,"
cp stdout.txt a.csv
check "export as JSON" 0 una study export a.study json --out a.json
out "3 trials were written to a.json"
there a.json
check "export with --json needs a file" 1 una study export a.study csv --json
check "export as what?" 1 una study export a.study xml
una study new b.study --space space.json $quasi --quiet
check "import" 0 una study import b.study a.csv
out "2 of the 3 rows of a.csv are new trials"
check "import again" 0 una study import b.study a.csv --json
out '{"rows": 3, "added": 0}'
check "the best came with it" 0 una study best b.study --json
out '"value": -0.5'
printf 'x1,rate,n,kind,taste\n0.5,0.1,3,steel,7\n0.5,0.1,3,stone,7\n' >wrong.csv
check "import with a wrong word" 2 una study import b.study wrong.csv --value taste
err "wrong.csv, line 3, column kind" "stone"
check "import without such a column" 2 una study import b.study wrong.csv
err "value"

# ---- the same history, the same next point, after every process has ended
una study new one.study --space space.json --initial 3 --quiet
una study new two.study --space space.json --initial 3 --quiet
for i in 1 2 3 4 5; do
    una study ask one.study >>one.txt
    una study ask two.study --threads 1 >>two.txt
    una study tell one.study $i $((i * i - 4 * i))
    una study tell two.study $i $((i * i - 4 * i))
done
check "same seed, same points" 0 cmp one.txt two.txt

# ---- commands
una study new run.study --space space.json $quasi --quiet
check "run" 0 una study run run.study --trials 4 --workers 2 -- sh -c 'echo {kind}; echo result {x1}'
out "x1=" "kind=" "best so far: "
check "run says so as JSON" 0 una study run run.study --trials 1 --json -- echo {n}
json done told failed best
check "run that fails" 0 una study run run.study --trials 1 -- sh -c 'exit 3'
out "failed: ended with status 3"
check "run that prints garbage" 0 una study run run.study --trials 1 -- echo 12 bottles
out "failed: printed no number: '12 bottles'"
check "run that hangs" 0 una study run run.study --trials 1 --timeout 0.4 -- sleep 60
out "failed: took longer than 0.4 s"
check "run that is killed" 0 una study run run.study --trials 1 --retries 1 -- sh -c 'kill -9 $$'
out "failed: was killed by signal 9 (the last of 2 tries)"
check "no such program" 1 una study run run.study --trials 1 -- ./nonesuch {x1}
err "cannot run './nonesuch'"
check "a slip in a name" 1 una study run run.study --trials 1 -- echo {rat}
err "did you mean {rate}?"
check "no command" 1 una study run run.study --trials 1
err "the command is missing"
check "no command behind --" 1 una study run run.study --
check "timeout that is none" 1 una study run run.study --timeout 0 -- echo 1
check "all of it is there" 0 una study show run.study
out "10 trials: 5 told, 4 failed, 1 open"      # the last was for ./nonesuch, and is to be had

"$UNA" study run run.study --workers 2 -- sleep 60 >run.txt 2>&1 &         # not the function: its shell would be killed
process=$!
for _ in $(seq 100); do
    [ "$(una study show run.study --json | grep -o '"state": "open"' | wc -l)" -eq 2 ] && break
    sleep 0.05
done
kill -TERM $process
wait $process
true_that "interrupted: 130" test $? -eq 130
has run.txt "given back"
check "its trials are free at once" 0 una study ask run.study --count 2 --json
out '"id": 10' '"id": 11'
una study drop run.study 10
una study drop run.study 11
"$UNA" study run run.study -- sleep 61 >/dev/null 2>&1 &
process=$!
for _ in $(seq 100); do
    una study show run.study --json | grep -q '"id": 10,.*"attempts": 3' && break
    sleep 0.05
done
kill -9 $process
wait $process 2>/dev/null
check "killed: they are free at once, too" 0 una study ask run.study --json
out '"id": 10'
for left in $(pgrep -x sleep); do        # of the killed one a command is left
    grep -qzx 61 "/proc/$left/cmdline" 2>/dev/null && kill "$left"
done

# Containers share a name and count processes for themselves: the other one lives, whatever its number means here.
if unshare -pf --mount-proc true 2>/dev/null; then
    una study new pods.study --space space.json $quasi --quiet
    unshare -pf --mount-proc "$UNA" study run pods.study --trials 1 --quiet -- \
        sh -c 'echo {id} >inside; until [ -e over ]; do sleep 0.05; done; echo 1' 2>inside.err &
    until [ -s inside ] || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
    check "a run beside one in a container" 0 una study run pods.study --trials 1 --quiet -- sh -c 'echo {id} >outside; echo 2'
    touch over
    wait $!
    check "what was told in both" 0 una study show pods.study
    true_that "each had a trial of its own" test "$(cat inside outside | tr '\n' ' ')" = "1 2 "
    out "2 trials: 2 told, 0 failed, 0 open"
else
    skip "containers: no namespace of processes can be made here"
fi

# ---- spaces with errors
wrong_space() {     # wrong_space NAME JSON WORDS...
    printf '%s' "$2" >wrong.json
    check "$1" 2 una study new never.study --space wrong.json
    shift 2
    err "wrong.json" "$@"
    absent never.study
}
wrong_space "reversed bounds" '{"x1": {"type": "real", "low": 1, "high": 0}}' x1
wrong_space "logarithm of zero" '{"x1": {"type": "real", "low": 0, "high": 1, "log": true}}' x1
wrong_space "twice the same name" '{"x1": {"type": "real", "low": 0, "high": 1}, "x1": {"type": "real", "low": 0, "high": 1}}' x1
wrong_space "no such type" '{"x1": {"type": "complex", "low": 0, "high": 1}}' x1
wrong_space "a constraint on nobody" '{"x1": {"type": "real", "low": 0, "high": 1}, "constraints": ["x7 <= 1"]}' x7
wrong_space "not JSON" '{"x1": ' wrong.json
check "no space" 1 una study new never.study
err "--space is missing"
check "a space that is not there" 5 una study new never.study --space nowhere.json
check "a model that is not there" 1 una study new never.study --space space.json --model nonesuch
check "an acquisition that is not there" 1 una study new never.study --space space.json --acquisition nonesuch
check "a lease that is none" 1 una study new never.study --space space.json --lease 0
absent never.study

# ---- values and numbers of trials
for value in nan inf -inf abc 1e999 ''; do
    check "tell '$value'" 2 una study tell b.study 1 "$value"
    err "not a finite number"
done
check "tell nothing" 1 una study tell b.study 1
err "VALUE is missing"
check "tell both" 1 una study tell b.study 1 2 --failed
check "tell an unknown trial" 2 una study tell b.study 99 1
err "there is no trial 99 in b.study; they have numbers from 1 to 2"
check "tell trial 0" 2 una study tell b.study 0 1
check "tell trial x" 1 una study tell b.study x 1
check "tell trial -1" 1 una study tell b.study -- -1 1
check "ask for none" 1 una study ask b.study --count 0
una study new none.study --space space.json $quasi --quiet
check "best of nothing" 2 una study best none.study
err "no trial of none.study was told yet"
check "show of nothing" 0 una study show none.study
out "0 trials"
check "tell before anything was asked" 2 una study tell none.study 1 1
err "no other yet"

# ---- files that are none
table 20 >d.csv
una fit d.csv --target y $fast --out model.una --quiet
for file in d.csv model.una; do
    cp "$file" before
    check "a study that is $file" 2 una study ask "$file"
    err "$file"
    check "new over $file" 2 una study new "$file" --space space.json
    same before "$file"
done
check "a study that is not there" 5 una study ask nowhere.study
err "nowhere.study"
absent nowhere.study
mkdir folder
check "a study that is a folder" 5 una study ask folder
una bench cubic --quick --models linear --seeds 1 --out bench --quiet >/dev/null 2>&1
store=$(find bench -name '*.sqlite' | head -n 1)
if [ -n "$store" ]; then
    check "a store of experiments" 2 una study ask "$store"
    err "not a study"
    check "info of such a store" 2 una info "$store"
fi
check "a server that is not there" 5 una study ask postgresql://127.0.0.1:1/nowhere
err "127.0.0.1"
check "the password is nobody's business" 5 una study ask postgresql://me:secret@127.0.0.1:1/nowhere
true_that "no password" test "$(grep -c secret stderr.txt)" -eq 0

# ---- a disk that is full
disk=$PWD/disk
mkdir disk
if mount -t tmpfs -o size=160k una-test "$disk" 2>/dev/null; then
    una study new disk/full.study --space space.json $quasi --quiet
    check "a run on a disk that fills up" 5 una study run disk/full.study --quiet -- echo {x1}
    err "disk/full.study"
    true_that "what was not written is said" grep -q "could not be written\|no space" stderr.txt
    cat /dev/zero >disk/filler 2>/dev/null
    check "nothing more fits" 5 una study ask disk/full.study
    err "no space left"
    mount -o remount,size=4m "$disk"
    check "with room again it goes on" 0 una study run disk/full.study --trials 2 -- echo {x1}
    rm disk/filler
    check "it is sound" 0 una study show disk/full.study
    umount "$disk"
else
    skip "a full disk: no tmpfs can be mounted here"
fi
check "export to a full disk" 5 una study export b.study csv --out /dev/full
# Options that a study keeps may be a stranger's: files that they name are not opened.
printf 'x1,h\n0.1,2\n0.5,3\n' >heads.csv
check "a file in the options of the model" 1 una study new named.study --space space.json --model 'tuna(values=heads.csv)'
err "heads.csv, which is not opened"
absent named.study
# Names too, and a terminal would obey some of them.
printf '{"x\\u001b[31m": {"type": "category", "levels": ["a\\u001b[0m", "b\\u001b[0m"]}}' >red.json
una study new red.study --space red.json $quasi --quiet
for verb in 'run red.study --trials 1 -- echo 1' 'ask red.study' 'show red.study' 'best red.study'; do
    # shellcheck disable=SC2086
    check "names that a terminal would obey: $verb" 0 una study $verb
    true_that "none is obeyed" test "$(cat stdout.txt stderr.txt | grep -c "$(printf '\033')")" -eq 0
done
check "no temporary files" 0 true
tidy
