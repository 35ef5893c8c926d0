#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh examples/build.sh FOLDER LIBOMP [NAME...]
#
# Compiles the examples (or those named) into FOLDER, against the runtime in the
# folder LIBOMP as scripts/build-libomp.sh prints it.
set -eu

out=${1:?"usage: sh examples/build.sh FOLDER LIBOMP [NAME...]"}
libomp=${2:?"usage: sh examples/build.sh FOLDER LIBOMP [NAME...]"}
shift 2
[ $# -gt 0 ] || set -- heat tree loop stacks

here=$(cd "$(dirname "$0")" && pwd)
libomp=$(cd "$libomp" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
with_libomp="-L$libomp -Wl,-rpath,$libomp -lomp"

# Compiled from here, so that gdb shows the sources by their short names.
cd "$here"

compile_c() {
    clang -g -O0 -fopenmp -I"$libomp/../include" -c "$1.c" -o "$out/$1.o"
}

compile_c settle
for name in "$@"; do
    if [ -e "$name.c" ]; then
        compile_c "$name"
        # shellcheck disable=SC2086 # a list of options, meant to be split
        clang "$out/$name.o" "$out/settle.o" -o "$out/$name" $with_libomp -lm
    else
        # gfortran's code calls the GOMP entry points, which libomp has too.
        gfortran -g -O0 -fopenmp -J"$out" -c "$name.f90" -o "$out/$name.o"
        # shellcheck disable=SC2086
        gfortran "$out/$name.o" "$out/settle.o" -o "$out/$name" $with_libomp
    fi
done
