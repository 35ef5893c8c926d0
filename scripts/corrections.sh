#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/corrections.sh
#
# Writes docs/corrections.md: which known faults of LLVM's OMPD library each version has.
set -eu
cd "$(dirname "$0")/../tests"
exec env -u PYTHONHOME PYTHONPATH="../python" "$(sh ../scripts/gdb-python.sh)" -m support.corrections
