# SPDX-License-Identifier: MIT
# Rows in scratch files: a table that does not fit into the memory a process may have of its own, the same model with
# them and without, and nothing left behind. A limit on data (ulimit -d) counts private memory, not shared mappings.
# shellcheck shell=bash
mkdir scratch
table 3000 >few.csv
times=100
[ -z "${SANITIZED:-}" ] || times=30
{
    echo "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,x13,x14,x15,x16,x17,x18,x19,y"
    tail -n +2 few.csv | awk -F, '{ printf "%.3f", $1; for (i = 2; i < 20; i++) printf ",%.3f", $2 * i + (NR * i) % 17
                                    print "," $3 }' >part.csv
    for _ in $(seq $times); do cat part.csv; done
} >many.csv                                # 300,000 rows of 20, or 90,000
how="--target y --model nlm --set steps=40,width=10,train_noise_std=0.3,members=1,noise=constant --threads 1 --quiet"
limited() { (ulimit -d 65536 && TMPDIR=$PWD/scratch una "$@"); }

check "scratch files" 0 env TMPDIR="$PWD/scratch" "$UNA" fit many.csv $how --out with.una
true_that "no scratch file has a name" test -z "$(ls -A scratch)"
check "--no-scratch" 0 una fit many.csv $how --no-scratch --out without.una
same with.una without.una
check "no folder for them" 0 env TMPDIR="$PWD/nowhere" "$UNA" fit many.csv $how --out nowhere.una
same with.una nowhere.una

if grep -q __asan_init "$UNA"; then skip "too little memory: the sanitizer needs more than any such limit"
elif [ "$(uname)" != Linux ]; then skip "too little memory: there are no scratch files on $(uname)"
elif stat -f -c %T scratch | grep -qE 'tmpfs|ramfs|btrfs|zfs'; then skip "too little memory: no file in $PWD will do"
elif [ "$(stat -f -c '%a * 10 < %b' scratch | { IFS= read -r line; echo $((line)); })" = 1 ]; then
    skip "too little memory: the disk under $PWD is nearly full"
else
    check "too little memory for all rows" 4 limited fit many.csv $how --no-scratch --out no.una
    err "out of memory"
    absent no.una
    check "scratch files for rows beyond memory" 0 limited fit many.csv $how --out limited.una
    same with.una limited.una
    true_that "no scratch file is left" test -z "$(ls -A scratch)"
fi

# A few kilobytes that unpack to millions of rows: refused by limits of which the sentence tells, and nothing stays.
{ echo a,b,y; yes "1,2,3
4,6,5" | head -n 2000000; } | gzip >bomb.csv.gz
check "a table beyond both limits" 4 env TMPDIR="$PWD/scratch" "$UNA" fit bomb.csv.gz --model linear \
    --quiet --memory 20M --scratch 20M --out bomb.una
err "MB are allowed"
absent bomb.una
true_that "nothing of it is left" test -z "$(ls -A scratch)"
check "standard input beyond the limit of scratch files" 4 \
    bash -c 'yes "1,2,3" | head -n 500000 | TMPDIR="$1" "$2" fit - --scratch 1M --out bomb.una' _ \
    "$PWD/scratch" "$UNA"
err "MB came so far, and a scratch file of no more than 1.05 MB is allowed"
absent bomb.una
