#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/soak.sh [RERUNS [SNAPSHOTS [STOPS [ENDING]]]]
#
# In one gdb runs a program RERUNS times (1000), looks at a stop SNAPSHOTS times (10000), asks
# every command that reads at each of STOPS stops (2000), and lets ENDING threads (100000) end
# under a condition that is false for each, with the extension and without it; compares how
# gdb grows, and counts its descriptors. Takes half an hour. The exit code is 0 only if the
# extension adds no growth.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)

exec env -u PYTHONHOME PYTHONPATH="$root/tests" PYTHONDONTWRITEBYTECODE=1 \
    "$(sh "$root/scripts/gdb-python.sh")" -m soak "${1:-1000}" "${2:-10000}" "${3:-2000}" "${4:-100000}"
