#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/screenshot.sh [LIBOMP]
#
# Makes docs/hang.png: what a browser shows of "ompd report" on examples/hang.c. Needs chromium.
# LIBOMP is a folder with the runtime, the distribution's where none is named.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
sh "$root/examples/build.sh" "$made" "${1:-distribution}" hang
cd "$made"
gdb -nx -batch -ex "source $root/gdb-scripts/ompd.py" -ex "break hang.c:47" -ex run \
    -ex "ompd report hang.html" ./hang >gdb.log 2>&1 || { cat gdb.log >&2; exit 1; }
sed -i "s|$made/|./|g" hang.html
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1000,1300 \
    --screenshot="$root/docs/hang.png" "file://$made/hang.html" >chromium.log 2>&1 ||
    { cat chromium.log >&2; exit 1; }
echo "Written to docs/hang.png"
