# SPDX-License-Identifier: Apache-2.0
"""python -m support.line_coverage TREE CPP PYTHON: print what share of the lines was run.

TREE is the copy of the checkout that scripts/coverage.sh has run the tests in. Writes
the lines of C++ that were missed to CPP; PYTHON is the report of Python's coverage.
The exit code is 0 only if both shares are at least LEAST.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

LEAST = 90.0
Lines = dict[str, dict[int, int]]  # by file and line, how often it was run


def counted(tree: Path) -> Lines:
    """Return the lines of native/ that have code, from what gcov says of each object."""
    found: Lines = defaultdict(dict)
    for notes in sorted((tree / "build" / "native").rglob("*.gcno")):
        if "tests" in notes.relative_to(tree).parts:
            continue
        done = subprocess.run(
            ["gcov", "--json-format", "--stdout", str(notes)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=True,
            cwd=notes.parent,
        )
        for document in done.stdout.splitlines():
            for file in json.loads(document)["files"]:
                path = Path(file["file"])
                if tree / "native" not in path.parents:
                    continue
                lines = found[str(path.relative_to(tree))]
                for line in file["lines"]:
                    number = line["line_number"]
                    lines[number] = max(lines.get(number, 0), line["count"])
    return found


def missed(lines: dict[int, int]) -> str:
    """Return the ranges of lines that were never run."""
    ranges: list[list[int]] = []
    previous = None
    for number in sorted(lines):
        if lines[number] == 0:
            if ranges and ranges[-1][1] == previous:
                ranges[-1][1] = number
            else:
                ranges.append([number, number])
        previous = number
    return ", ".join(f"{a}-{b}" if a != b else str(a) for a, b in ranges)


def cpp_share(tree: Path, out: Path) -> tuple[float, int, list[str]]:
    """Return the share of C++ lines run, their number, and a line for each file below LEAST."""
    rows, below = [], []
    total = hit = 0
    for file, lines in sorted(counted(tree).items()):
        covered = sum(count > 0 for count in lines.values())
        total, hit = total + len(lines), hit + covered
        row = f"{file}  {covered}/{len(lines)}  {missed(lines)}".rstrip()
        rows.append(row)
        if 100.0 * covered < LEAST * len(lines):
            below.append(row)
    out.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return (100.0 * hit / total if total else 0.0), total, below


def python_share(report: Path) -> tuple[float, int, list[str]]:
    """Return the same of the Python, from the report's table."""
    below = []
    share, total = 0.0, 0
    for line in report.read_text(encoding="utf-8").splitlines():
        match = re.match(r"(\S+) +(\d+) +(\d+) +(\d+)%(?: +(.*))?$", line)
        if match is None:
            continue
        name, lines, gone = match[1], int(match[2]), int(match[3])
        if name == "TOTAL":
            share, total = 100.0 * (lines - gone) / lines, lines
        elif 100.0 * (lines - gone) < LEAST * lines:
            name = re.sub(r".*/(?=python/gdb_ompd/)", "", name)
            below.append(f"{name}  {lines - gone}/{lines}  {match[5]}")
    return share, total, below


def main() -> int:
    """Print both; tell by the exit code whether they are enough."""
    tree, cpp, python = map(Path, sys.argv[1:4])
    shares = {"C++": cpp_share(tree, cpp), "Python": python_share(python)}
    for language, (_, _, below) in shares.items():
        for row in below:
            print(f"below {LEAST:.0f} %: {row}")
    for language, (share, total, _) in shares.items():
        print(f"{language}: {share:.1f} % of {total} lines")
    return 0 if all(share >= LEAST for share, _, _ in shares.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
