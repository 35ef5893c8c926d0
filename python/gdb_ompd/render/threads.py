# SPDX-License-Identifier: Apache-2.0
"""`ompd threads`: one row for each thread, or for each set of equal ones."""

from __future__ import annotations

from typing import Hashable, Iterator, Optional, Sequence

from ..model import Membership, Snapshot, Thread
from . import folding, table
from .style import Cell, PLAIN, Role, Span, Style, Text, fold, text, wrap, wrapped_lines
from .words import UNKNOWN, level, location, state

FOLDED_NOTE = 'Equal threads share a line; "ompd threads -all" gives each its own.'
WIDEST_LIST = 20


def lines(
    snapshot: Snapshot,
    style: Style = PLAIN,
    *,
    locations: bool = True,
    fold: Optional[bool] = None,
    max_width: Optional[int] = None,
) -> Iterator[str]:
    """List the threads of SNAPSHOT, then its notes.

    FOLD puts threads that differ only in their numbers on one line; None folds
    what would not fit a screen. The selected thread always has its own line.
    """
    threads = snapshot.threads
    sets = [[thread] for thread in threads]
    if folding.wanted(fold, len(threads)):
        alike = folding.groups(threads, _facts)
        shown = folding.groups(alike, lambda same: _shown(same[0], locations))
        sets = [[thread for same in each for thread in same] for each in shown]
    folded = len(sets) < len(threads)
    qualified = snapshot.qualified or any(thread.inferior != 1 for thread in threads)
    words = _Words(locations)
    rows = [_row(each, qualified, folded, words) for each in sets]
    if not rows:
        yield "No threads."
    yield from table.lines(_columns(locations), rows, style, marker=True, max_width=max_width)
    if folded:
        yield from wrapped_lines(FOLDED_NOTE, max_width)
    for note in snapshot.notes:
        yield from wrapped_lines(note, max_width)


def current(
    snapshot: Snapshot,
    thread: Thread,
    style: Style = PLAIN,
    prefix: str = "",
    max_width: Optional[int] = None,
) -> Iterator[str]:
    """Say which THREAD is selected, and where it is: "Thread 3 of 4 in region 1, level 1 (GDB
    thread 4): working, work at heat.c:6"."""
    gdb = f"GDB thread {prefix}{thread.gdb_num}"
    who = gdb
    if thread.thread_num is not None and thread.region is not None:
        region = f"region {thread.region}, level {level(thread.level, thread.active_level)}"
        who = f"Thread {thread.thread_num} of {thread.team_size} in {region} ({gdb})"
    where = _where(thread, True)
    words = text(f"{who}: ", *state(thread), *((Span(", "), *where) if where else ()))
    for part in wrap(fold(words, max_width), max_width):
        yield style.paint(part)


def _columns(locations: bool) -> tuple[table.Column, ...]:
    return (
        table.Column("Threads", right=True),
        table.Column("GDB", right=True),
        table.Column("LWP", right=True, dropped=1),
        table.Column("Team"),
        table.Column("Level"),
        table.Column("State"),
        table.Column("Task", dropped=2),
        table.Column("Where" if locations else "Problem"),
    )


class _Words:
    """What is said of a thread besides its numbers: once for all that are alike."""

    def __init__(self, locations: bool) -> None:
        self._locations = locations
        self._known: dict[Hashable, tuple[Cell, ...]] = {}

    def of(self, one: Thread) -> tuple[Cell, ...]:
        """Return the cells from the level on."""
        # By identity, where equal things nearly always are the same: hashing takes longer.
        key = (
            one.level,
            one.active_level,
            id(one.kind),
            one.idle,
            one.running,
            one.state,
            id(one.task),
            one.error,
            one.signal,
            id(one.waits_for),
            id(one.location),
        )
        cells = self._known.get(key)
        if cells is None:
            cells = self._known[key] = (
                level(one.level, one.active_level),
                state(one),
                one.task.value if one.task else UNKNOWN,
                _where(one, self._locations),
            )
        return cells


def _row_numbers(one: Thread) -> tuple[str, str, str]:
    """Return the numbers of one thread as ``folding.ranges`` and ``_team`` write those of
    several."""
    places = one.memberships
    if len(places) != 2 or places[0].thread_num is None:
        return str(one.gdb_num), str(one.lwp), _team([one])
    return str(one.gdb_num), str(one.lwp), f"{places[0].thread_num} of {places[0].team_size}"


def _row(threads: Sequence[Thread], qualified: bool, folded: bool, words: _Words) -> table.Row:
    one = threads[0]
    prefix = f"{one.inferior}." if qualified else ""
    if len(threads) == 1:
        number, lwp, team = _row_numbers(one)
    else:
        number, lwp, team = (
            folding.ranges((each.gdb_num for each in threads), WIDEST_LIST),
            folding.ranges((each.lwp for each in threads), WIDEST_LIST),
            _team(threads),
        )
    count = str(len(threads)) if folded else ""
    cells = (count, prefix + number, lwp, team, *words.of(one))
    return table.Row(cells, marked=one.selected)


def _where(thread: Thread, locations: bool) -> Text:
    where = location(thread.location) if locations else ()
    if not thread.error or thread.running:
        return where
    error = Span(thread.error, Role.HIGHLIGHT)
    return text(*where, ": ", error) if where else text(error)


def _memberships(thread: Thread) -> tuple[Membership, ...]:
    """Return what is worth saying: level 0 is always "0 of 1"."""
    places = thread.memberships
    return places[:-1] if len(places) > 1 else places


def _team(threads: Sequence[Thread]) -> str:
    """Say "1 of 2 < 0 of 4": number and size of each level's team, innermost first."""
    one = threads[0]
    if one.memberships:
        levels = zip(*(_memberships(thread) for thread in threads))
        return " < ".join(
            f"{_numbers([place.thread_num for place in places])} of {_size(places[0].team_size)}"
            for places in levels
        )
    known = [thread.thread_num for thread in threads if thread.thread_num is not None]
    if not known:
        return UNKNOWN
    return f"{_numbers(known)} of {_size(one.team_size)}"


def _numbers(thread_nums: Sequence[Optional[int]]) -> str:
    known = [number for number in thread_nums if number is not None]
    return folding.ranges(known, WIDEST_LIST) if len(known) == len(thread_nums) else "?"


def _size(team_size: Optional[int]) -> str:
    return "?" if team_size is None else str(team_size)


def _facts(thread: Thread) -> Hashable:
    """Return facts without which two rows cannot differ but in the thread's own numbers:
    quickly made, where what the row says would have to be put in words first."""
    return (
        thread.inferior,
        thread.selected,
        thread.region,
        thread.thread_num is None,
        thread.team_size,
        thread.level,
        thread.active_level,
        thread.running,
        thread.kind,
        thread.idle,
        thread.state,
        thread.task,
        thread.error,
        thread.signal,
        id(thread.waits_for),
        id(thread.location),
        len(thread.memberships),
    )


def _shown(thread: Thread, locations: bool) -> Hashable:
    """Return everything a row says but for the thread's own numbers."""
    return (
        thread.inferior,
        thread.selected,
        tuple(place.team_size for place in thread.memberships),
        thread.thread_num is None,
        thread.team_size,
        level(thread.level, thread.active_level),
        state(thread),
        thread.task,
        _where(thread, locations),
    )
