#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/ranks.sh [RANKS [THREADS]]
#
# Makes the saved stops of so many ranks (10000 of 64 threads), and measures how long "gdb-ompd
# report" takes to fold a tenth of them and all, and how much memory. Needs some 700 MB of disk.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
ranks=${1:-10000}
threads=${2:-64}
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
for count in $((ranks / 10)) "$ranks"; do
    (cd "$root/tests" && PYTHONPATH=../python python3 -m support.made_stops \
        "$count" "$threads" "$made/$count")
    du -sh "$made/$count" | sed "s|\t.*| in $count files|"
    PYTHONPATH="$root/python" python3 - "$made/$count" <<'END'
import resource, sys, time
from gdb_ompd.tool import main

start = time.monotonic()
status = main(["report", sys.argv[1]])
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
used = time.process_time()
print(f"{time.monotonic() - start:.1f} s, {used:.1f} s of processor time, {memory:.0f} MiB")
sys.exit(status)
END
done
