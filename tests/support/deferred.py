# SPDX-License-Identifier: Apache-2.0
"""Compare the tasks that no thread executes with what the program says of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.build import Build, binary
from support.facts import Fact
from support.gdb_session import run_gdb
from support.runtimes import GNU

CORE_PHASES = ("many", "dependences", "suspended", "priorities", "inner region", "detached")
DRIVER = Path(__file__).with_name("deferred_in_gdb.py")
PHASES = (
    *("queued", "many", "dependences", "predecessor runs", "suspended", "undeferred"),
    *(
        "taskloop",
        "divided taskloop",
        "priorities",
        "inner region",
        "serialized",
        "detached",
        "none",
    ),
)

Document = dict[str, Any]


def run(what: Build, folder: Path, cores: bool) -> list[Document]:
    """Return the documents of every stop of WHAT, with CORES of some from a core, too."""
    out = folder / "out.jsonl"
    prefix = str(folder / "core.") if cores else None
    call = f"python collect({str(out)!r}, {prefix!r})"
    said = run_gdb([f"source {DRIVER}", call], program=binary(what), timeout=300)
    documents = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    # LLVM's runtime does not know GCC's detach clause; GCC's divides no taskloop.
    left_out = "divided taskloop" if what.runtime == GNU else "detached"
    phases = [p for p in PHASES if what.compiler == "clang" or p != left_out]
    wanted = [("live", phase) for phase in phases]
    wanted += [("core", phase) for phase in phases if cores and phase in CORE_PHASES]
    found = [(document["mode"], document["phase"]) for document in documents]
    assert found == wanted, f"{said.stdout[-3000:]}\n{said.stderr[-3000:]}"
    return documents


_NO_FUNCTION = "Not known of 1 task: function"


def facts(document: Document, what: Build) -> Iterator[Fact]:
    """Yield for each kind and line how many tasks were said to be there, and that all
    were found."""
    stop = f"{what} {document['phase']} {document['mode']}"
    wanted: Counter[tuple[Any, ...]] = Counter()
    for row in document["expected"]:
        wanted[row["where"], row["line"], row["creator"]] += row["count"]
    lines = {line for _, *both in wanted for line in both}
    said: Counter[tuple[Any, ...]] = Counter()
    for row in document["said"]["tasks"]:
        if row["where"] is not None:
            line = row["line"]
            if row["creator"] is None:  # GCC's runtime counts it, and has nothing else of it
                counted = line is None and "gcc" in str(what)
                yield Fact(stop, "a task that is counted alone", "where", row["where"], "detached")
                yield Fact(stop, "a task that is counted alone", "is GCC's", counted, True)
                continue
            if line is None:
                line = next((n for w, n, _ in wanted if w == row["where"]), 0)
                yield Fact(stop, f"a task that is {row['where']}", "line", None, line)
            line = _line(line, lines, what)
            by = row["creator"]["line"]
            if by is None:
                by = next((c for w, n, c in wanted if (w, n) == (row["where"], line)), 0)
                yield Fact(stop, f"task of line {line}", "creator", None, by)
            said[row["where"], line, _line(by, lines, what)] += 1
    if document["phase"] == "divided taskloop":
        # How far it has been divided is the runtime's affair.
        (line,) = {row["line"] for row in document["expected"]}
        found = {row["line"] for row in document["said"]["tasks"] if row["where"] is not None}
        wanted, said = Counter(), Counter()
        yield Fact(stop, "all", "lines", {_line(n, {line}, what) for n in found}, {line})
    for key in sorted({*wanted, *said}, key=str):
        yield Fact(stop, str(key), "count", said[key], wanted[key])
    unknown = [row for row in document["said"]["tasks"] if row["where"] and not row["creator"]]
    notes = [note for note in document["said"]["notes"] if not (unknown and _NO_FUNCTION in note)]
    yield Fact(stop, "all", "notes", notes, [])


def _line(number: int, lines: set[int], what: Build) -> int:
    """Return the line that is meant: GCC's tables give an optimised construct that of its
    body's first statement, or of a neighbour."""
    if what.compiler == "clang" or number in lines:
        return number
    return next((near for near in (number - 1, number - 2, number + 1) if near in lines), number)
