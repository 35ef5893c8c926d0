#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/bench.sh [--quick]
#
# Measures the extension beside plain gdb and LLVM's own plugin, in one run, and
# prints a table. Builds what it needs first. Nothing else should run meanwhile.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

sh scripts/bootstrap.sh demo >&2
if ! ls python/gdb_ompd/_native.*.so >/dev/null 2>&1; then
    cmake -S . -B build -G Ninja >&2
    cmake --build build >&2
fi
exec env -u PYTHONHOME -u PYTHONPATH "$(sh "$root/scripts/gdb-python.sh")" benchmarks "$@"
