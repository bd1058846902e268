#!/bin/bash
# SPDX-License-Identifier: MIT
# The Debian packages. In short: made of a build that is there, their files counted, unpacked, used from there. In long:
# `make dist` as it is, twice with the same archive, judged by lintian, installed with dpkg -i on a bare Debian 12 (made
# by debootstrap, which needs root and the mirror of this machine), where the README's walk-through and its program in C
# then run.
#   tools/check_package.sh [--long] [BUILD]
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
long=""
not_judged=""
[ "${1:-}" != "--long" ] || { long=1; shift; }
build=$(cd "${1:-build}" && pwd)

. tools/bare.sh

# One list of what is needed, written twice, each where its reader looks for it.
version=$(tools/version.sh)
needed() { sed 's,debhelper-compat (= 13),,' | tr -s ' ,\n' '\n' | sed 's,^pkg-config$,pkgconf,; /^build-essential$/d; /^$/d' | sort; }
diff <(tools/deps.sh --list | needed) \
     <(sed -n '/^Build-Depends:/,/^Standards/p' debian/control | sed 's/^Build-Depends://; /^Standards/d' | needed) ||
    bad "tools/deps.sh (<) and Build-Depends of debian/control (>) differ"

if ! command -v dh >/dev/null || ! command -v dpkg-deb >/dev/null; then skip "debhelper is not there"; fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

files() {    # files PACKAGE: what is in it, without folders, documents and versions
    dpkg-deb -c "$place"/"$1"_*.deb | awk '$1 !~ /^d/ { print $6 }' | grep -vE '/share/(doc|lintian)/' |
        sed "s,^\./,,; s,/lib/[a-z0-9_]*-linux-gnu[a-z0-9]*/,/lib/,; s,\.so\.$version\$,.so.VERSION," | sort
}

names() {    # names PACKAGE: what should be
    local mpi=""
    [ ! -e "$build/libuna_mpi.so" ] || mpi=una_mpi
    case $1 in
    una) printf '%s\n' usr/bin/una usr/share/man/man1/una.1.gz usr/share/bash-completion/completions/una \
            usr/share/fish/vendor_completions.d/una.fish usr/share/zsh/vendor-completions/_una ;;
    libuna0) for name in una una_report una_study una_bench $mpi; do printf 'usr/lib/lib%s.so.%s\n' $name 0 $name VERSION; done ;;
    libuna-dev)
        for name in una una_report una_study una_bench $mpi; do
            printf '%s\n' usr/include/$name.h usr/lib/lib$name.so usr/lib/lib$name.a usr/lib/pkgconfig/$name.pc
        done
        printf '%s\n' usr/lib/cmake/una/unaConfig.cmake usr/lib/cmake/una/unaConfigVersion.cmake ;;
    esac | sort
}

judge() {    # judge OPTIONS... FILES...
    if command -v lintian >/dev/null; then
        lintian --fail-on error,warning --tag-display-limit 0 --allow-root "$@"
    else
        not_judged="lintian is not there to judge the packages"
    fi
}

unpacked() { # what is in the packages, used where it was unpacked
    for package in una libuna0 libuna-dev; do
        diff <(files $package) <(names $package) || bad "files of $package (<) are not those that should be there (>)"
        dpkg-deb -x "$place"/${package}_*.deb "$place/root"
    done
    find "$place/root" -type f \( -path '*/bin/una' -o -name 'libuna*.so.*' \) -exec tools/check_hardened.sh {} +
    "$place/root/usr/bin/una" --version | grep -q "^una $version" || bad "una --version"
    gzip -cd "$place/root/usr/share/man/man1/una.1.gz" | grep -q '^\.TH' || bad "the manual page"
    bash -n "$place/root/usr/share/bash-completion/completions/una"
    for page in README use/START methods/MODELS; do
        find "$place/root/usr/share/doc/una" -path "*/$page.md*" -size +0 | grep -q . || bad "no page $page"
    done
    [ -s "$place/root/usr/share/doc/una/examples/measurements.csv" ] || bad "no table to begin with"
    dpkg-deb -f "$place"/una_*.deb Depends | grep -q libsqlite3 || bad "una does not ask for what it is linked with"

    local libraries
    libraries=$(dirname "$(find "$place/root" -name libuna.so)")
    printf '#include <una.h>\n#include <una_report.h>\n#include <una_study.h>\n#include <una_bench.h>\nint main(void) { return !una_version()[0]; }\n' >"$place/use.c"
    cc "$place/use.c" -I "$place/root/usr/include" -L "$libraries" -luna -o "$place/use"
    LD_LIBRARY_PATH=$libraries "$place/use" || bad "a program with libuna"
}

