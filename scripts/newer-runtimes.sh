#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/newer-runtimes.sh [PYTEST OPTION]...
#
# Runs the truth tests, live and in cores, on the stripped libomp of newer releases
# of the distribution, as far as its archive has them, and prints a line for each.
# These runtimes need a newer C library, so each program runs with that of the
# runtime's suite, unpacked and not installed. GDB_OMPD_NEWER_SUITES names other
# suites than "trixie sid experimental".
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
GDB_OMPD_NEWER_SUITES=${GDB_OMPD_NEWER_SUITES:-trixie sid experimental}
export GDB_OMPD_NEWER_SUITES
logs=$root/build/logs
mkdir -p "$logs"
failed=0

table=$(sh scripts/distribution-runtimes.sh --suites "$GDB_OMPD_NEWER_SUITES" | cut -f 1,4)
for name in $(echo "$table" | sed -n 's/\tGLIBC.*//p'); do
    log=$logs/$name.log
    code=0
    env -u PYTHONHOME -u PYTHONPATH "$(sh scripts/gdb-python.sh)" -m pytest -q -n 2 \
        --timeout 300 tests/integration/test_truth.py -k "libomp$name" "$@" \
        >"$log" 2>&1 </dev/null || code=$?
    [ "$code" -eq 0 ] || failed=1
    printf '%-18s %s\n' "$name" "$(tail -n 1 "$log")"
done
exit "$failed"
