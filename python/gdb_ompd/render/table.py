# SPDX-License-Identifier: Apache-2.0
"""Aligned columns: nothing wider than its widest cell, no blanks at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Optional, Sequence

from .style import PLAIN, Cell, Role, Span, Style, fit, text, width

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

    cells: tuple[Cell, ...]
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
    titles: tuple[Cell, ...] = tuple(text(Span(column.title, Role.TITLE)) for column in shown)
    everything = [Row(titles)] if any(titles) else []
    everything += [Row(tuple(row.cells[i] for i in kept), row.marked) for row in rows]
    filled = [[width(cell) for cell in row.cells] for row in everything]
    widths = [max(column) for column in zip(*filled)]
    room = None
    if max_width is not None:
        marks = len(MARK) if marker else 0
        room = max_width - marks - sum(widths[:-1]) - len(GAP) * (len(widths) - 1)
    for row, used in zip(everything, filled):
        front = (MARK if row.marked else NO_MARK) if marker else ""
        cells = row.cells
        if room is not None and used[-1] > room and not isinstance(cells[-1], str):
            cells = (*cells[:-1], fit(cells[-1], room))
            used = [*used[:-1], width(cells[-1])]
        yield (front + _line(shown, widths, used, cells, style)).rstrip(" ")


def _line(
    columns: Sequence[Column],
    widths: Sequence[int],
    used: Sequence[int],
    cells: Sequence[Cell],
    style: Style,
) -> str:
    """Write one line; USED are the columns that each cell fills, painted or not."""
    line = ""
    end = start = 0
    for column, wide, filled, cell in zip(columns, widths, used, cells):
        # Blanks are written only in front of a cell, so none is left at the end.
        if filled:
            begin = start + (wide - filled if column.right else 0)
            line += " " * (begin - end) + style.paint(cell)
            end = begin + filled
        start += wide + len(GAP)
    return line
