#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/leaks.sh [COMMANDS [memory]]
#
# Runs gdb under valgrind with the extension's commands, and without the extension with
# gdb's own: each once with a tenth of COMMANDS (1000) and once with all of them. Prints
# what each left behind at the end. The exit code is 0 only if nothing is lost that the
# extension or an OMPD library asked for, and what is held and lost grows no more with
# the commands than gdb alone makes it. Takes up to half an hour. `memory` has each
# command lose a block on purpose, to see that it is found.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v valgrind >/dev/null; then
    echo "leaks.sh: valgrind is missing: apt-get install valgrind" >&2
    exit 1
fi

exec env -u PYTHONHOME PYTHONPATH="$root/tests" PYTHONDONTWRITEBYTECODE=1 \
    "$(sh "$root/scripts/gdb-python.sh")" -m soak.leaks "${1:-1000}" ${2:+"$2"}
