#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/loops.sh [COUNT] [COMPILER]...
#
# Stops a program at each of COUNT (1000) iterations of twelve kinds of loops, built by each
# COMPILER (clang++ and g++) at three levels. Counts where "ompd print i", $_omp_var("i") and
# $_omp_iteration() say what the program says, where they say that it is not known, and where they
# are wrong. Takes two minutes for each program.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- 1000
[ $# -gt 1 ] || set -- "$1" clang++ g++

exec env -u PYTHONHOME PYTHONPATH="$root/tests" PYTHONDONTWRITEBYTECODE=1 \
    "$(sh "$root/scripts/gdb-python.sh")" -m support.counted_loops "$@"
