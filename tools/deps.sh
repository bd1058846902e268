#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages that are missing (more may be named as arguments). Quick and silent when
# everything is there; says what to do when it may not install.
#   tools/deps.sh [PACKAGE...]
#   tools/deps.sh --missing     installs nothing: says what the build misses, and how to get it
#   tools/deps.sh --list        what the build uses
set -eu

# What the build needs; what it uses where it is there, libraries to be linked or to be loaded; what tests need besides.
# The first two stand in debian/control too, as tools/check_package.sh checks.
needed="build-essential cmake ninja-build pkg-config librandom123-dev libjansson-dev zlib1g-dev libsqlite3-dev libmd-dev"
used="libsvm-dev libcurl4-openssl-dev libopenmpi-dev libdnnl-dev"
tests="libcmocka-dev openmpi-bin libcairo2 fonts-dejavu-core libpq-dev"

mode=install
case ${1:-} in
--list) echo "$needed $used"; exit 0 ;;
--missing) mode=missing wanted=$needed ;;
*) wanted="$needed $used $tests $*" ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
    exit 0    # not Debian: CMake will name what is missing
fi

# shellcheck disable=SC2086
present=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null | sed -n 's/ installed$//p' || true)
missing=""
for package in $wanted; do
    echo "$present" | grep -qx "$package" || missing="$missing $package"
done
# pkgconf is the new name of pkg-config, and comes as its replacement
case "$missing" in
*" pkg-config"*) if command -v pkg-config >/dev/null 2>&1; then
        missing=$(echo "$missing" | sed 's/ pkg-config//')
    fi ;;
esac
# any libcurl will do, and they exclude each other
case "$missing" in
*" libcurl4-openssl-dev"*) if pkg-config --exists libcurl 2>/dev/null; then
        missing=$(echo "$missing" | sed 's/ libcurl4-openssl-dev//')
    fi ;;
esac
[ -n "$missing" ] || exit 0

if [ "$mode" = missing ]; then
    echo "The build misses packages:$missing" >&2
    echo "'make deps' installs them and those of the tests; as root: apt-get install$missing" >&2
    exit 0
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "These packages are missing; install them as root with: apt-get install$missing" >&2
        exit 1
    fi
    as_root="sudo"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Installing:$missing"
# shellcheck disable=SC2086
if ! { $as_root apt-get update -q && \
       $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing; } >"$log" 2>&1
then
    cat "$log" >&2
    echo "apt-get could not install:$missing" >&2
    exit 1
fi
