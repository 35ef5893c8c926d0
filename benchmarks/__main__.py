# SPDX-License-Identifier: Apache-2.0
"""python3 benchmarks [--quick]: measure everything, print one table."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Iterator

import commands
import conditions
import events
import floor
import growth
import program_cost
import recovery
import remote
import stacks
import starts
import values
from table import Row, markdown

THREADS = (16, 64, 256, 1000)
QUICK_THREADS = (16, 64)


def rows(quick: bool) -> Iterator[Row]:
    """Measure, and yield a row as soon as it is known."""
    sizes = QUICK_THREADS if quick else THREADS
    repeats, rounds = (3, 3) if quick else (9, 9)
    yield from starts.loading(repeats)
    yield from recovery.measure(repeats)
    for threads in sizes:
        yield from starts.to_breakpoint(threads, repeats)
    yield from commands.firsts(QUICK_THREADS[-1], repeats)
    listings: list[Row] = []
    for threads in sizes:
        listings.extend(commands.measure(threads, rounds))
    yield from listings
    yield from floor.rows(listings, rounds)
    yield from growth.rows(listings, sizes[0], sizes[-1])
    for threads in sizes:
        yield from stacks.measure(threads, max(rounds // 3, 1))
    for threads in sizes:
        yield from values.measure(threads, max(rounds // 3, 1))
    for threads in sizes:
        yield from remote.measure(threads, max(rounds // 3, 1))
    yield from conditions.measure(sizes[0], 2_000 if quick else 20_000, min(repeats, 5))
    yield from events.measure(2_000 if quick else 10_000, min(repeats, 5))
    yield from program_cost.measure("regions", 10_000 if quick else 100_000, "regions", repeats)
    yield from program_cost.measure("tasks", 10_000 if quick else 1_000_000, "tasks", repeats)


def machine() -> str:
    """Say what was measured on."""
    said = subprocess.run(["gdb", "--version"], stdout=subprocess.PIPE, text=True, check=True)
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), load {load:.1f} at the start;"
        f" {said.stdout.splitlines()[0]}"
    )


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(prog="bench.sh", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer threads and repeats")
    quick = parser.parse_args().quick
    where = machine()
    measured = []
    for row in rows(quick):
        print(" ".join(cell for cell in row.cells() if cell), file=sys.stderr, flush=True)
        measured.append(row)
    print(f"Measured on {where}. Times are medians.\n")
    print("\n".join(markdown(measured)))


if __name__ == "__main__":
    main()
