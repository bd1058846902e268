#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs a build folder somewhere else and uses it from there the way a stranger would: through
# pkg-config, through CMake's find_package (shared and static), and as a program.
set -eu
build=${1:-build}
version=$("$(dirname "$0")/version.sh" | cut -d. -f1,2)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

cmake --install "$build" --prefix "$place/usr"
PKG_CONFIG_PATH=$(dirname "$(find "$place" -name una.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH LD_LIBRARY_PATH

mkdir "$place/user"
cd "$place/user"
cat >una.c <<'END'
#include <una.h>
int main(void) { return una_version()[0] == 0; }
END
# The next three call a library above libuna on purpose with nothing to do: 1 where it refuses for that, 2 where it refuses
# for the version of libuna.
cat >una_report.c <<'END'
#include <string.h>
#include <una_report.h>
int main(void)
{
    una_run *run = NULL;
    if (una_run_new(&run, NULL) != UNA_OK) return 3;
    int status = (int)una_chart_write("chart.none", NULL, NULL, 0, NULL, run);
    if (strstr(una_run_message(run), "from one build")) status = 2;
    una_run_free(run);
    return status;
}
END
cat >una_study.c <<'END'
#include <string.h>
#include <una_study.h>
int main(void)
{
    una_study *study = NULL;
    una_run *run = NULL;
    if (una_run_new(&run, NULL) != UNA_OK) return 3;
    int status = (int)una_study_open(&study, "none.study", run) == UNA_E_IO;
    if (strstr(una_run_message(run), "from one build")) status = 2;
    una_run_free(run);
    return status;
}
END
cat >una_bench.c <<'END'
#include <string.h>
#include <una_bench.h>
#include <una_study.h>
int main(void)
{
    const char *const models[] = { "nobody" };
    una_bench_settings settings = { .size = sizeof settings, .out = "none", .models = models, .model_count = 1 };
    una_bench_result *result = NULL;
    una_run *run = NULL;
    if (una_run_new(&run, NULL) != UNA_OK) return 3;
    una_study_close(NULL);
    int status = (int)una_bench_run(&result, "cubic", &settings, run);
    if (strstr(una_run_message(run), "from one build")) status = 2;
    una_run_free(run);
    return status;
}
END
cat >una_mpi.c <<'END'
#include <stdio.h>
#include <una_mpi.h>
int main(void) { return una_mpi_leave(NULL, UNA_OK, NULL, NULL) + (una_version()[0] == 0) + (puts(una_mpi_build_info()) < 0); }
END
all="una una_report una_study una_bench"
[ -e "$PKG_CONFIG_PATH/una_mpi.pc" ] && all="$all una_mpi"
printf 'const char *una_version(void);\nconst char *una_version(void) { return "9.9.9"; }\n' >other.c
cc -shared -fPIC other.c -o other.so

expect() {    # expect STATUS COMMAND...
    wanted=$1
    shift
    got=0
    "$@" || got=$?
    [ "$got" -eq "$wanted" ] || { echo "$* ended with $got, not $wanted"; exit 1; }
}

# The archives alone, so that --static takes them.
mkdir "$place/still"
cp "$LD_LIBRARY_PATH"/*.a "$place/still"
for name in $all; do
    # shellcheck disable=SC2046
    cc $name.c -o $name $(pkg-config --cflags --libs $name)
    # shellcheck disable=SC2046
    cc $name.c -o ${name}_still $(pkg-config --static --define-variable=libdir="$place/still" --cflags --libs $name)
    if ldd ${name}_still | grep libuna; then exit 1; fi
done
expect 0 ./una
expect 0 ./una_still
for name in ./una_mpi ./una_mpi_still; do [ ! -e $name ] || expect 0 $name; done
for name in una_report una_study una_bench; do
    expect 1 ./$name
    expect 1 ./${name}_still
    expect 2 env LD_PRELOAD="$place/user/other.so" ./$name
done
# Studies were once a part of una_bench: whoever names it alone to the linker, as one shared library or as one archive,
# has them still; and a program that was linked with it then, and asks for it alone, finds them.
where="-I$place/usr/include -L$LD_LIBRARY_PATH"
for linker in bfd gold lld; do
    command -v ld.$linker >/dev/null || continue
    # shellcheck disable=SC2086
    cc una_bench.c -o alone -fuse-ld=$linker $where -luna_bench -luna
    expect 1 ./alone
done
# shellcheck disable=SC2046
cc una_bench.c -o alone_still $(pkg-config --static --define-variable=libdir="$place/still" --cflags --libs una_bench | sed 's/-luna_study//')
expect 1 ./alone_still
mkdir "$place/old"
echo 'void una_study_close(void *s); void una_study_close(void *s) { (void)s; } int una_bench_run(void); int una_bench_run(void) { return 0; }' >old.c
cc -shared -fPIC old.c -o "$place/old/libuna_bench.so" -Wl,-soname,libuna_bench.so.0
# shellcheck disable=SC2086
cc una_bench.c -o old -L"$place/old" $where -luna_bench -luna
if readelf -d old | grep libuna_study; then exit 1; fi
expect 1 ./old
# Nothing but una's own place: no paths of the libraries inside.
[ "$(pkg-config --cflags una | xargs -n 1 | grep -c .)" -eq 1 ] || { pkg-config --cflags una; exit 1; }

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(una ${VERSION} REQUIRED COMPONENTS static)
set(all una una_report una_study una_bench)
if(TARGET una::mpi_static)
  list(APPEND all una_mpi)
endif()
foreach(name ${all})
  string(REGEX REPLACE "^una_" "" target ${name})
  add_executable(${name}_shared ${name}.c)
  target_link_libraries(${name}_shared una::${target})
  if(target STREQUAL una)
    set(target "")
  else()
    string(APPEND target _)
  endif()
  add_executable(${name}_static ${name}.c)
  target_link_libraries(${name}_static una::${target}static)
endforeach()
END
cmake -S . -B build -DCMAKE_PREFIX_PATH="$place/usr" -DVERSION="$version"
cmake --build build
for kind in shared static; do
    expect 0 build/una_$kind
    for name in una_report una_study una_bench; do expect 1 build/${name}_$kind; done
    [ ! -e build/una_mpi_$kind ] || expect 0 build/una_mpi_$kind
done

# Components: those that are there are found, others are not.
finds() {     # finds 0|1 COMPONENT...
    wanted=$1
    shift
    mkdir -p "$place/parts"
    printf 'cmake_minimum_required(VERSION 3.22)\nproject(parts C)\nfind_package(una REQUIRED COMPONENTS %s)\n' "$*" \
        >"$place/parts/CMakeLists.txt"
    rm -rf "$place/parts/build"
    expect "$wanted" cmake -S "$place/parts" -B "$place/parts/build" -DCMAKE_PREFIX_PATH="$place/usr" \
        >"$place/parts/out" 2>&1 || { cat "$place/parts/out"; exit 1; }
}
finds 0 report study bench
finds 0 static report study bench
finds 1 nonsense
grep -q "una has no component 'nonsense'" "$place/parts/out"
finds 1 study nonsense
mpi=0
[ -e "$PKG_CONFIG_PATH/una_mpi.pc" ] || mpi=1
finds $mpi mpi

"$place/usr/bin/una" --version
for file in man/man1/una.1 bash-completion/completions/una zsh/site-functions/_una fish/vendor_completions.d/una.fish; do
    test -s "$place/usr/share/$file"
done
