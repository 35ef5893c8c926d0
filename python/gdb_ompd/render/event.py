# SPDX-License-Identifier: Apache-2.0
"""An event in one line, as it is said where the program stops at it."""

from __future__ import annotations

from ..model import Event, EventKind, Location, Maker, TaskKind
from .style import PLAIN, Style, Text, text
from .words import count, location


def line(event: Event, style: Style = PLAIN) -> str:
    """Say what begins or ends, where, and whose it is; what is not known is left out."""
    verb = "begins" if event.begins else "ends"
    if event.kind is EventKind.THREAD:
        return f"OpenMP thread {verb}: GDB thread {event.gdb_num} (LWP {event.lwp})"
    subject = "unknown task" if _is_unknown_task(event) else event.kind.value
    words = text(f"OpenMP {subject} {verb}", *_at(event.place))
    details = _of_task(event) if event.kind is EventKind.TASK else _of_region(event)
    for detail in details:
        words = (*words, *text(", "), *detail)
    return style.paint(words)


def _is_unknown_task(event: Event) -> bool:
    return event.kind is EventKind.TASK and event.place is None


def _at(place: Location | None) -> Text:
    """Write a place as " at heat.c:41 in solve"."""
    if place is None:
        return ()
    spot = location(Location(None, place.file, place.line, place.pc))
    where = text(" at ", *spot)
    if place.function is None:
        return where
    return (*where, *text(" in "), *location(Location(place.function, None, None, place.pc)))


def _of_region(event: Event) -> list[Text]:
    found = []
    if event.requested is not None:
        found.append(text(f"{count(event.requested, 'thread')} requested"))
    elif event.team_size is not None:
        noun = "team" if event.kind is EventKind.LEAGUE else "thread"
        found.append(text(count(event.team_size, noun)))
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
        return text("the task", *_at(maker.place))
    if maker.thread_num is None:
        return text("an implicit task")
    return text(f"the implicit task of thread {maker.thread_num}")
