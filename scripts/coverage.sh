#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/coverage.sh [--report] [PYTEST OPTION]...
#
# Measures which lines of the C++ and of the Python the tests run, inside gdb and
# outside, and prints both by file; all the lines that were missed are in
# build/coverage. With --report only what was measured last is printed. The exit code
# is 0 only if both are at least 90 %.
#
# It works on a copy of the checkout in build/coverage, whose native module counts
# lines and whose ompd.py has coverage measured in every gdb that sources it.
# PYTEST OPTION replaces the choice of integration tests.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
measure=yes
[ "${1:-}" != --report ] || { measure=; shift; }
place=$root/build/coverage
tree=$place/tree
data=$place/data
python=$(sh scripts/gdb-python.sh)
export COVERAGE_FILE="$data/python"

if ! env -u PYTHONPATH "$python" -c 'import coverage' 2>/dev/null; then
    echo "coverage.sh: python3-coverage is missing: apt-get install python3-coverage" >&2
    exit 1
fi

copy() {
    mkdir -p "$tree"
    find "$tree" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    git -c safe.directory="$root" ls-files -z --cached --others --exclude-standard \
        | xargs -0 sh -c 'for file do [ ! -f "$file" ] || printf "%s\0" "$file"; done' sh \
        | tar -c --null -T - -f - | tar -x -f - -C "$tree"
    {
        echo "COVERAGE_DATA = '$COVERAGE_FILE'"
        echo "COVERAGE_SOURCE = '$tree/python/gdb_ompd'"
        cat "$tree/tests/support/coverage_in_gdb.py" gdb-scripts/ompd.py
    } >"$tree/gdb-scripts/ompd.py"
}

build() {
    # The module is put into the tree when it is linked.
    rm -f "$tree"/build/native/bindings/_native*
    cmake -S "$tree" -B "$tree/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DGDB_OMPD_COVERAGE=ON \
        -DGDB_OMPD_TESTS=ON && cmake --build "$tree/build"
}

pytest() {
    (cd "$tree" && env -u PYTHONHOME PYTHONPATH=tests nice "$python" "$@" </dev/null)
}

run_tests() {
    # A few damages run all the lines that a thousand do.
    nice ctest --test-dir "$tree/build/native" -E RecoveryOfDamaged \
        --output-on-failure || failed="$failed native"
    GDB_OMPD_DAMAGES=20 nice "$tree/build/native/tests/damage_tests" || failed="$failed damage"
    pytest -m coverage run --parallel-mode --source="$tree/python/gdb_ompd" \
        -m pytest -q -p no:xdist tests/unit tests/native tests/contract || failed="$failed unit"
    if [ $# -eq 0 ]; then
        # Those left out count seconds, growth or files, not what is done in a command.
        set -- tests/integration -k 'not test_truth.py or nested.c'
        for name in event_stops fuzz install recovery_score setup soak; do
            set -- "$@" --ignore "tests/integration/test_$name.py"
        done
    fi
    pytest -m pytest -q -n 2 --timeout 600 "$@" ||
        failed="$failed integration"
}

failed=
if [ -n "$measure" ]; then
    mkdir -p "$data"
    rm -f "$data"/*
    copy
    echo "coverage.sh: building (the log is build/coverage/build.log)"
    build >"$place/build.log" 2>&1 || { tail -n 20 "$place/build.log"; exit 1; }
    find "$tree/build" -name '*.gcda' -delete
    echo "coverage.sh: running the tests (the log is build/coverage/tests.log)"
    run_tests "$@" >"$place/tests.log" 2>&1
    [ -z "$failed" ] || echo "coverage.sh: tests failed:$failed"
    (cd "$data" && "$python" -m coverage combine --quiet "$data")
fi
"$python" -m coverage report --show-missing >"$place/python.txt"
code=0
PYTHONPATH="$tree/tests" "$python" -m support.line_coverage "$tree" "$place/cpp.txt" "$place/python.txt" || code=1
[ -z "$failed" ] || code=1
exit "$code"
