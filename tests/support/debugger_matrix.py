# SPDX-License-Identifier: Apache-2.0
"""python -m support.debugger_matrix GDB=REPORT...: what passed, as a Markdown table.

REPORT is a JUnit file of pytest's for the gdb of version GDB. A row for each gdb and
runtime that the truth tests ran on; then a line on everything else with that gdb, and
one for each test that failed. Of a test that several reports of a gdb have, the last
one counts.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator, Sequence

MODES = {
    "test_live_and_core": "live and core",
    "test_kernel_core": "kernel's core",
    "test_gdbserver": "gdbserver",
    "test_attach": "attach",
}
COLUMNS = tuple(dict.fromkeys(MODES.values()))
OTHERS = ""
STRIPPED = ", stripped"
LIBGOMP = "libgomp"  # of the release's GCC
Key = tuple[str, str, str]  # gdb, runtime ("" for all other tests), column
Test = tuple[str, str]  # gdb, the test's name


def outcomes(gdb: str, report: str) -> Iterator[tuple[Test, Key, str]]:
    """Yield each test of a report, where it belongs, and its outcome."""
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if kinds else "passed"
        name, _, setting = case.get("name", "").partition("[")
        file = case.get("classname", "").rpartition(".")[2]
        runtime = re.search(r"(?:libomp|^)(\d+)(-stripped)?", setting)
        test = gdb, f"{case.get('classname', '')}::{case.get('name', '')}"
        if file == "test_libgomp" and name in MODES:
            yield test, (gdb, LIBGOMP, MODES[name]), outcome
        elif file == "test_truth" and runtime and name in MODES:
            stripped = STRIPPED if runtime[2] else ""
            yield test, (gdb, f"libomp {runtime[1]}{stripped}", MODES[name]), outcome
        else:
            yield test, (gdb, OTHERS, ""), outcome


def table(counts: dict[Key, Counter[str]]) -> Iterator[str]:
    """Yield the lines of the table; runtimes of which the same passed share one."""
    yield f"| gdb | runtime | {' | '.join(COLUMNS)} |"
    yield "|---" * (len(COLUMNS) + 2) + "|"
    alike: dict[tuple[str, str, str, tuple[str, ...]], list[str]] = {}
    truth = [key for key in counts if key[1] != OTHERS]
    for gdb, runtime in dict.fromkeys(key[:2] for key in sorted(truth, key=_order)):
        cells = tuple(_cell(counts.get((gdb, runtime, c), Counter())) for c in COLUMNS)
        of, stripped, _ = runtime.partition(STRIPPED)
        name, _, version = of.partition(" ")
        alike.setdefault((gdb, name, stripped, cells), []).append(version)
    for (gdb, name, stripped, cells), versions in alike.items():
        runtimes = f"{name} {', '.join(versions)}".rstrip() + stripped
        yield f"| {gdb} | {runtimes} | {' | '.join(cells)} |"


def others(counts: dict[Key, Counter[str]]) -> Iterator[str]:
    """Yield a line for each gdb on everything else."""
    for gdb, runtime, _ in sorted(counts, key=_order):
        if runtime == OTHERS:
            yield f"gdb {gdb}, all other tests: {_cell(counts[gdb, runtime, ''])}"


def _order(key: Key) -> tuple[list[int], bool, str]:
    return [int(part) for part in re.findall(r"\d+", key[0])], key[1] == OTHERS, key[1]


def _cell(found: Counter[str]) -> str:
    if not found:
        return "-"
    words = [str(found["passed"])]
    words += [f"{found[kind]} {kind}" for kind in ("failed", "skipped") if found[kind]]
    return ", ".join(words)


def main(arguments: Sequence[str]) -> None:
    """Print the table of the reports there are, and what failed."""
    found: dict[Test, tuple[Key, str]] = {}
    for argument in arguments:
        gdb, _, report = argument.partition("=")
        found |= {test: (key, outcome) for test, key, outcome in outcomes(gdb, report)}
    counts: dict[Key, Counter[str]] = {}
    for key, outcome in found.values():
        counts.setdefault(key, Counter())[outcome] += 1
    for line in (*table(counts), "", *others(counts)):
        print(line)
    for (gdb, name), (_, outcome) in found.items():
        if outcome == "failed":
            print(f"gdb {gdb} failed: {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
