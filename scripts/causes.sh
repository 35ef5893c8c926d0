#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/causes.sh [WORD...]
#
# Has every cause of a team's size, and of being slow, in a program of its own, or those with a WORD
# in their names; on gcc and libgomp, and on clang with a stripped libomp 14 and with libomp 19. Says
# whether each is told live, of the saved stop, in a core file and after an attach, and what was said
# where it is not. Takes half an hour for all.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
exec env -u PYTHONHOME PYTHONPATH="$root/tests" PYTHONDONTWRITEBYTECODE=1 \
    "$(sh "$root/scripts/gdb-python.sh")" -m support.causes_tried "$@"
