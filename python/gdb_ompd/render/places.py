# SPDX-License-Identifier: Apache-2.0
"""``ompd places``: which CPUs threads may run on, and do."""

from __future__ import annotations

from typing import Any, Iterator, Optional, Sequence

from ..model.cpus import CpusOfThread, Places
from . import folding, table
from .json_document import SCHEMA, of
from .style import PLAIN, Role, Span, Style, text, wrapped_lines

COLUMNS = (
    table.Column("GDB", right=True),
    table.Column("LWP", right=True, dropped=1),
    table.Column("Team"),
    table.Column("May run on"),
    table.Column("Last", right=True),
    table.Column("Core", right=True, dropped=2),
    table.Column("Socket", right=True, dropped=2),
    table.Column("Node", right=True, dropped=2),
    table.Column("CPU time", right=True),
    table.Column("Since", right=True),
    table.Column("Waits", right=True, dropped=4),
    table.Column("Forced", right=True, dropped=3),
)
WIDEST_LIST = 24


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
        sets = folding.groups(places.threads, lambda one: (one.team_size, one.allowed, one.problem))
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
    return (
        prefix + folding.ranges((each.gdb_num for each in same), WIDEST_LIST),
        str(one.lwp) if alone else "",
        team,
        "?" if one.allowed is None else folding.ranges(one.allowed, WIDEST_LIST),
        folding.ranges(cpus, WIDEST_LIST) if cpus else "",
        *(_number(getattr(one, name)) if alone else "" for name in ("core", "socket", "node")),
        _time([each.nanoseconds for each in same]),
        _time([each.since_last_stop for each in same]),
        *(_sum([getattr(each, name) for each in same]) for name in ("voluntary", "forced")),
    )


def _number(value: Optional[int]) -> str:
    return "" if value is None else str(value)


def _sum(values: Sequence[Optional[int]]) -> str:
    known = [value for value in values if value is not None]
    return str(sum(known)) if known else ""


def _time(values: Sequence[Optional[int]]) -> str:
    """Write a sum of nanoseconds in seconds: "12.345 s"."""
    known = [value for value in values if value is not None]
    return f"{sum(known) / 1e9:.3f} s" if known else ""
