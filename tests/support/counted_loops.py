# SPDX-License-Identifier: Apache-2.0
"""What the program tells of its loops at each of so many iterations of twelve kinds, as
values/counted_loops.cpp has them, and a table of it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Iterator, NamedTuple, Optional, Sequence

from support.gdb_session import run_gdb
from support.runtimes import ROOT

IN_GDB = ROOT / "tests" / "support" / "loops_in_gdb.py"
SOURCE = ROOT / "tests" / "programs" / "values" / "counted_loops.cpp"
ASKED = ("ompd print", "$_omp_var", "$_omp_iteration()")


class Row(NamedTuple):
    """One iteration of the loop before a LINE: whether each of what was ASKED was right."""

    line: int
    answers: dict[str, str]


def rows_of(program: Path, count: int, timeout: float = 120) -> list[Row]:
    """Return what is said of COUNT iterations of each loop."""
    done = run_gdb([f"set args {count}", f"source {IN_GDB}"], program, timeout=timeout)
    found = re.findall(r"^LOOP (.*)$", done.stdout, re.MULTILINE)
    return [_row(*json.loads(row)) for row in found]


def _row(
    said: str,
    value: int,
    iteration: int,
    line: int,
    printed: Optional[int],
    by_var: Optional[int],
    counted: Optional[int],
) -> Row:
    answers = {"ompd print": _told(printed, value), "$_omp_iteration()": _told(counted, iteration)}
    return Row(line, {**answers, "$_omp_var": _told(by_var, value)} if said == "i" else answers)


def _told(answer: Optional[int], right: int) -> str:
    if answer is None:
        return "not known"
    return "right" if (answer - right) % 2**64 == 0 else "wrong"


def _lines(compiler: str, opt: str, count: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "loops"
        options = ["-g", f"-{opt}", "-std=c++17", "-fopenmp"]
        subprocess.run([compiler, *options, str(SOURCE), "-o", str(program)], check=True)
        rows = rows_of(program, count, timeout=3600)
    yield f"{compiler} -{opt}: {len(rows)} iterations"
    for asked in ASKED:
        told = Counter(row.answers[asked] for row in rows if asked in row.answers)
        yield f"  {asked:<18} {told['right']:>6} right {told['not known']:>6} not known {told['wrong']:>6} wrong"


def main(arguments: Sequence[str]) -> None:
    """Print how many of COUNT iterations are told rightly by each COMPILER's programs."""
    count, *compilers = arguments
    for compiler in compilers:
        for opt in ("O0", "Og", "O2"):
            print("\n".join(_lines(compiler, opt, int(count))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
