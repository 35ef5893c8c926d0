#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/soak.sh [RERUNS] [SNAPSHOTS]
#
# Runs a program RERUNS times (1000) and looks at a stop SNAPSHOTS times (10000)
# in one gdb, with the extension and without, and compares how gdb grows. Takes
# minutes. The exit code is 0 only if the extension adds no growth.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)

exec env -u PYTHONHOME PYTHONPATH="$root/tests" PYTHONDONTWRITEBYTECODE=1 \
    "$(sh "$root/scripts/gdb-python.sh")" -m soak "${1:-1000}" "${2:-10000}"
