#!/bin/sh
# SPDX-License-Identifier: MIT
# Configures build/ where it is not, by the preset release, and builds. Installs no packages: where some are missing, it
# names them. The last line names the program that was built.
#   tools/build.sh [TARGET...]      default: all
set -eu
cd "$(dirname "$0")/.."
mkdir -p build
if [ ! -f build/build.ninja ]; then
    if ! cmake --preset release >build/configure.log 2>&1; then
        cat build/configure.log
        tools/deps.sh --missing
        exit 1
    fi
    sed -n 's/^-- una: /una: /p' build/configure.log
fi
if [ $# -eq 0 ]; then set -- all; fi
cmake --build build -j "${JOBS:-2}" --target "$@"
if [ -x build/una ]; then echo "program: build/una"; fi
