# SPDX-License-Identifier: Apache-2.0
"""python -m fuzz RUNS SEED: all settings side by side, and a verdict."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor

from fuzz.session import Report, Setting, fuzz
from support.runtimes import GNU, stripped

SETTINGS = (
    Setting("19", "live"),
    Setting("14", "live"),
    Setting("19", "core"),
    Setting(stripped("14"), "live"),
    Setting(GNU, "live"),
)
GROWTH_KIB = 50 * 1024
MOST_SHOWN = 40
HEADS = ("same", "other", "error", "slowest s", "grew KiB", "wrong")


def _row(setting: Setting, report: Report) -> str:
    counts = [report.answers[kind] for kind in ("same", "other", "error")]
    cells = [*counts, report.slowest[0], report.kib, len(report.wrong)]
    return f"{str(setting):>24}  {report.runs:>6}" + "".join(f"  {cell:>9}" for cell in cells)


def main() -> int:
    """Fuzz; return 1 if any run went wrong."""
    runs, seed = int(sys.argv[1]), int(sys.argv[2])
    each = -(-runs // len(SETTINGS))
    print(f"{'':>24}  {'runs':>6}" + "".join(f"  {head:>9}" for head in HEADS), flush=True)
    reports: dict[Setting, Report] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda setting: fuzz(setting, seed, each), SETTINGS)
        for setting, report in zip(SETTINGS, found):
            reports[setting] = report
            print(_row(setting, report), flush=True)
    wrong = [f"{s}, {line}" for s, report in reports.items() for line in report.wrong]
    wrong += [f"{s}: gdb grew {r.kib} KiB" for s, r in reports.items() if r.kib > GROWTH_KIB]
    print("\n".join(wrong[:MOST_SHOWN]))
    print(f"fuzz: {len(wrong)} wrong" if wrong else "fuzz: nothing wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
