#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh examples/build.sh FOLDER LIBOMP [NAME...]
#
# Compiles the examples (or those named) into FOLDER, against the runtime in the
# folder LIBOMP, as scripts/build-libomp.sh prints it; "distribution" stands for
# the one that "clang -fopenmp" takes by itself, "offload" for that with clang's
# plugin for the host as a device, "gcc" for plain gcc on its libgomp.
set -eu

out=${1:?"usage: sh examples/build.sh FOLDER LIBOMP [NAME...]"}
libomp=${2:?"usage: sh examples/build.sh FOLDER LIBOMP [NAME...]"}
shift 2
[ $# -gt 0 ] || set -- heat tree loop jobs walk stacks hang nan rows plate

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
clang=clang
if [ "$libomp" = gcc ]; then
    clang=gcc
    with_headers=
    with_libomp=-fopenmp
elif [ "$libomp" = distribution ]; then
    with_headers=
    with_libomp=-fopenmp
elif [ "$libomp" = offload ]; then
    with_headers=-fopenmp-targets=x86_64-pc-linux-gnu
    # What offloads lies with the compiler, where the dynamic linker may not look.
    with_libomp="-fopenmp $with_headers -Wl,-rpath,$(clang -print-resource-dir)/../.."
else
    libomp=$(cd "$libomp" && pwd)
    with_headers=-I$libomp/../include
    with_libomp="-L$libomp -Wl,-rpath,$libomp -lomp"
fi

# Compiled from here, so that gdb shows the sources by their short names.
cd "$here"

# shellcheck disable=SC2086 # lists of options, meant to be split
compile_c() {
    $clang -g -O0 -fopenmp $with_headers -c "$1.c" -o "$out/$1.o"
}

# shellcheck disable=SC2086
link_with() {
    libraries=$1
    shift
    $clang "$@" $with_libomp $libraries
}

compile_c settle
for name in "$@"; do
    if [ -e "$name.c" ]; then
        compile_c "$name"
        link_with -lm "$out/$name.o" "$out/settle.o" -o "$out/$name"
    else
        # gfortran's code calls the GOMP entry points, which libomp has too.
        gfortran -g -O0 -fopenmp -J"$out" -c "$name.f90" -o "$out/$name.o"
        link_with "-lgfortran -lm" "$out/$name.o" "$out/settle.o" -o "$out/$name"
    fi
done
