#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/generated.sh [STOPS] [SEED] [DEPRIVATION]
#
# Makes random OpenMP programs in C and C++, from the number SEED (0) on, builds them with clang
# and gcc at several levels for LLVM's runtimes and GCC's, and stops them STOPS times (1000) in
# all, anywhere: most as gdb's child, some attached or through gdbserver, and some stops in a core,
# too. 22 of 23 programs lack something, or have something beside them
# (tests/generator/deprivations.py): DEPRIVATION, such as "stripped", takes those alone. What the
# commands show is held against what the programs have recorded, and against each other. A run is
# made of its number alone. At the end is what was not known, by deprivation. The exit code is 0
# only if nothing is wrong, nothing contradicts, and at most 2 % is not known of what a deprivation
# does not take away. 1000 stops take 3 minutes of an idle machine.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)

exec env -u PYTHONHOME PYTHONPATH="$root/tests" PYTHONDONTWRITEBYTECODE=1 \
    "$(sh "$root/scripts/gdb-python.sh")" -m generator "${1:-1000}" "${2:-0}" ${3:+"$3"}
