#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/conformance.sh LIBRARY RUNTIME [-all]
#
# Asks the OMPD library at LIBRARY what OpenMP 5.0 to 5.2, chapter 5, demands of one, about a
# program on the OpenMP runtime at RUNTIME (a libomp.so; or a libgomp.so.1, and gcc builds
# it), and prints what is not as demanded; with -all every check. Built by
# "sh scripts/demo.sh" or CMake before. The exit code is 0 only if all is as demanded.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
exec env -u PYTHONHOME PYTHONPATH="$root/tests" PYTHONDONTWRITEBYTECODE=1 \
    "$(sh "$root/scripts/gdb-python.sh")" -m conformance "$@"
