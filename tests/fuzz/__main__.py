# SPDX-License-Identifier: Apache-2.0
"""python -m fuzz RUNS SEED: all settings side by side, then files, and a verdict."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor

from fuzz.files import fuzz_files
from fuzz.session import Report, Setting, fuzz
from support.runtimes import GNU, stripped

SETTINGS = (
    Setting("19", "live"),
    Setting("14", "live"),
    Setting("19", "core"),
    Setting(stripped("14"), "live"),
    Setting(GNU, "live"),
)
# Of so many damages of memory one is of a file of that kind; each takes a gdb of its own.
FILES = {"core": 10, "runtime": 20, "cache": 40}
PART = 25  # damaged files that one scene serves for
GROWTH_KIB = 50 * 1024
MOST_SHOWN = 40
HEADS = ("same", "other", "error", "slowest s", "grew KiB", "wrong")


def _row(subject: str, report: Report) -> str:
    counts = [report.answers[kind] for kind in ("same", "other", "error")]
    cells = [*counts, report.slowest[0], report.kib, len(report.wrong)]
    return f"{subject:>24}  {report.runs:>6}" + "".join(f"  {cell:>9}" for cell in cells)


def main() -> int:
    """Fuzz; return 1 if any run went wrong."""
    runs, seed = int(sys.argv[1]), int(sys.argv[2])
    each = -(-runs // len(SETTINGS))
    print(f"{'':>24}  {'runs':>6}" + "".join(f"  {head:>9}" for head in HEADS), flush=True)
    reports: dict[str, Report] = {}
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = pool.map(lambda setting: fuzz(setting, seed, each), SETTINGS)
        for setting, report in zip(SETTINGS, found):
            reports[str(setting)] = report
            print(_row(str(setting), report), flush=True)
        for kind, memories in FILES.items():
            parts = range(seed, seed + -(-runs // memories), PART)
            last = parts.stop
            reports[f"{kind} files"] = report = Report()
            for part in pool.map(lambda n: fuzz_files(kind, n, min(PART, last - n)), parts):
                report.add(part)
            print(_row(f"{kind} files", report), flush=True)
    wrong = [f"{s}, {line}" for s, report in reports.items() for line in report.wrong]
    wrong += [f"{s}: gdb grew {r.kib} KiB" for s, r in reports.items() if r.kib > GROWTH_KIB]
    print("\n".join(wrong[:MOST_SHOWN]))
    print(f"fuzz: {len(wrong)} wrong" if wrong else "fuzz: nothing wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
