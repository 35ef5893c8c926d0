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
from gdb_ompd import _native
from gdb_ompd.model import LIBRARY
from gdb_ompd.host.sessions.registry import session_of


class _Host:
    """One runtime that a reader reads: see StopHost."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._stacks = session_of().files.new_stacks()

    def add_runtimes(self, runtimes: _native.AllRuntimes) -> None:
        """Add the runtime."""
        runtimes.add(self._reader, "", [])

    def stacks(self) -> _native.Stacks:
        """Return what reads stacks."""
        return self._stacks.native

    def readable_code(self) -> None:
        """All code can be read."""

    def is_forked(self) -> None:
        """It is not known whether the process was forked."""

    def is_own_memory(self, _: int) -> bool:
        """Tell of no memory that it is the process's own."""
        return False


def asked(reader: Any, natives: list[Any]) -> tuple[dict[str, list[Any]], Any]:
    """Return what a reader says of a stop, and what else can be asked of it there."""
    stop = _native.Stop(natives, 0, _Host(reader))
    placed = [each.gdb_num for each in stop.threads if each.level is not None]
    numbers = [each.id for each in stop.teams]
    said: dict[str, list[Any]] = {
        "thread": list(stop.threads),
        "region": list(stop.teams),
        "task": list(stop.tasks(placed)),
    }
    return said, [*stop.icvs(placed, numbers), *stop.control_variables()]


def corrected(reader: Any, natives: list[Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield of each fact that a correction gave its name, the fact and its value."""
    said, settings = asked(reader, natives)
    for what, values in said.items():
        for each in values:
            for doubt in each.doubts:
                if doubt.source is not None:
                    value = getattr(each, doubt.fact, None)
                    yield doubt.source, f"{what}: {doubt.fact}", value
    for each in settings:
        if each.source not in (LIBRARY, "runtime default", "runtime's start"):
            yield each.source, f"{each.name}: value", each.value


def corrected_now() -> Iterator[tuple[str, str, Any]]:
    """Yield what is put right at this stop as it is set now."""
    (provider,) = session_of().files.detected().providers
    yield from corrected(provider.reader(), provider.target.threads())


def needed_here() -> dict[str, list[Any]]:
    """Return the corrections that this stop needs, each with a fact that it put right."""
    found: dict[str, list[Any]] = {}
    for rule, fact, value in corrected_now():
        found.setdefault(rule, [fact, value])
    gdb.execute("set ompd corrections off")
    left = [rule for rule, *_ in corrected_now()]
    gdb.execute("set ompd corrections on")
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
