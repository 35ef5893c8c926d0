#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/fuzz.sh [RUNS] [SEED]
#
# Damages the memory that the commands read, RUNS times (20000), each followed by
# every command that reads, in a live program and in a core; then RUNS/10 core files,
# RUNS/20 runtimes and RUNS/40 entries of the cache, with an OMPD library beside the
# runtime that must not be loaded. A run is made of its number alone:
# "sh scripts/fuzz.sh 4 N" repeats run N. Takes 20 minutes of two cores for the memory,
# and 30 for the files.
# The exit code is 0 only if gdb lives, says what it has to say in one line and
# within two seconds, grows by less than 50 MB, and is right again afterwards.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)

exec env -u PYTHONHOME PYTHONPATH="$root/tests" PYTHONDONTWRITEBYTECODE=1 \
    "$(sh "$root/scripts/gdb-python.sh")" -m fuzz "${1:-20000}" "${2:-0}"
