# SPDX-License-Identifier: Apache-2.0
"""What is said where the program stops: an event, a write that `ompd watch` has seen."""

from __future__ import annotations

from typing import Iterator

from ..errors import printable
from ..explain.facts import Held
from ..explain.phrases import counted
from ..explain.races import Race, Write
from ..model import Event, EventKind, Maker, TaskKind
from .style import PLAIN, Role, Span, Style, Text, after, text
from .words import at, location


def line(event: Event, style: Style = PLAIN, prefix: str = "") -> str:
    """Say what begins or ends, where, and whose it is; what is not known is left out. PREFIX is
    what GDB writes before a thread's number."""
    verb = "begins" if event.begins else "ends"
    if event.kind is EventKind.THREAD:
        return f"OpenMP thread {verb}: GDB thread {prefix}{event.gdb_num} (LWP {event.lwp})"
    is_unknown = event.kind is EventKind.TASK and event.place is None
    subject = "unknown task" if is_unknown else event.kind.value
    words = text(f"OpenMP {subject} {verb}", *at(event.place))
    details = _of_task(event) if event.kind is EventKind.TASK else _of_region(event)
    for detail in details:
        words = (*words, *text(", "), *detail)
    return style.paint(words)


def _of_region(event: Event) -> list[Text]:
    found = []
    if event.requested is not None:
        found.append(text(f"{counted(event.requested, 'thread')} requested"))
    elif event.team_size is not None:
        noun = "team" if event.kind is EventKind.LEAGUE else "thread"
        found.append(text(counted(event.team_size, noun)))
    if event.level is not None and event.kind is EventKind.REGION:
        found.append(text(f"level {event.level}"))
    return found


def _of_task(event: Event) -> list[Text]:
    found = []
    if event.maker is not None:
        found.append(text("made by ", *_maker(event.maker)))
    if event.thread_num is not None:
        found.append(text(f"run by thread {event.thread_num} of {event.team_size}"))
    return found


def _maker(maker: Maker) -> Text:
    if maker.kind is TaskKind.INITIAL:
        return text("the initial task")
    if maker.kind is TaskKind.EXPLICIT:
        return text("the task", *at(maker.place))
    if maker.thread_num is None:
        return text("an implicit task")
    return text(f"the implicit task of thread {maker.thread_num}")


NOT_TOLD = (
    "Not told: whether a barrier, an atomic construct, a dependence, or a lock that the code does"
    " not show, keeps the two apart."
)


def written(write: Write, style: Style = PLAIN, prefix: str = "") -> str:
    """Say who wrote."""
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
    return text(who, level, task, *after(", ", location(write.place)))


def _held(write: Write) -> Text:
    if write.held is None:
        return text("what it holds is not known")
    if not write.held:
        return text("no lock that its code shows")
    words: list[Span] = []
    # Several ways may lead here, each past a call of its own that enters one lock.
    for held in {(each.kind, each.address, each.name): each for each in write.held}.values():
        words += [Span(", " if words else "holds "), *_lock(held)]
    return text(*words)


def _lock(held: Held) -> Text:
    if held.name:
        return text(f'{held.kind} "', Span(held.name, Role.VARIABLE), '"')
    if held.address is None or held.name == "":
        return text(f"the unnamed {held.kind}" if held.kind == "critical" else f"a {held.kind}")
    return text(f"{held.kind} ", Span(hex(held.address), Role.ADDRESS))
