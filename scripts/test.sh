#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/test.sh [PYTEST OPTION]...
#
# Sets everything up on a Debian machine, then runs every check there is. What
# follows goes to pytest: `sh scripts/test.sh -k nested`, `... tests/unit`.
# The exit code is 0 only if every stage passed.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
logs=$root/build/logs
summary=
failed=
step=0
. "$root/scripts/progress.sh"

# A stage that others depend on ends the run when it fails.
finish() {
    printf '\n%-12s %-7s %s\n' stage result seconds
    printf '%b' "$summary"
    if [ -n "$failed" ]; then
        echo "test.sh: FAILED:$failed (logs in build/logs)"
    else
        echo "test.sh: all passed"
    fi
    # The last line is pytest's own, for whoever counts tests by it.
    cat "$logs/pytest.log" "$logs/pytest-again.log" 2>/dev/null | tail -n 1
    [ -z "$failed" ]
    exit
}

record() {
    result=ok
    [ "$2" -eq 0 ] || { result=FAILED; failed="$failed $1"; }
    summary="$summary$(printf '%-12s %-7s %4d' "$1" "$result" "$3")\n"
    echo "test.sh: $1: $result after $3 s"
}

# Quiet, with the log's end when it fails.
stage() {
    name=$1
    shift
    began=$(date +%s)
    code=0
    step=$((step + 1))
    with_progress "test.sh: $step of 7: $name" "build/logs/$name.log" "$@" || code=$?
    [ "$code" -eq 0 ] || tail -n 40 "$logs/$name.log"
    record "$name" "$code" $(($(date +%s) - began))
    return "$code"
}

# The native tests are built and run once, with AddressSanitizer and UBSan: the stage "native".
build() {
    cmake -S . -B build -G Ninja -DGDB_OMPD_TESTS=OFF -DGDB_OMPD_WERROR=ON && cmake --build build
}

runtimes() {
    sh scripts/build-libomp.sh 14 && sh scripts/build-libomp.sh 19 &&
        sh scripts/score-recovery.sh --quick --build
}

# Most of the time it downloads, unpacks and configures, with one processor at most: it goes on
# beside the next stages, until end_runtimes.
begin_runtimes() {
    step=$((step + 1))
    runtimes_began=$(date +%s)
    echo "test.sh: $step of 7: runtimes, beside the next (log: build/logs/runtimes.log)"
    runtimes >"$logs/runtimes.log" 2>&1 </dev/null &
    runtimes_pid=$!
}

end_runtimes() {
    code=0
    wait "$runtimes_pid" || code=$?
    [ "$code" -eq 0 ] || tail -n 40 "$logs/runtimes.log"
    record runtimes "$code" $(($(date +%s) - runtimes_began))
    return "$code"
}

# Shown as it goes. A pipe loses the exit code, so that takes another way.
pytest_into() {
    log=$1
    shift
    {
        code=0
        env -u PYTHONHOME -u PYTHONPATH "$(sh "$root/scripts/gdb-python.sh")" -m pytest \
            --timeout 300 "$@" 2>&1 </dev/null || code=$?
        echo "$code" >"$logs/pytest.status"
    } | tee "$log"
}

# A file's tests are one worker's: what they share is made once.
# What failed beside other tests is tried once more alone: a machine that others use, too, can
# take a test's time. What passes only then is named, and is to be mended.
run_pytest() {
    began=$(date +%s)
    echo "test.sh: 7 of 7: pytest (log: build/logs/pytest.log)"
    pytest_into "$logs/pytest.log" -n 2 --dist loadfile "$@"
    if [ "$(cat "$logs/pytest.status")" -eq 1 ]; then
        grep '^FAILED' "$logs/pytest.log" | sed 's/^FAILED/test.sh: once more, alone:/; s/ - .*//'
        pytest_into "$logs/pytest-again.log" --last-failed --last-failed-no-failures none "$@"
    fi
    record pytest "$(cat "$logs/pytest.status")" $(($(date +%s) - began))
}

rm -rf "$logs"
mkdir -p "$logs"
stage bootstrap sh scripts/bootstrap.sh test || finish
stage build build || finish
begin_runtimes
stage native sh scripts/sanitize.sh address || true
stage lint sh scripts/lint.sh || true
stage site sh scripts/site.sh || true
end_runtimes || finish
run_pytest "$@"
finish
