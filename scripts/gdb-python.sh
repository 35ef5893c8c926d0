#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/gdb-python.sh
#
# Prints the interpreter of the Python that gdb embeds: often not the python3 on
# PATH, and the one that the native module and gdb's plugins are built for.
set -eu
exec env -u PYTHONHOME -u PYTHONPATH gdb -nx -batch -ex \
    'python import sys; print(f"{sys.base_exec_prefix}/bin/python{sys.version_info[0]}.{sys.version_info[1]}")'
