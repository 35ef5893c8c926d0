#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/deprived.sh [PYTEST OPTION]...
#
# Runs the integration tests on a gdb that finds no debug files of the system's, as on a
# machine without libc6-dbg. A whole run takes as long as that of scripts/test.sh, which has
# all commands without these files, and in each of GDB's languages, on a few programs
# (tests/integration/test_without_types.py). Options and files go to pytest.
#
# To run the tests on a gdb with other settings: GDB_OMPD_TESTS_GDB='-iex "set ..."'.
set -eu

cd "$(dirname "$0")/.."
export GDB_OMPD_TESTS_GDB='-iex "set debug-file-directory /nonexistent"'
case "$*" in
*tests/*) ;;
*) set -- tests/integration "$@" ;;
esac
exec env -u PYTHONHOME -u PYTHONPATH "$(sh scripts/gdb-python.sh)" -m pytest --timeout 300 "$@"
