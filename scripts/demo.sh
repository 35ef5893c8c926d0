#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/demo.sh
#
# Sets everything up on a Debian machine, then shows GDB speaking OpenMP: a heat
# equation, stopped in an explicit task of a nested parallel region; steps through a
# program's constructs; and a program that hangs, with why. That one is plain gcc's, on
# its libgomp; the others run on the distribution's own libomp, as "clang -fopenmp" links
# them.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
log=$root/build/demo.log
. "$root/scripts/progress.sh"

build() {
    cmake -S "$root" -B "$root/build" -G Ninja -DGDB_OMPD_TESTS=OFF &&
        cmake --build "$root/build"
}

sh "$root/scripts/bootstrap.sh" demo
mkdir -p "$root/build"
if ! with_progress "demo: 1 of 3: building the extension" "$log" build; then
    echo "demo: the build failed; the end of $log:" >&2
    tail -n 15 "$log" >&2
    exit 1
fi
echo "demo: 2 of 3: building the examples"
sh "$root/examples/build.sh" "$root/build/examples" distribution heat walk
sh "$root/examples/build.sh" "$root/build/examples" gcc hang
echo "demo: 3 of 3: what gdb shows"

# GDB marks each command of a script with a plus; a prompt reads better. Its
# exit code must not be lost in the pipe.
show() {
    name=$1
    shift
    echo
    echo "demo: gdb -batch -x examples/$name.gdb $name"
    {
        code=0
        gdb -nx -batch -iex 'set debuginfod enabled off' -iex 'set style enabled off' \
            -ex "source $root/gdb-scripts/ompd.py" -ex 'set trace-commands on' \
            -x "$name.gdb" "$@" "$root/build/examples/$name" 2>&1 </dev/null || code=$?
        echo "$code" >"$root/build/demo.status"
    } | sed 's/^+ *\(.*\)/\n(gdb) \1/'
    code=$(cat "$root/build/demo.status")
    [ "$code" -eq 0 ] || exit "$code"
}

cd "$root/examples"
show hang -ex 'ompd thread 2' -ex 'ompd bt' -ex 'ompd status'
show heat
show walk
echo
echo "demo: to have all this in each gdb, put this line into ~/.gdbinit:"
echo "source $root/gdb-scripts/ompd.py"
