# SPDX-License-Identifier: MIT
# Flags of older versions, which kept parsed tables: accepted, with a note, and nothing is kept.
export XDG_CACHE_HOME=$PWD/cache
table 60000 >big.csv
touch -d '1 hour ago' big.csv
check "a large table" 0 una fit big.csv $fast --out plain.una
no_err
check "--no-cache" 0 una fit big.csv $fast --no-cache --out no.una
true_that "one note, and no more" test "$(wc -l <stderr.txt)" -eq 1
err "una fit: note: --no-cache has no effect any more: tables are not cached"
same plain.una no.una
check "both flags" 0 una fit big.csv $fast --no-cache --verify-cache --json --out both.una
json model
true_that "two notes" test "$(wc -l <stderr.txt)" -eq 2
err "note: --verify-cache has no effect any more: tables are not cached"
same plain.una both.una
check "quiet" 0 una fit big.csv $fast --verify-cache --quiet --out quiet.una
no_err
absent cache
check "no value" 1 una fit big.csv --verify-cache=yes
err "--verify-cache takes no value"
