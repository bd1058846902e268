# SPDX-License-Identifier: MIT
# Libraries that are loaded when they are first needed, on a machine that lacks them: what needs one says what to install,
# or does without, and all else works. They are made to fail by files of their names that are no libraries.
# shellcheck shell=bash
mkdir broken
for library in libpq.so.5 libdnnl.so.2; do echo "no library" >"broken/$library"; done
without() { LD_LIBRARY_PATH=$PWD/broken "$@"; }

# A program by itself, without the libuna_mpi that stands beside it where it was built.
cp "$UNA" alone
echo "no library" >broken/libuna_mpi.so.0
rank() { without env OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK="$1" ./alone bench cubic --quick; }
check "several processes without MPI" 1 rank 0
err "one of 4 processes" "the library libuna_mpi.so.0, which brings them together, cannot be loaded" "without mpirun"
no_out
check "the others say nothing" 0 rank 2
no_err
check "version without MPI" 0 without ./alone --version
out "ranks    none, for want of libuna_mpi.so.0 or of MPI"

check "version" 0 una --version
cp stdout.txt with.txt
check "version without them" 0 without una --version
if grep -q "built without PostgreSQL" stdout.txt; then
    skip "una was built without PostgreSQL"
else
    out "servers  none, for want of libpq (libpq.so.5; Debian: libpq5)"
    for verb in "study ask postgresql://127.0.0.1:1/nowhere" "info postgresql://127.0.0.1:1/nowhere" \
                "bench cubic --quick --store postgresql://127.0.0.1:1/nowhere --out there"; do
        check "$verb" 5 without una $verb
        err "databases on a server of PostgreSQL need the library libpq.so.5, which cannot be loaded: install it (Debian: libpq5)"
    done
    echo '{"x": {"type": "real", "low": 0, "high": 1}}' >space.json
    check "a study in a file" 0 without una study new a.study --space space.json
fi

# The same fit with oneDNN, where it is there, and without: a note, and answers that are nearly the same.
if grep -q "built without oneDNN" with.txt; then
    skip "una was built without oneDNN"
    return
fi
check "version without oneDNN" 0 without una --version
out "images   by una itself; oneDNN is faster (libdnnl.so.2; Debian: libdnnl2)"
(printf '\0\0\010\003\0\0\0\050\0\0\0\006\0\0\0\006'
 printf '%b' "$(awk 'BEGIN { s = 7; for (i = 0; i < 1440; i++) { s = (s * 16807) % 2147483647; printf "\\0%o", s % 256 } }')") >i.idx
awk 'BEGIN { print "index,y"; for (i = 0; i < 40; i++) print i "," sin(i) }' >i.csv
model="nlm(body=resnet(width=8,blocks=1,stem=small),steps=4,members=1)"
check "images without oneDNN" 0 without una fit i.csv --images i.idx --target y --model "$model" --out plain.una --no-verdict
out "oneDNN is not installed here (libdnnl.so.2; Debian: libdnnl2)"
check "generic kernels" 0 without una fit i.csv --images i.idx --target y --model "$model" --out generic.una --no-verdict --kernels generic
true_that "generic kernels use none" test "$(grep -c oneDNN stdout.txt)" -eq 0
check "answers without oneDNN" 0 without una predict plain.una i.csv --images i.idx --out plain.csv
if ! grep -q "images   oneDNN" with.txt; then
    skip "the library of oneDNN is not installed"
    return
fi
check "images with oneDNN" 0 una fit i.csv --images i.idx --target y --model "$model" --out fast.una --no-verdict
true_that "no note" test "$(grep -c oneDNN stdout.txt)" -eq 0
check "answers of the other way" 0 una predict plain.una i.csv --images i.idx --out fast.csv
true_that "nearly the same" test "$(paste -d, plain.csv fast.csv | awk -F, 'NR > 1 { n = NF / 2
    for (i = 1; i <= n; i++) { d = $i - $(i + n); if (d < 0) d = -d; if (d > 1e-3) bad++ } } END { print bad + 0 }')" -eq 0
