# SPDX-License-Identifier: Apache-2.0
"""`ompd watch`: who wrote, where, and what it held."""

from __future__ import annotations

from typing import Iterator

from ..errors import printable
from ..explain.facts import Held
from ..explain.races import Race, Write
from .style import PLAIN, Role, Span, Style, Text, text
from .words import location

NOT_TOLD = (
    "Not told: whether a barrier, an atomic construct, a dependence, or a lock that the code does"
    " not show, keeps the two apart."
)


def written(write: Write, style: Style = PLAIN, prefix: str = "") -> str:
    """Say who wrote. PREFIX is what GDB writes before a thread's number."""
    return style.paint(text("Written by ", *_who(write, prefix)))


def race(found: Race, what: str, style: Style = PLAIN, prefix: str = "") -> Iterator[str]:
    """Say which two threads wrote, and what each of them held."""
    yield f"Threads of the team write {printable(what)} without a lock in common:"
    for write in (found.before, found.now):
        yield style.paint(text("  ", *_who(write, prefix), ", ", *_held(write)))
    yield NOT_TOLD


def _who(write: Write, prefix: str) -> Text:
    if write.thread_num is None:
        who = f"GDB thread {prefix}{write.gdb_num}"
    else:
        who = f"thread {write.thread_num} of {write.team_size} (GDB thread {prefix}{write.gdb_num})"
    task = f", {write.task.value} task" if write.task is not None else ""
    level = f", level {write.level}" if write.level else ""
    where = location(write.place)
    return text(who, level, task, *((Span(", "), *where) if where else ()))


def _held(write: Write) -> Text:
    if write.held is None:
        return text("what it holds is not known")
    if not write.held:
        return text("no lock that its code shows")
    words: list[Span] = []
    for held in write.held:
        words += [Span(", " if words else "holds "), *_lock(held)]
    return text(*words)


def _lock(held: Held) -> Text:
    if held.name:
        return text(f'{held.kind} "', Span(held.name, Role.VARIABLE), '"')
    if held.address is None or held.name == "":
        return text(f"the unnamed {held.kind}" if held.kind == "critical" else f"a {held.kind}")
    return text(f"{held.kind} ", Span(hex(held.address), Role.ADDRESS))
