#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/newer-debuggers.sh [--truth] [--one-build] [SUITE]... [-- PYTEST OPTION...]
#
# Runs the tests on the gdb, Python, compilers and OpenMP runtimes of other releases
# of the distribution ("trixie sid"; "here" is this machine as it is, and "bullseye" has
# scripts/older-debuggers.sh), and prints what passed by gdb, runtime and way to reach the
# program. With --truth only the tests that this matrix is of, which takes a third of the time. With --one-build the
# other tests are not repeated with GCC, at -O0 and on libomp 14, nor are those run that
# build runtimes: that takes half of the time.
#
# Each release lies in a folder of its own in the user's cache, made once (1.5 GB) by
# debootstrap from where this machine has its packages; nothing else is changed. The
# tests run in it with mounts and processes of their own. Needs root. The exit code is
# 0 only if every test passed.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
tests=tests
suites=
one_build=
while [ $# -gt 0 ]; do
    case $1 in
        --truth) tests="tests/integration/test_truth.py tests/integration/test_libgomp.py" ;;
        --one-build) one_build=yes ;;
        --) shift; break ;;
        -*) sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2 ;;
        *) suites="$suites $1" ;;
    esac
    shift
done
suites=${suites:-trixie sid}
builds='libomp14 or O0 or gcc or stripped14 or debian or everything_is_found or refused_or_right'
[ -z "$one_build" ] || set -- -k "test_truth or not ($builds)" "$@"
me=newer-debuggers
. "$root/scripts/release-folder.sh"

# Runtimes with symbols, as they are here: at the same place, for the source's sake. Where the
# C library is older than theirs, the oldest is built.
copy_runtimes() {
    mkdir -p "$place$cache"
    runtimes="libomp-14 libomp-19 source-14 source-19"
    [ "$suite" != bullseye ] || runtimes=source-14
    for name in $runtimes; do
        [ -e "$place$cache/$name" ] || cp -a "$cache/$name" "$place$cache/"
    done
}

build_inside() {
    # They are put into the checkout when they are linked.
    rm -f "$place"/checkout/build/native/bindings/_native* "$place"/checkout/build/native/libgompd/*.so
    enter 'sh scripts/bootstrap.sh test && cmake -S . -B build -G Ninja -DGDB_OMPD_TESTS=OFF && cmake --build build'
}

prepare() {
    use_release "$suite"
    log=$logs/prepare-$suite.log
    step "copying the checkout and the runtimes into it" copy_all
    step "installing what is missing there, and building" build_inside
}

copy_all() {
    copy_checkout
    copy_runtimes
}

# The versions of the release's own runtimes that have an OMPD library, such as "17 18 19".
versions_inside() {
    enter 'sh scripts/distribution-runtimes.sh' \
        | awk -F '\t' '$3 != "-" && $5 == "runs" { sub(/.*-/, "", $1); printf "%s ", $1 }'
}

# A debugger's version as its users say it, such as 10.1.
version_of() {
    sed -n '1s/.* \([0-9]*\.[0-9]*\).*/\1/p'
}

run_tests() {
    enter "GDB_OMPD_STRIPPED='$(versions_inside)' $(for_older) nice \"\$(sh scripts/gdb-python.sh)\" \
        -m pytest $(without_settings) -q -n 2 --timeout 300 --junitxml build/$suite.xml $quoted $tests"
}

# libgomp of GCC 10 and before nests regions only if it is told to, and libomp warns of that.
for_older() {
    [ "$suite" != bullseye ] || echo PYTHONPATH=python:tests OMP_NESTED=true
}

# Before version 7 pytest does not know all of ours.
without_settings() {
    enter 'python3 -m pytest --help' | grep -q '^  pythonpath' || echo -o addopts= -o filterwarnings=
}

# shellcheck disable=SC2086 # a list of files
run_here() {
    env -u PYTHONHOME -u PYTHONPATH nice "$(sh scripts/gdb-python.sh)" -m pytest \
        -q -n 2 --timeout 300 --junitxml "$logs/here.xml" "$@" $tests </dev/null
}

quoted=
for option in "$@"; do
    quoted="$quoted '$option'"
done
sh scripts/build-libomp.sh 14 >/dev/null
sh scripts/build-libomp.sh 19 >/dev/null
failed=0
reports=
for suite in $suites; do
    log=$logs/prepare-$suite.log
    out=$logs/newer-debuggers-$suite.log
    if [ "$suite" = here ]; then
        version=$(gdb --version | version_of)
        run_here "$@" >"$out" 2>&1 || failed=1
    else
        prepare
        version=$(enter 'gdb --version' | version_of)
        rm -f "$place/checkout/build/$suite.xml"
        run_tests >"$out" 2>&1 </dev/null || failed=1
        [ ! -e "$place/checkout/build/$suite.xml" ] || cp "$place/checkout/build/$suite.xml" "$logs/"
    fi
    printf 'gdb %-6s (%s): %s\n' "$version" "$suite" "$(tail -n 1 "$out")"
    reports="$reports $version=$logs/$suite.xml"
done
# shellcheck disable=SC2086 # a list, meant to be split
PYTHONPATH=tests python3 -m support.debugger_matrix $reports
exit "$failed"
