#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/way.sh [COMMAND...]
#
# Counts what COMMANDS go through, "ompd threads" and "ompd why" unless given: Python calls and
# files, and kinds of native calls. On examples/hang.c with 4 threads, of gcc and of clang, by
# Python's profiler; each command finds what those before it have read.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- "ompd threads" "ompd why"
commands=$(printf '%s\n' "$@")
export commands

for compiler in gcc distribution; do
    sh "$root/examples/build.sh" "$root/build/way-$compiler" "$compiler" hang
    echo "$compiler:"
    env -u PYTHONHOME -u PYTHONPATH gdb -nx -q -batch -iex 'set debuginfod enabled off' \
        -ex "source $root/gdb-scripts/ompd.py" -ex 'break hang.c:47' -ex run \
        -ex "source $root/benchmarks/in_gdb/way.py" \
        -ex "python import os; main(os.environ['commands'].splitlines())" \
        "$root/build/way-$compiler/hang" 2>&1 </dev/null | sed -n '/Python calls/p; /[Ee]rror/p'
done
