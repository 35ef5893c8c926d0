# SPDX-License-Identifier: Apache-2.0
"""python -m support.debugger_matrix GDB=REPORT...: what passed, as a Markdown table.

REPORT is a JUnit file of pytest's for the gdb of version GDB. A row for each gdb and
runtime that the truth tests ran on, and one for everything else with that gdb.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator, Sequence

MODES = {
    "test_live": "live",
    "test_core": "core",
    "test_kernel_core": "core",
    "test_gdbserver": "gdbserver",
    "test_attach": "attach",
}
COLUMNS = tuple(dict.fromkeys(MODES.values()))
OTHERS = "all other tests"
Key = tuple[str, str, str]  # gdb, runtime, column


def outcomes(gdb: str, report: str) -> Iterator[tuple[Key, str]]:
    """Yield where each test of a report belongs, and its outcome."""
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if kinds else "passed"
        name, _, setting = case.get("name", "").partition("[")
        runtime = re.search(r"(?:libomp|^)(\d+)(-stripped)?", setting)
        if case.get("classname", "").endswith("test_truth") and runtime and name in MODES:
            stripped = ", stripped" if runtime[2] else ""
            yield (gdb, f"libomp {runtime[1]}{stripped}", MODES[name]), outcome
        else:
            yield (gdb, OTHERS, ""), outcome


def table(counts: dict[Key, Counter[str]]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"| gdb | runtime | {' | '.join(COLUMNS)} |"
    yield "|---" * (len(COLUMNS) + 2) + "|"
    for gdb, runtime in dict.fromkeys(key[:2] for key in sorted(counts, key=_order)):
        if runtime == OTHERS:
            cells = [_cell(counts[gdb, runtime, ""]), *[""] * (len(COLUMNS) - 1)]
        else:
            cells = [_cell(counts.get((gdb, runtime, column), Counter())) for column in COLUMNS]
        yield f"| {gdb} | {runtime} | {' | '.join(cells)} |"


def _order(key: Key) -> tuple[list[int], bool, str]:
    return [int(part) for part in re.findall(r"\d+", key[0])], key[1] == OTHERS, key[1]


def _cell(found: Counter[str]) -> str:
    if not found:
        return "-"
    words = [str(found["passed"])]
    words += [f"{found[kind]} {kind}" for kind in ("failed", "skipped") if found[kind]]
    return ", ".join(words)


def main(arguments: Sequence[str]) -> None:
    """Print the table of the reports there are."""
    counts: dict[Key, Counter[str]] = {}
    for argument in arguments:
        gdb, _, report = argument.partition("=")
        for key, outcome in outcomes(gdb, report):
            counts.setdefault(key, Counter())[outcome] += 1
    for line in table(counts):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
