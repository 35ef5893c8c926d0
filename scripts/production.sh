#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/production.sh [--stops N] [--rounds N] [--short] [--refused] [PROGRAM]...
#
# Installs programs of the distribution that use OpenMP (tests/production/programs.py), runs them
# as shipped, stops each N times (20), half of them started by gdb and half attached, and asks
# every command of the extension: of the process, of the saved stop and of a core. What is shown
# is held against plain gdb's stacks and /proc by the rules of tests/production/rules.py, and each
# program's result against that of a run without gdb. Prints one line a program, then what failed.
# The exit code is 0 only if nothing failed. A run of all takes some 40 minutes; GDB_OMPD_NO_INSTALL=1
# installs nothing.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
python=$(sh "$root/scripts/gdb-python.sh")
run() {
    env -u PYTHONHOME PYTHONPATH="$root/tests" PYTHONDONTWRITEBYTECODE=1 "$python" -m production "$@"
}

if [ -z "${GDB_OMPD_NO_INSTALL:-}" ]; then
    # shellcheck disable=SC2046 # a list of names, meant to be split
    sh "$root/scripts/bootstrap.sh" packages $(run --packages "$@")
fi
run "$@"
