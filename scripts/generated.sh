#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/generated.sh [STOPS] [SEED]
#
# Makes random OpenMP programs in C and C++, from the number SEED (0) on, builds them with clang
# and gcc at several levels for LLVM's runtimes and GCC's, and stops them STOPS times (1000) in
# all, anywhere: most as gdb's child, some attached or through gdbserver, and some stops in a core,
# too; every second program without libc6-dbg, without libthread_db, or asked in another language
# (tests/generator/running.py:DEPRIVATIONS). What the commands show is held against what the programs have recorded, and against each
# other. A run is made of its number alone. The exit code is 0 only if nothing is wrong, nothing
# contradicts, and at most 2 % is not known. 1000 stops take 3 minutes.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)

exec env -u PYTHONHOME PYTHONPATH="$root/tests" PYTHONDONTWRITEBYTECODE=1 \
    "$(sh "$root/scripts/gdb-python.sh")" -m generator "${1:-1000}" "${2:-0}"
