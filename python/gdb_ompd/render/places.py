# SPDX-License-Identifier: Apache-2.0
"""``ompd places``: which CPUs threads may run on, and do."""

from __future__ import annotations

from collections import Counter
from typing import Any, Iterator, Optional, Sequence

from ..model.cpus import CpusOfThread, Places
from . import folding, table
from .json_document import SCHEMA, of
from .style import PLAIN, Role, Span, Style, text, wrapped_lines

COLUMNS = (
    table.Column("GDB", right=True),
    table.Column("LWP", right=True, dropped=1),
    table.Column("Team"),
    table.Column("Place", right=True),
    table.Column("Partition", dropped=5),
    table.Column("May run on"),
    table.Column("Last", right=True),
    table.Column("Core", right=True, dropped=2),
    table.Column("Socket", right=True, dropped=2),
    table.Column("Node", right=True, dropped=2),
    table.Column("State", dropped=6),
    table.Column("CPU time", right=True),
    table.Column("Since", right=True),
    table.Column("Waits", right=True, dropped=4),
    table.Column("Forced", right=True, dropped=3),
)
WIDEST_LIST = 24
KERNEL = "in kernel"
PLURAL = {"runs": "run", "sleeps": "sleep", "has ended": "have ended"}
# Of the kernel's letters those that say more than whether a thread wants a CPU, which is all that
# counts of one that stands still for the debugger.
STATES = {"R": "runs", "S": "sleeps", "D": "in kernel", "Z": "has ended"}


def document(places: Places) -> dict[str, Any]:
    """Return the document of ``ompd places -json``."""
    return {
        "schema": SCHEMA,
        "places": [of(each) for each in places.threads],
        "binding": dict(places.binding),
        "quota": places.quota,
        "notes": list(places.notes),
    }


def lines(
    places: Places, style: Style = PLAIN, *, prefix: str = "", fold: Optional[bool] = None
) -> Iterator[str]:
    """Show what binds threads, then each thread. FOLD puts threads on one line that differ only in
    their numbers and times; None folds what would not fit a screen."""
    binding = [
        table.Row((text(Span(name, Role.VARIABLE)), text(value))) for name, value in places.binding
    ]
    yield from table.lines((table.Column(), table.Column()), binding, style, max_width=style.width)
    if places.quota is not None:
        yield f"The process may use the time of {places.quota / 100:g} CPUs (its control group)."
    sets = [[each] for each in places.threads]
    if folding.wanted(fold, len(sets)):
        sets = folding.groups(
            places.threads, lambda one: (one.team_size, one.partition, one.allowed, one.problem)
        )
    rows = [table.Row(_cells(same, prefix)) for same in sets]
    yield from table.lines(COLUMNS, rows, style, max_width=style.width)
    for one in places.threads:
        if one.problem:
            yield f"GDB thread {prefix}{one.gdb_num}: {one.problem}."
    for note in places.notes:
        yield from wrapped_lines(note, style.width)


def _cells(same: Sequence[CpusOfThread], prefix: str) -> tuple[str, ...]:
    one = same[0]
    alone = len(same) == 1
    nums = [each.thread_num for each in same if each.thread_num is not None]
    team = f"{folding.ranges(nums, WIDEST_LIST)} of {one.team_size}" if nums else "-"
    cpus = sorted({each.last_cpu for each in same if each.last_cpu is not None})
    bound = [each.place for each in same if each.place is not None]
    return (
        prefix + folding.ranges((each.gdb_num for each in same), WIDEST_LIST),
        str(one.lwp) if alone else "",
        team,
        folding.ranges(bound, WIDEST_LIST) if bound else "",
        "" if one.partition is None else _range(one.partition),
        "" if one.allowed is None else folding.ranges(one.allowed, WIDEST_LIST),
        folding.ranges(cpus, WIDEST_LIST) if cpus else "",
        *(_number(getattr(one, name)) if alone else "" for name in ("core", "socket", "node")),
        _states(same),
        _time([each.nanoseconds for each in same]),
        _time([each.since_last_stop for each in same]),
        *(_sum([getattr(each, name) for each in same]) for name in ("voluntary", "forced")),
    )


def _states(same: Sequence[CpusOfThread]) -> str:
    """Say how many threads do what: "runs", or "3 run, 1 in kernel"."""
    states = Counter(filter(None, map(_state, same)))
    if len(same) == 1:
        return next(iter(states), "")
    one = (f"{n} {state if n == 1 else PLURAL.get(state, state)}" for state, n in states.items())
    return ", ".join(one)


def _state(one: CpusOfThread) -> Optional[str]:
    if one.state in STATES:
        return STATES[one.state]
    return None if one.on_cpu is None else "runs" if one.on_cpu else KERNEL


def _range(ends: tuple[int, int]) -> str:
    first, last = ends
    return str(first) if first == last else f"{first}-{last}"


def _number(value: Optional[int]) -> str:
    return "" if value is None else str(value)


def _sum(values: Sequence[Optional[int]]) -> str:
    known = [value for value in values if value is not None]
    return str(sum(known)) if known else ""


def _time(values: Sequence[Optional[int]]) -> str:
    """Write a sum of nanoseconds in seconds: "12.345 s"."""
    known = [value for value in values if value is not None]
    return f"{sum(known) / 1e9:.3f} s" if known else ""
