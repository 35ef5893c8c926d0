# SPDX-License-Identifier: Apache-2.0
"""Aligned columns: nothing wider than its widest cell, no blanks at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Optional, Sequence

from .style import PLAIN, Role, Span, Style, Text, fit, text, width

GAP = "  "
MARK = "* "
NO_MARK = "  "


@dataclass(frozen=True, slots=True)
class Column:
    """A column's title (may be empty) and on which side its cells are flush."""

    title: str = ""
    right: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One cell for each column; MARKED puts a ``*`` in front."""

    cells: tuple[Text, ...]
    marked: bool = False


def lines(
    columns: Sequence[Column],
    rows: Sequence[Row],
    style: Style = PLAIN,
    *,
    marker: bool = False,
    max_width: Optional[int] = None,
) -> Iterator[str]:
    """Write ROWS as lines, one for each, below a header if a column has a title.

    Columns without any content are left out. MARKER reserves room for the ``*``.
    MAX_WIDTH shortens functions' names in the last column, and only those.
    """
    kept = [i for i in range(len(columns)) if any(row.cells[i] for row in rows)]
    if not kept:
        return
    shown = [columns[i] for i in kept]
    header = Row(tuple(text(Span(column.title, Role.TITLE)) for column in shown))
    body = [Row(tuple(row.cells[i] for i in kept), row.marked) for row in rows]
    everything = [header, *body] if any(header.cells) else body
    widths = [max(width(row.cells[i]) for row in everything) for i in range(len(shown))]
    room = None
    if max_width is not None:
        marks = len(MARK) if marker else 0
        room = max_width - marks - sum(widths[:-1]) - len(GAP) * (len(widths) - 1)
    for row in everything:
        front = (MARK if row.marked else NO_MARK) if marker else ""
        yield (front + _line(shown, widths, row.cells, style, room)).rstrip(" ")


def _line(
    columns: Sequence[Column],
    widths: Sequence[int],
    cells: Sequence[Text],
    style: Style,
    room: Optional[int],
) -> str:
    line = ""
    filled = 0  # columns of the line so far, painted or not
    start = 0
    last = len(cells) - 1
    for i, (column, wide, cell) in enumerate(zip(columns, widths, cells)):
        shown = fit(cell, room) if i == last else cell
        begin = start + (wide - width(shown) if column.right else 0)
        # Blanks are written only in front of a cell, so none is left at the end.
        if shown:
            line += " " * (begin - filled) + style.paint(shown)
            filled = begin + width(shown)
        start += wide + len(GAP)
    return line
