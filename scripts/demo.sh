#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/demo.sh
#
# Sets everything up on a Debian machine, then shows GDB speaking OpenMP: a heat
# equation, stopped in an explicit task of a nested parallel region. The program
# runs on the distribution's own libomp, as "clang -fopenmp" links it.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
log=$root/build/demo.log

build() {
    cmake -S "$root" -B "$root/build" -G Ninja &&
        cmake --build "$root/build"
}

sh "$root/scripts/bootstrap.sh" demo
mkdir -p "$root/build"
echo "demo: building the extension"
if ! build >"$log" 2>&1; then
    echo "demo: the build failed; the end of $log:" >&2
    tail -n 15 "$log" >&2
    exit 1
fi
sh "$root/examples/build.sh" "$root/build/examples" distribution heat
echo "demo: gdb -batch -x examples/heat.gdb heat"

# GDB marks each command of a script with a plus; a prompt reads better. Its
# exit code must not be lost in the pipe.
cd "$root/examples"
{
    code=0
    gdb -nx -batch -iex 'set debuginfod enabled off' -iex 'set style enabled off' \
        -ex "source $root/gdb-scripts/ompd.py" -ex 'set trace-commands on' \
        -x heat.gdb "$root/build/examples/heat" 2>&1 </dev/null || code=$?
    echo "$code" >"$root/build/demo.status"
} | sed 's/^+ *\(.*\)/\n(gdb) \1/'
exit "$(cat "$root/build/demo.status")"
