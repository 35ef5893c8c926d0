# SPDX-License-Identifier: Apache-2.0
"""Aligned columns: nothing wider than its widest cell, no blanks at the end."""

from __future__ import annotations

from typing import Iterator, NamedTuple, Optional, Sequence, cast

from .style import Cell, PLAIN, Style, fit, width

GAP = "  "
MARK = "* "
NO_MARK = "  "


class Column(NamedTuple):
    """A column's title (may be empty) and on which side its cells are flush."""

    title: str = ""
    right: bool = False


class Row(NamedTuple):
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
    contents = zip(columns, zip(*[row.cells for row in rows]))
    kept = [(column, cells) for column, cells in contents if any(cells)]
    if not kept:
        return
    titled = any(column.title for column, _ in kept)
    marks = [MARK if row.marked else NO_MARK for row in rows] if marker else [""] * len(rows)
    if titled:
        marks.insert(0, NO_MARK if marker else "")
    room = None if max_width is None else max_width - (len(MARK) if marker else 0)
    filled: list[list[str]] = []
    for position, (column, cells) in enumerate(kept):
        last = position + 1 == len(kept)
        lines_of_column, wide = _filled(column, cells, titled, style, room if last else None)
        filled.append(lines_of_column)
        if room is not None:
            room -= wide + len(GAP)
    for mark, *line in zip(marks, *filled):
        # Blanks are written only in front of a cell, so none is left at the end.
        yield (mark + GAP.join(line)).rstrip(" ")


def _filled(
    column: Column, cells: Sequence[Cell], titled: bool, style: Style, room: Optional[int]
) -> tuple[list[str], int]:
    """Paint CELLS, below the title if TITLED, and fill each up to the widest; return them
    and how wide that is. Names that do not fit into ROOM are shortened."""
    fill = str.rjust if column.right else str.ljust
    title, own = column.title, len(column.title) if titled else 0
    if set(map(type, cells)) == {str}:
        words = cast(Sequence[str], cells)
        wide = max(own, *map(len, words))
        filled = [fill(word, wide) for word in words]
    else:
        painted = _painted(cells, style, room)
        wide = max(own, *(used for _, used in painted))
        # What is painted has characters that take no room.
        filled = [fill(word, wide + len(word) - used) for word, used in painted]
    if titled:
        painted_title = style.title(title) if title else ""
        filled.insert(0, fill(painted_title, wide + len(painted_title) - own))
    return filled, wide


def _painted(cells: Sequence[Cell], style: Style, room: Optional[int]) -> list[tuple[str, int]]:
    """Paint CELLS; return each with how wide it is on a terminal."""
    # Threads at one place share what is said of it.
    known: dict[int, tuple[str, int]] = {}
    for cell in cells:
        if id(cell) not in known:
            if room is not None and not isinstance(cell, str) and width(cell) > room:
                shortened = fit(cell, room)
                known[id(cell)] = style.paint(shortened), width(shortened)
            else:
                known[id(cell)] = style.paint(cell), width(cell)
    return [known[id(cell)] for cell in cells]
