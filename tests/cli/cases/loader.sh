# SPDX-License-Identifier: MIT
# The current folder may be a stranger's: no library in it is looked at, whatever it is called.
# shellcheck shell=bash
for i in $(seq 30); do echo "$i,$((3 * i + i % 5))"; done | sed '1i x,y' >t.csv
check "fit" 0 una fit t.csv --model linear --out m.una
if command -v readelf >/dev/null; then
    libraries=$(readelf -d "$UNA" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p')
    true_that "una needs libraries" test -n "$libraries"
    una --version >before.txt
    for library in $libraries libpq.so.5 libdnnl.so.2; do echo "no library" >"$library"; done
    check "version beside libraries of a stranger" 0 una --version
    same stdout.txt before.txt
    check "info beside libraries of a stranger" 0 una info m.una
    LD_LIBRARY_PATH=. check "info that is told to look here" 127 una info m.una
    err "$(echo "$libraries" | head -n 1)"
else
    skip "there is no readelf to say which libraries una needs"
fi
