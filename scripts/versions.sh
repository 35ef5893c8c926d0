#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/versions.sh
#
# Writes docs/versions.md: which version of OpenMP has which names in OMPD.
set -eu
cd "$(dirname "$0")/../tests"
exec env -u PYTHONHOME PYTHONPATH="../python" "$(sh ../scripts/gdb-python.sh)" -m support.versions
