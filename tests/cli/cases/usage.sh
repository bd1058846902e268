# SPDX-License-Identifier: MIT
# Help, version, and everything a person can mistype.
check "no arguments" 1 una
out "una fit"
check "--help" 0 una --help
out "demo" "predict" "Exit status" "130"
no_err
check "help VERB" 0 una help predict
out "una predict MODEL DATA" "--level P" "Examples"
cp stdout.txt help.txt
check "VERB --help" 0 una predict --help
same stdout.txt help.txt
for verb in demo fit predict update score bench models info; do
    check "$verb --help" 0 una $verb --help
    out "Examples" "  una $verb" "--help"
done
check "--version" 0 una --version
out "una 0." "SQLite 3." "libpq "
true_that "both limits" grep -qE '^limits +[0-9]+\.[0-9] GB of memory \(--memory\), [0-9]+\.[0-9] GB of scratch files \(--scratch\)$' stdout.txt
check "unknown verb" 1 una fitt
err "did you mean 'una fit'"
no_out
check "unknown verb, far away" 1 una xyzzyplugh
err "una --help"
check "help on an unknown verb" 1 una help modles
err "models"
check "unknown flag" 1 una fit d.csv --taget y
err "there is no flag --taget" "--target"
check "unknown flag, far away" 1 una fit d.csv --xyzzyplugh
err "una fit --help"
check "one dash" 1 una fit d.csv -o
err "two dashes"
check "flag without its value" 1 una fit d.csv --target
err "--target COLUMN"
check "switch with a value" 1 una fit d.csv --json=yes
err "takes no value"
check "operand missing" 1 una predict m.una
err "DATA is missing"
check "operand too many" 1 una info a b
err "too many"
check "seed not a number" 1 una fit d.csv --seed=-1
err "--seed" "whole number"
check "threads 0" 1 una fit d.csv --threads 0
err "--threads"
check "level 1" 1 una predict m d --level 1
err "--level"
check "level not a number" 1 una predict m d --level nan
err "--level"
check "draws 0" 1 una predict m d --draws 0
check "memory" 1 una fit d.csv --memory 4X
err "--memory"
check "kernels" 1 una fit d.csv --kernels sse
err "generic"
check "missing rule" 1 una fit d.csv --missing ignore
err "drop|mean"
check "preset" 1 una fit d.csv --preset thesys
err "thesis"
check "chart ending" 1 una fit d.csv --chart a.gif
err ".svg"
check "predict --json without --out" 1 una predict m.una d.csv --json
err "--out"
no_out

table 60 >d.csv
check "unknown model" 1 una fit d.csv --target y --model lunna
err "luna"
absent d.una
check "unknown option" 1 una fit d.csv --target y --model luna --set epoch=3
err "epochs"
check "option out of range" 1 una fit d.csv --target y --model luna --set width=-4
err "width"
check "an option of luna, without a model" 1 una fit d.csv --target y --set width=10
err "auto has no option 'width', but luna has it" "give the model as 'luna(width=10)' or as 'auto(luna=luna(width=10))'"
check "an option of gp, without a model" 1 una fit d.csv --target y --set 'kernel=rbf + linear'
err "gp has it" "give the model as 'gp(kernel=rbf + linear)'"
check "nearly an option of luna, without a model" 1 una fit d.csv --target y --set epoch=3
err "luna has epochs" "give the model as 'luna(epochs=3)'"
check "an option of nobody, without a model" 1 una fit d.csv --target y --set xyzzyplugh=3
err "auto has no option 'xyzzyplugh'" "una models auto"
check "fast and best" 1 una fit d.csv --target y --fast --best
err "do not go together"
check "the effort of another model" 1 una fit d.csv --target y --fast --model luna
err "--fast is for the model auto" "--set members=5"
absent d.una
check "a fast fit" 0 una fit d.csv --target y --fast --out fast.una
check "how fast" 0 una info fast.una
out "effort=fast" "members=5"
rm -f fast.una
check "option without a value" 1 una fit d.csv --target y --set width
check "valid share out of range" 1 una fit d.csv --target y --valid 1.5
err "--valid"
absent d.una

check "write error" 5 sh -c '"$UNA" models >/dev/full'
err "standard output"
check "closed stdout" 5 sh -c '"$UNA" models >&-'
check "reader goes away" 0 sh -c '"$UNA" models | head -n 1'
no_err
