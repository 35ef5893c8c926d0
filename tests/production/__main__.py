# SPDX-License-Identifier: Apache-2.0
"""Examine programs of the distribution, and print a table with one line a program."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

from production.examine import HEAD, Result, examine
from production.programs import PROGRAMS, Program, missing

# What can fail, the worst first.
KINDS = (
    *("examination", "result", "bug", "wrong", "contradiction", "refused", "slow", "no module"),
    "unasked",
)
SHOWN = 20  # of what failed, for a program
MOST_LETTERS = 400


def main() -> int:
    """Return the exit code: 0 only if nothing is wrong, and nothing is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stops", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=4, help="how much the programs have to do")
    parser.add_argument("--short", action="store_true", help="no moves, no cores")
    parser.add_argument("--refused", action="store_true", help="list what was refused")
    parser.add_argument("--packages", action="store_true", help="only list the packages")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    given = parser.parse_args()
    chosen = [each for each in PROGRAMS if not given.programs or each.name in given.programs]
    if given.packages:
        print("\n".join(sorted({package for each in chosen for package in each.packages})))
        return 0
    print(HEAD, flush=True)
    results = [result for each in chosen if (result := _examined(each, given)) is not None]
    for result in results:
        if result.failed:
            print(f"\n{result.name}:")
        worst_first = sorted(result.failed.items(), key=lambda each: KINDS.index(each[0][0]))
        for (kind, what), count in worst_first[:SHOWN]:
            print(f"  {count} {kind}: {what[:MOST_LETTERS]}")
    if given.refused:
        _print_refused(results)
    right = sum(not result.failed for result in results)
    print(f"\n{right} of {len(chosen)} programs ok")
    return int(right < len(chosen))


def _print_refused(results: list[Result]) -> None:
    refused: Counter[str] = Counter()
    for result in results:
        refused.update(result.refused)
    print("\nRefused, of all programs:")
    for said, count in refused.most_common():
        print(f"  {count} {said[:MOST_LETTERS]}")


def _examined(program: Program, given: argparse.Namespace) -> Result | None:
    absent = missing(program)
    if absent:
        print(f"{program.name:16} skipped: not installed: {' '.join(absent)}", flush=True)
        return None
    folder = Path(tempfile.mkdtemp(prefix=f"production-{program.name}-"))
    try:
        result = examine(program, given.stops, given.rounds, folder, given.short)
    except Exception:
        result = Result(program.name)
        result.failed["examination", traceback.format_exc()] += 1
    print(result.row(), flush=True)
    if result.failed:
        print(f"  in {folder}", flush=True)
    else:
        shutil.rmtree(folder)
    return result


if __name__ == "__main__":
    sys.exit(main())
