#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs a build folder somewhere else and uses it from there the way a stranger would: through
# pkg-config, through CMake's find_package (shared and static), and as a program.
set -eu
build=${1:-build}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

cmake --install "$build" --prefix "$place/usr"
PKG_CONFIG_PATH=$(dirname "$(find "$place" -name una.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH LD_LIBRARY_PATH

mkdir "$place/user"
cd "$place/user"
printf '#include <una.h>\nint main(void) { return una_version()[0] == 0; }\n' >a.c
# shellcheck disable=SC2046
cc a.c -o a $(pkg-config --cflags --libs una)
./a
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(una 0.1 REQUIRED COMPONENTS static)
add_executable(with_shared a.c)
target_link_libraries(with_shared una::una)
add_executable(with_static a.c)
target_link_libraries(with_static una::static)
END
cmake -S . -B build -DCMAKE_PREFIX_PATH="$place/usr"
cmake --build build
build/with_shared
build/with_static

"$place/usr/bin/una" --version
for file in man/man1/una.1 bash-completion/completions/una zsh/site-functions/_una fish/vendor_completions.d/una.fish; do
    test -s "$place/usr/share/$file"
done
