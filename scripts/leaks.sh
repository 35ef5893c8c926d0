#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/leaks.sh [COMMANDS]
#
# Runs gdb under valgrind, once with a tenth of COMMANDS (1000) and once with all of
# them, and prints what each left behind at the end. The exit code is 0 only if nothing
# is lost that the extension or an OMPD library asked for, and what gdb holds and loses
# does not grow with the commands. Takes minutes.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v valgrind >/dev/null; then
    echo "leaks.sh: valgrind is missing: apt-get install valgrind" >&2
    exit 1
fi

exec env -u PYTHONHOME PYTHONPATH="$root/tests" PYTHONDONTWRITEBYTECODE=1 \
    "$(sh "$root/scripts/gdb-python.sh")" -m soak.leaks "${1:-1000}"
