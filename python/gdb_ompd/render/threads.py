# SPDX-License-Identifier: Apache-2.0
"""`ompd threads`: one row for each thread, or for each set of equal ones."""

from __future__ import annotations

from itertools import chain, groupby, repeat
from operator import attrgetter, is_, itemgetter
from typing import Hashable, Iterable, Iterator, Optional, Sequence

from ..model import Membership, Snapshot, Thread, ThreadKind
from . import folding, table
from .style import (
    Cell,
    PLAIN,
    Role,
    Span,
    Style,
    Text,
    after,
    as_cell,
    painted,
    plain,
    text,
    wrapped_lines,
)
from .words import UNKNOWN, level, location, said_of, state

FOLDED_NOTE = 'Equal threads share a line; "ompd threads -all" gives each its own.'
WIDEST_LIST = 20
MANY_LEVELS = 4  # that are equal


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
    sets: Optional[list[list[Thread]]] = None
    if folding.wanted(fold, len(threads)):
        alike = folding.keyed_groups(threads, _facts(threads))
        shown = folding.groups(alike, lambda same: _shown(same[0], locations))
        sets = [list(chain.from_iterable(each)) for each in shown]
    folded = sets is not None and len(sets) < len(threads)
    firsts = [each[0] for each in sets] if folded and sets is not None else threads
    numbers = _numbers_of_sets(sets) if folded and sets is not None else _numbers_of(threads)
    if snapshot.qualified or set(map(attrgetter("inferior"), threads)) - {1}:
        numbers[1] = [f"{one.inferior}.{gdb}" for one, gdb in zip(firsts, numbers[1])]
    if not firsts:
        yield "No threads."
    contents = [*numbers, *zip(*_words(firsts, locations))]
    marked = list(map(attrgetter("selected"), firsts))
    yield from chain.from_iterable(
        table.of_columns(
            (*_COLUMNS, _WHERE if locations else _PROBLEM), contents, marked, style, max_width
        )
    )
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
    words = text(f"{who}: ", *state(thread), *after(", ", _where(thread, True)))
    yield from painted(words, style, max_width)


def name(thread: Thread) -> str:
    """Return what a list of GDB's own says of a thread, such as "0 of 8, at barrier", "" of one that
    is not OpenMP's or not known."""
    if (
        thread.running
        or thread.kind is ThreadKind.NATIVE
        or (thread.state is None and thread.error)
    ):
        return ""
    team = _team((thread,))
    return plain(text(*(() if team == UNKNOWN else (f"{team}, ",)), *state(thread)))


_COLUMNS = (
    table.Column("Threads", right=True),
    table.Column("GDB", right=True),
    table.Column("LWP", right=True, dropped=1),
    table.Column("Team"),
    table.Column("Level"),
    table.Column("State"),
    table.Column("Task", dropped=2),
)
_WHERE, _PROBLEM = table.Column("Where"), table.Column("Problem")
_gdb_num, _lwp = attrgetter("gdb_num"), attrgetter("lwp")
_memberships, _own = attrgetter("memberships"), attrgetter("thread_num", "team_size")


def _words(threads: Sequence[Thread], locations: bool) -> list[tuple[Cell, ...]]:
    """Return the cells of each thread from the level on: put in words once for all that are
    alike."""
    known: dict[Hashable, tuple[Cell, ...]] = {}
    found: list[tuple[Cell, ...]] = []
    cells: tuple[Cell, ...] = ()
    previous: Hashable = None
    for one in threads:
        said = said_of(one)
        if said != previous:
            previous = said
            cells = known.get(said) or (
                level(one.level, one.active_level),
                as_cell(state(one)),
                one.task.value if one.task else UNKNOWN,
                _where(one, locations),
            )
            known[said] = cells
        found.append(cells)
    return found


def _numbers_of(threads: Sequence[Thread]) -> list[Sequence[Cell]]:
    """Return the columns with the numbers of threads that have a line each."""
    numbers = list(map(str, map(_gdb_num, threads)))
    lwps = list(map(str, map(_lwp, threads)))
    every = list(map(_memberships, threads))
    innermost = list(map(itemgetter(0), filter(None, every)))
    # In a team at level 1 most threads are.
    known = innermost == list(map(_own, threads)) and None not in chain.from_iterable(innermost)
    if known and set(map(len, every)) == {2}:
        teams = list(map("%d of %d".__mod__, innermost))
    else:
        teams = [_team((thread,)) for thread in threads]
    return [[""] * len(numbers), numbers, lwps, teams]


def _numbers_of_sets(sets: Sequence[Sequence[Thread]]) -> list[Sequence[Cell]]:
    """Return the columns with how many threads share a line, and their numbers."""
    return [
        [str(len(threads)) for threads in sets],
        [folding.ranges(map(_gdb_num, some), WIDEST_LIST) for some in sets],
        [folding.ranges(map(_lwp, some), WIDEST_LIST) for some in sets],
        list(map(_team, sets)),
    ]


def _where(thread: Thread, locations: bool) -> Text:
    where = location(thread.location) if locations else ()
    if not thread.error or thread.running:
        return where
    error = Span(thread.error, Role.HIGHLIGHT)
    return text(*where, ": ", error) if where else text(error)


def _team(threads: Sequence[Thread]) -> str:
    """Say "1 of 2 < 0 of 4": number and size of each level's team, innermost first. Many equal
    ones, as a function that calls itself in a region makes them, are "0 of 1 (20 levels)"."""
    one = threads[0]
    if one.memberships:
        levels = list(zip(*map(_memberships, threads)))
        # A league and its initial teams have no level of their own.
        if one.thread_num is not None and one.memberships[0] != _own(one):
            levels.insert(0, tuple(map(Membership._make, map(_own, threads))))
        if len(levels) > 1:
            del levels[-1]  # level 0 is always "0 of 1"
        return " < ".join(_runs(levels))
    known = [thread.thread_num for thread in threads if thread.thread_num is not None]
    if not known:
        return UNKNOWN
    return f"{_numbers(known)} of {_size(one.team_size)}"


def _runs(levels: Iterable[Sequence[Membership]]) -> Iterator[str]:
    """Write the teams of levels, many equal ones behind each other once."""
    for places, equal in groupby(levels):
        team = f"{_numbers([number for number, _ in places])} of {_size(places[0].team_size)}"
        length = len(list(equal))
        yield from [team] * length if length < MANY_LEVELS else [f"{team} ({length} levels)"]


def _numbers(thread_nums: Sequence[Optional[int]]) -> str:
    known = [number for number in thread_nums if number is not None]
    return folding.ranges(known, WIDEST_LIST) if len(known) == len(thread_nums) else "?"


def _size(team_size: Optional[int]) -> str:
    return "?" if team_size is None else str(team_size)


_also = itemgetter(*map(Thread._fields.index, ("inferior", "selected", "region", "team_size")))


def _facts(threads: Sequence[Thread]) -> Iterable[Hashable]:
    """Return for each thread facts without which two rows cannot differ but in the thread's own
    numbers. They are quickly made. What the row says would have to be put in words first."""
    has_no_number = map(is_, map(attrgetter("thread_num"), threads), repeat(None))
    levels = map(len, map(_memberships, threads))
    return zip(map(said_of, threads), map(_also, threads), has_no_number, levels)


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
