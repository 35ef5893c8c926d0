#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/score-recovery.sh [--quick] [--build]
#
# Prints how much of the symbols that OMPD needs is recovered from stripped
# runtimes, and how much of that is right: self-built ones by their symbol tables,
# the distribution's (this release's, newer ones', arm64) by what they export. What
# is missing is built first: half a minute a variant on two cores, the first time.
# --quick takes what continuous integration tests; --build stops there.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
exec env -u PYTHONHOME -u PYTHONPATH "$(sh "$root/scripts/gdb-python.sh")" \
    "$root/tests/support/recovery_score.py" "$@"
