#!/bin/sh
# SPDX-License-Identifier: MIT
# The version of una, which stands in include/una.h; with --debian the changelog that a Debian package must have.
#   tools/version.sh [--debian]
set -eu
cd "$(dirname "$0")/.."
part() { sed -n "s/^#define UNA_VERSION_$1 \([0-9]*\)\$/\1/p" include/una.h; }
version=$(part MAJOR).$(part MINOR).$(part PATCH)
case $version in
*[!0-9.]* | .* | *. | *..*) echo "include/una.h has no version that can be read: '$version'" >&2; exit 1 ;;
esac
if [ "${1:-}" != "--debian" ]; then
    echo "$version"
    exit 0
fi
cat <<END
una ($version) unstable; urgency=medium

  * See CHANGELOG.md.

 -- The una authors <una@packages.example.org>  Thu, 01 Jan 2026 00:00:00 +0000
END
