# SPDX-License-Identifier: MIT
# Options of a model: grid, random and bayes; results that are kept; sentences for what cannot be read.
table 60 >train.csv
small="--target y --model nlm(epochs=5,members=1)"
check "a grid" 0 una tune train.csv $small --over 'width=4|8, penalty=1e-4:1e-2:log3' --out tuning
out "log-lik" "6 fits made now, 0 were in tuning" "Best: una fit train.csv --model 'nlm(" "--target y"
there tuning/tune.csv
true_that "six rows" test "$(wc -l <tuning/tune.csv)" -eq 7
true_that "best first" awk '$4 ~ /^nlm/ { if (seen && $1 > last) bad = 1; last = $1; seen = 1 } END { exit bad || !seen }' stdout.txt
check "the best can be passed back" 0 sh -c "$(sed -n 's/^Best: una/"$UNA"/p' stdout.txt) --quiet --out best.una"
there best.una
check "once more" 0 una tune train.csv $small --over 'width=4|8, penalty=1e-4:1e-2:log3' --out tuning --json
json best tried made out
out '"made": 0'
check "a little more" 0 una tune train.csv $small --over 'width=4|8|12, penalty=1e-2' --out tuning
out "1 fit made now, 2 were in tuning"
check "random" 0 una tune train.csv $small --over 'width=4:20, penalty=1e-5:1:log' --search random --trials 5 --json
cp stdout.txt one.json
true_that "five of them" test "$(grep -o '"spec"' one.json | wc -l)" -eq 5
check "random, two threads" 0 una tune train.csv $small --over 'width=4:20, penalty=1e-5:1:log' --search random --trials 5 --json --threads 2
true_that "the same specs" test "$(grep -o '"spec": "[^"]*"' one.json)" = "$(grep -o '"spec": "[^"]*"' stdout.txt)"
check "bayes" 0 una tune train.csv $small --over 'width=4:20, activation=relu|tanh' --search bayes --trials 6 --out other
out "6 fits made now"
check "bayes goes on" 0 una tune train.csv $small --over 'width=4:20, activation=relu|tanh' --search bayes --trials 8 --out other --json
check "settings" 0 una tune train.csv $small --over 'width=4|8' --valid 0.3 --set depth=1 --json
out "depth=1"

check "nothing to vary" 1 una tune train.csv $small
err "--over"
check "no such option" 1 una tune train.csv $small --over 'widht=4|8'
err "widht=4|8" "did you mean"
check "a range without a number" 1 una tune train.csv $small --over 'penalty=1e-5:1:log'
err "penalty=1e-5:1:log5"
check "too many" 1 una tune train.csv $small --over 'penalty=0:1:1001, width=1:1000:1000'
err "1001000 combinations"
check "trials of a grid" 1 una tune train.csv $small --over 'width=4|8' --trials 5
err "--search random or bayes"
sed '1s/y/the y/' train.csv >spaced.csv
check "names with blanks" 0 una tune spaced.csv --target 'the y' --model linear --over 'degree=1|2'
out "--target 'the y'"
check "no such column" 2 una tune train.csv --target z --model linear --over 'degree=1|2'
check "a file in the way" 5 una tune train.csv $small --over 'width=4|8' --out train.csv
err "not a folder"
check "help" 0 una tune --help
out "--over AXES" "una tune measurements.csv"
tidy
