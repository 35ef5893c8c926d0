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
from gdb_ompd.stop.registry import session_of

THREAD = ("gdb_num", "thread_num", "place", "kind", "idle", "team_size", "level", "active_level")
THREAD += ("memberships", "region", "state", "wait_id", "task", "error")
REGION = ("identity", "parent", "level", "active_level", "team_size", "threads", "caller")
REGION += ("function", "primary")
TASK = ("gdb_num", "depth", "identity", "kind", "final", "frames", "exit_frame", "function")
TASK += ("region", "generating", "scheduling")
ICV = ("name", "scope", "gdb_num", "region", "number", "text")


def asked(reader: Any, natives: list[Any]) -> dict[str, list[Any]]:
    """Return all that a reader says of a stop, as rows."""
    rows, regions = reader.read(natives)
    threads = [(each.gdb_num, *row[:2], *row[2]) for each, row in zip(natives, rows)]
    placed = [row[0] for row in threads if row[6] is not None]
    numbers = list(range(1, len(regions) + 1))
    variables = [(*row[:2], (("value", row[2], None, 0),)) for row in reader.control_variables()]
    return {
        "thread": threads,
        "region": regions,
        "task": reader.tasks(placed),
        "icv": reader.icvs(placed, numbers),
        "variable": variables,
    }


def corrected(said: dict[str, list[Any]]) -> Iterator[tuple[str, str, Any]]:
    """Yield of each fact that a correction gave its name, the fact and its value."""
    names = {"thread": THREAD, "region": REGION, "task": TASK, "icv": ICV}
    for what, rows in said.items():
        for row in rows:
            for fact, source, _, _ in row[-1] or ():
                if source is not None:
                    columns = names.get(what, ("name", "value"))
                    value = row[columns.index(fact)] if fact in columns else None
                    yield source, f"{what}: {fact}", value


def needed_here() -> dict[str, list[Any]]:
    """Return the corrections that this stop needs, each with a fact that it put right."""
    (provider,) = session_of().files.detected().providers
    natives = provider.target.threads()
    reader = provider.reader()
    found: dict[str, list[Any]] = {}
    for rule, fact, value in corrected(asked(reader, natives)):
        found.setdefault(rule, [fact, value])
    reader.set_corrections(False)
    left = [rule for rule, _, _ in corrected(asked(reader, natives))]
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
