# SPDX-License-Identifier: Apache-2.0
"""The window of `layout ompd`: regions as a tree, a line for each thread."""

from __future__ import annotations

from typing import Iterator, NamedTuple, Optional

from ..model import Snapshot, Thread
from .style import Role, Span, Style, Text, text
from .teams import Teams
from .words import doing, region_heading

DEEPEST_INDENT = 8


class Line(NamedTuple):
    """A line, and GDB's number of the thread that it shows."""

    words: Text
    gdb_num: Optional[int] = None


def lines(snapshot: Snapshot, prefix: str) -> list[Line]:
    """Return all lines."""
    teams = Teams(snapshot)
    found: list[Line] = []
    for region, depth in teams.outer_first():
        margin = "  " * min(depth, DEEPEST_INDENT)
        found.append(Line(text(margin, *region_heading(region))))
        for member in teams.members(region):
            what = doing(member.thread, ": ") if member.thread else text("unknown")
            if member.inner is not None:
                what = text(f"in region {member.inner.id}")
            own = f"{member.thread_num} (GDB {prefix}{member.gdb_num or '?'})"
            found.append(_line(margin, own, what, member.thread, member.gdb_num))
    listed = {number for region in snapshot.regions for number in region.threads}
    rest = [thread for thread in snapshot.threads if thread.gdb_num not in listed]
    if rest:
        found.append(Line(text(Span("In no region", Role.TITLE))))
    for thread in rest:
        found.append(
            _line("", f"GDB {prefix}{thread.gdb_num}", doing(thread, ": "), thread, thread.gdb_num)
        )
    return found


def _line(
    margin: str, own: str, what: Text, thread: Optional[Thread], number: Optional[int]
) -> Line:
    mark = "* " if thread is not None and thread.selected else "  "
    return Line(text(margin, mark, own, "  ", *what), number)


def drawn(shown: list[Line], style: Style, left: int, width: int) -> Iterator[str]:
    """Paint what of lines is from the column LEFT on, in WIDTH columns."""
    for line in shown:
        parts, at = [], -left
        for span in line.words:
            piece = span.text[max(0, -at) : max(0, width - at)]
            at += len(span.text)
            parts.append(Span(piece, span.role))
        yield style.paint(tuple(parts))
