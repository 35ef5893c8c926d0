# SPDX-License-Identifier: Apache-2.0
"""`ompd threads`: one row for each thread, or for each set of equal ones."""

from __future__ import annotations

from typing import Hashable, Iterator, Optional, Sequence

from ..model import Membership, Snapshot, Thread
from . import folding, table
from .style import PLAIN, Role, Span, Style, Text, text
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
    rows = [_row(each, qualified, folded, locations) for each in sets]
    if not rows:
        yield "No threads."
    yield from table.lines(_columns(locations), rows, style, marker=True, max_width=max_width)
    if folded:
        yield FOLDED_NOTE
    yield from snapshot.notes


def _columns(locations: bool) -> tuple[table.Column, ...]:
    return (
        table.Column("Threads", right=True),
        table.Column("GDB", right=True),
        table.Column("LWP", right=True),
        table.Column("Team"),
        table.Column("Level"),
        table.Column("State"),
        table.Column("Task"),
        table.Column("Where" if locations else "Problem"),
    )


def _row(threads: Sequence[Thread], qualified: bool, folded: bool, locations: bool) -> table.Row:
    one = threads[0]
    prefix = f"{one.inferior}." if qualified else ""
    return table.Row(
        (
            text(str(len(threads)) if folded else ""),
            text(prefix + folding.ranges((each.gdb_num for each in threads), WIDEST_LIST)),
            text(folding.ranges((each.lwp for each in threads), WIDEST_LIST)),
            text(_team(threads)),
            text(level(one.level, one.active_level)),
            state(one),
            text(one.task.value if one.task else UNKNOWN),
            _where(one, locations),
        ),
        marked=one.selected,
    )


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
            f"{_numbers([place.thread_num for place in places])} of {places[0].team_size}"
            for places in levels
        )
    known = [thread.thread_num for thread in threads if thread.thread_num is not None]
    if not known:
        return UNKNOWN
    return f"{_numbers(known)} of {'?' if one.team_size is None else one.team_size}"


def _numbers(thread_nums: Sequence[int]) -> str:
    return folding.ranges(thread_nums, WIDEST_LIST)


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
