#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh editors/vscode/test.sh [--pack]
#
# Builds the extension and tests its logic under Node, against GDB where that is a debug
# adapter (14 or later; GDB=FILE names another). --pack makes the .vsix, too. Node and npm
# are needed, and npm's packages once; without them it says so and ends with 77.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$here"
command -v node >/dev/null && command -v npm >/dev/null || {
    echo "vscode: skipped: no node and npm on this machine" >&2
    exit 77
}
[ -d node_modules ] || npm install --no-audit --no-fund --no-package-lock --loglevel=error || {
    echo "vscode: skipped: npm cannot fetch its packages" >&2
    exit 77
}
GDB=${GDB:-gdb}
if "$GDB" -nx -batch -ex 'python import gdb.dap' >/dev/null 2>&1; then
    HANG=$(mktemp)
    trap 'rm -f "$HANG"' EXIT
    ${CC:-gcc} -g -fopenmp "$root/examples/hang.c" -o "$HANG"
    OMPD_SCRIPT=$root/gdb-scripts/ompd.py
    export GDB HANG OMPD_SCRIPT
fi
npm test
[ "${1:-}" != --pack ] || npm run package
