# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: which corrections of LLVM's library a program's stops need.

Prints one line of JSON: for each correction what it put right first, as [fact, what the
library says, what is shown].
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import gdb
from gdb_ompd.model import LIBRARY
from gdb_ompd.stop.registry import session_of


def asked(reader: Any, natives: list[Any]) -> dict[str, list[Any]]:
    """Return all that a reader says of a stop."""
    read = reader.read(natives)
    placed = [each.gdb_num for each in read.threads if each.level is not None]
    numbers = [each.id for each in read.regions]
    return {
        "thread": list(read.threads),
        "region": list(read.regions),
        "task": [view.task for view in reader.tasks(placed)],
        "icv": reader.icvs(placed, numbers),
    }


def corrected(said: dict[str, list[Any]]) -> Iterator[tuple[str, str, Any]]:
    """Yield of each fact that a correction gave its name, the fact and its value."""
    for what, values in said.items():
        for each in values:
            for doubt in each.doubts:
                if doubt.source is not None:
                    value = getattr(each, doubt.fact, None)
                    yield doubt.source, f"{what}: {doubt.fact}", value


def variables(reader: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the same of control variables."""
    for each in reader.control_variables():
        if each.source != LIBRARY:
            yield each.source, "variable: value", each.value


def needed_here() -> dict[str, list[Any]]:
    """Return the corrections that this stop needs, each with a fact that it put right."""
    (provider,) = session_of().files.detected().providers
    natives = provider.target.threads()
    reader = provider.reader()
    found: dict[str, list[Any]] = {}
    for rule, fact, value in (*corrected(asked(reader, natives)), *variables(reader)):
        found.setdefault(rule, [fact, value])
    reader.set_corrections(False)
    left = [rule for rule, *_ in (*corrected(asked(reader, natives)), *variables(reader))]
    reader.set_corrections(True)
    assert not left, f"with corrections off something is corrected: {left}"
    return found


def main() -> None:
    """Run the program to its end, or for a while, and ask at its breakpoints."""
    needed: dict[str, list[Any]] = {}
    gdb.execute("set pagination off")
    gdb.execute("run", to_string=True)
    for _ in range(40):
        if gdb.selected_thread() is None:
            break
        for rule, example in needed_here().items():
            needed.setdefault(rule, example)
        gdb.execute("continue", to_string=True)
    print("NEEDED " + json.dumps(needed))