short() {    # a tree with what debian/rules looks at, around a build that is there
    mkdir -p "$place/tree"
    cp -r debian README.md CHANGELOG.md CONTRIBUTING.md docs examples "$place/tree"
    tools/version.sh --debian >"$place/tree/debian/changelog"
    (cd "$place/tree" && export DEB_RULES_REQUIRES_ROOT=no UNA_BUILT="$build" && debian/rules binary) >"$place/log" 2>&1 ||
        { cat "$place/log"; bad "debian/rules failed"; }
    unpacked
    # This build is one for /usr/local, whose libraries stand in lib itself.
    judge --suppress-tags arch-dependent-file-not-in-arch-specific-directory,pkg-config-multi-arch-wrong-dir \
          --suppress-tags pkg-config-unavailable-for-cross-compilation "$place"/*.deb
}

walk() {     # walk FILE SECTION LEAST: the commands of a page, or of one of its sections, as a script; at least LEAST run
    cat <<'END'
set -eu
ran=0
passed_over=0
# A command that reads a file which none before it has made belongs to another page.
run() {
    for word in $(echo "$1" | sed 's/--\(out\|report\) [^ ]*//g'); do
        case $word in *.csv|*.una|*.json|*.txt|*.study)
            [ -e "$word" ] || { echo "passed over, for want of $word: $1"; passed_over=$((passed_over + 1)); return 0; } ;;
        esac
    done
    echo "\$ $1"
    sh -c "$1" >said || { cat said; exit 1; }
    ran=$((ran + 1))
}
END
    awk -v section="## $2" '
        BEGIN { here = section == "## " }
        section != "## " && /^## / { here = $0 == section }
        !here { next }
        /^```sh$/ { block = 1; next }
        /^```/ { block = block ? 0 : 2; next }
        block == 1 { print; next }
        block == 2 && /^\$ / { command = substr($0, 3); gsub(/\047/, "\047\\\047\047", command); printf "run \047%s\047\n", command }' "$1"
    echo "echo \"\$ran commands of $(basename "$1") ran, \$passed_over were passed over\""
    echo "[ \$ran -ge $3 ]"
}

satisfy() {  # satisfy FILE.deb...: what they depend on, but not each other
    local depends
    depends=$(for file in "$@"; do dpkg-deb -f "$file" Depends | sed 's/libuna0 ([^)]*), *//'; echo; done | grep . | paste -sd, -)
    inside apt-get satisfy -qq -y --no-install-recommends "$depends"
}

bare() {     # a bare Debian 12
    make_bare
    mkdir "$place/bare/packages"
    cp "$place"/*.deb "$place/bare/packages"

    satisfy "$place"/una_*.deb >"$place/log" 2>&1 || { tail -n 20 "$place/log"; bad "what una depends on"; }
    inside sh -c 'dpkg -i /packages/una_*.deb && una --version'
    cp -r "$place/bare/usr/share/doc/una/examples" "$place/bare/work"
    walk README.md "Fit and predict" 3 >"$place/bare/work/walk.sh"
    inside sh -c 'cd /work && sh walk.sh'
    walk docs/use/START.md "" 8 >"$place/bare/work/walk.sh"
    inside sh -c 'cd /work && sh walk.sh'
    walk docs/use/STUDIES.md "Five minutes" 3 >"$place/bare/work/walk.sh"
    inside sh -c 'cd /work && sh walk.sh'

    satisfy "$place"/libuna0_*.deb "$place"/libuna-dev_*.deb >"$place/log" 2>&1 || { tail -n 20 "$place/log"; bad "what libuna-dev depends on"; }
    inside apt-get install -qq -y --no-install-recommends gcc libc6-dev pkgconf >"$place/log" 2>&1 || bad "no compiler"
    awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' README.md >"$place/bare/work/examples/quickstart.c"
    grep -F 'cc -std=c11 examples/quickstart.c' README.md | sed 's/^\$ //' >"$place/bare/work/quickstart.sh"
    inside sh -c 'dpkg -i /packages/libuna0_*.deb /packages/libuna-dev_*.deb && cd /work && sh -eu quickstart.sh' | tee "$place/said"
    grep -q '^x =  3:' "$place/said" || bad "the README's program in C says something else"
    inside sh -c 'dpkg -r una libuna-dev libuna0 && ! command -v una'
}

if [ -z "$long" ]; then
    short
    [ -z "$not_judged" ] || skip "$not_judged"
    exit 0
fi
command -v dpkg-buildpackage >/dev/null || skip "dpkg-buildpackage is not there"
tools/dist.sh "$place"
mkdir "$place/again"
tar -x -C "$place/again" -f "$place/una-$version.tar.xz"
"$place/again/una-$version/tools/dist.sh" --source "$place/again"
cmp "$place/una-$version.tar.xz" "$place/again/una-$version.tar.xz"
rm -f "$place"/*-dbgsym_*.deb
unpacked
commit=$(cut -c1-12 "$place/again/una-$version/.commit")
grep -qF "$commit" "$place/root/usr/bin/una" || bad "una does not know that it is of commit $commit"
judge "$place"/*.deb
bare
