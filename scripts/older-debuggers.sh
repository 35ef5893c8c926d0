#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/older-debuggers.sh [-- PYTEST OPTION...]
#
# Does what "newer-debuggers.sh --truth" does, on Debian 11: gdb 10.1, Python 3.9, GCC 10, clang 11,
# glibc 2.31, CMake 3.18 and pybind11 2.6. The runtimes are its libgomp and libomp 14, built there.
set -eu

[ "${1:---}" = -- ] || { sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2; }
[ $# -eq 0 ] || shift
exec sh "$(dirname "$0")/newer-debuggers.sh" --truth bullseye -- -k "not libomp19 and not 19" "$@"
