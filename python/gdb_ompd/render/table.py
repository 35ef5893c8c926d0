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
    marks = [MARK if row.marked else NO_MARK for row in rows] if marker else [""] * len(rows)
    titles: list[Cell] = [text(Span(columns[i].title, Role.TITLE)) for i in kept]
    if any(titles):
        marks.insert(0, NO_MARK if marker else "")
    room = None if max_width is None else max_width - (len(MARK) if marker else 0)
    padded: list[list[str]] = []
    for i, title in zip(kept, titles):
        cells = [row.cells[i] for row in rows]
        if any(titles):
            cells.insert(0, title)
        used = list(map(width, cells))
        wide = max(used)
        if room is not None:
            if i == kept[-1]:
                cells, used = _fitted(cells, used, room)
            room -= wide + len(GAP)
        padded.append(_padded(cells, used, wide, columns[i].right, style))
    for mark, *line in zip(marks, *padded):
        # Blanks are written only in front of a cell, so none is left at the end.
        yield (mark + GAP.join(line)).rstrip(" ")


def _fitted(cells: Sequence[Cell], used: Sequence[int], room: int) -> tuple[list[Cell], list[int]]:
    """Shorten the names in the CELLS that are too wide, and say how wide all are then."""
    fitted = [
        fit(cell, room) if filled > room and not isinstance(cell, str) else cell
        for cell, filled in zip(cells, used)
    ]
    return fitted, list(map(width, fitted))


def _padded(
    cells: Sequence[Cell], used: Sequence[int], wide: int, right: bool, style: Style
) -> list[str]:
    """Paint CELLS and fill each up to the column; USED is what each fills, painted or not."""
    found, known = [], dict[int, str]()
    for cell, filled in zip(cells, used):
        # Threads at one place share what is said of it.
        painted = cell if isinstance(cell, str) else known.get(id(cell))
        if painted is None:
            painted = known[id(cell)] = style.paint(cell)
        size = wide + len(painted) - filled
        found.append(painted.rjust(size) if right else painted.ljust(size))
    return found
