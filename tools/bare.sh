# SPDX-License-Identifier: MIT
# For scripts that try something on a bare Debian 12, made by debootstrap, which needs root and the mirror of this
# machine. Sourced; `place` is a folder of the script's own, where bare/ will be.
# shellcheck shell=bash disable=SC2154

bad() { echo "$*"; exit 1; }
skip() { echo "skip: $*"; exit 0; }

make_bare() {
    local mirror
    [ "$(id -u)" -eq 0 ] || skip "a bare Debian needs root"
    command -v debootstrap >/dev/null || skip "debootstrap is not there"
    grep -q '^VERSION_CODENAME=bookworm' /etc/os-release || skip "packages that are built here are not for Debian 12"
    mirror=$(find /etc/apt -name '*.list' -o -name '*.sources' | sort | xargs sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' |
        awk '/\/debian\/*$/ && !found++')
    [ -n "$mirror" ] || skip "no mirror in /etc/apt"
    debootstrap --variant=minbase bookworm "$place/bare" "$mirror" >"$place/log" 2>&1 || skip "debootstrap: $(tail -n 1 "$place/log")"
    mkdir "$place/bare/work"
}

inside() {   # inside COMMAND...: on the bare machine, with its own /proc
    unshare -m sh -c 'mount -t proc proc "$0/proc" 2>/dev/null; cd / && exec chroot "$0" "$@"' "$place/bare" \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"
}
