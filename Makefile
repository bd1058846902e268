# SPDX-License-Identifier: MIT
# Commands for people; the build itself is CMake's (CMakePresets.json).
#   make          build what the libraries that are there allow, into build/; installs no packages (docs/develop/BUILD.md)
#   make deps     install what it uses and the tests need, on Debian and its relatives
#   make demo     build, then the main job on built-in data
#   make test     everything that must never break; ends with "N passed, N failed"
#   make fuzz     every fuzz target for T seconds (make fuzz T=600), or RUNS executions; docs/develop/FUZZING.md
#   make mutants  do the unit tests notice wrong formulas? prints which faults survive (takes its time; tools/mutants)
#   make results  docs/results/RESULTS.md from the rows that are kept in results/ (tools/results.sh)
#   make dist     dist/: an archive of the source of the last commit, and Debian packages (tools/dist.sh)
#   make perf     training, prediction, large files and kernels timed; writes perf/results.md (some six minutes)
PREFIX  ?= /usr/local
DESTDIR ?=
# What some tests use: packages, counts of instructions, a locale with a decimal comma, databases.
tests_need = debhelper valgrind locales sqlite3 python3
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: all deps build demo test test-long coverage lint fuzz fuzz-coverage mutants perf results dist install clean
all: build

deps:
	@tools/deps.sh

build:
	@JOBS=$(JOBS) tools/build.sh

demo: deps
	@JOBS=$(JOBS) tools/build.sh una_program
	@build/una demo --out build

test:
	@tools/deps.sh $(tests_need)
	@JOBS=$(JOBS) tools/test.sh

test-long:
	@tools/deps.sh $(tests_need) lintian debootstrap
	@JOBS=$(JOBS) tools/test.sh --long

coverage: deps
	@tools/deps.sh gcovr
	@JOBS=$(JOBS) tools/coverage.sh

lint: deps
	@tools/deps.sh cppcheck clang
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
	         --suppress=missingIncludeSystem -j $(JOBS) -D__GNUC__ -DUNA_REAL_f64 -DUNA_ISA_avx2 -Iinclude -Isrc src cli
	cmake --preset clang
	cmake --build build-clang -j $(JOBS)

fuzz: deps
	@tools/deps.sh clang llvm libclang-rt-dev
	@JOBS=$(JOBS) T=$(T) RUNS=$(RUNS) tools/fuzz.sh $(TARGETS)

fuzz-coverage: deps
	@tools/deps.sh clang llvm libclang-rt-dev
	@JOBS=$(JOBS) tools/fuzz_coverage.sh

mutants:
	@tools/deps.sh python3 git
	@JOBS=$(JOBS) tools/mutants

results: build
	@tools/results.sh

perf: deps
	@JOBS=$(JOBS) tools/perf.sh

dist:
	@tools/deps.sh debhelper
	@tools/dist.sh

# The loader finds libraries in folders that ldconfig has listed; any other PREFIX needs LD_LIBRARY_PATH.
install: build
	DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)
	@case "$(DESTDIR):$(PREFIX)" in :/usr|:/usr/|:/usr/local|:/usr/local/) \
	    if [ "$$(id -u)" -eq 0 ] && command -v ldconfig >/dev/null; then ldconfig; fi ;; esac

clean:
	rm -rf build build-asan build-debug build-coverage build-clang build-fuzz build-fuzz-coverage dist
