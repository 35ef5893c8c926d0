# SPDX-License-Identifier: Apache-2.0
"""Aligned columns: nothing wider than its widest cell, no blanks at the end."""

from __future__ import annotations

from itertools import chain
from operator import methodcaller
from typing import Any, Iterator, NamedTuple, Optional, Sequence

from .style import (
    Cell,
    PLAIN,
    Role,
    Span,
    Style,
    as_it_is,
    fit,
    shorten_middle,
    text,
    width,
    wrap,
)

GAP = "  "
MARK = "* "
NO_MARK = "  "
NARROW = 16  # a last column with less room than this has its lines below the row
WANTED = 36  # so much of the last column is to fit beside the others
HANG = 6
SHORTEST = 12  # what is cut keeps so much


class Column(NamedTuple):
    """A column's title (may be empty) and on which side its cells are flush.

    What does not fit a screen gives way. Columns with a number in DROPPED are left out, the lowest
    first, then the cells of one that is CUT lose their middles.
    """

    title: str = ""
    right: bool = False
    dropped: int = 0
    cut: bool = False


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

    Columns without any content are left out. MARKER reserves room for the ``*``. Where
    MAX_WIDTH is given, a row that is still too wide goes on below its last cell.
    """
    return chain.from_iterable(of_rows(columns, rows, style, marker=marker, max_width=max_width))


def indented(columns: Sequence[Column], rows: Sequence[Row], style: Style) -> Iterator[str]:
    """Write the same below a heading."""
    room = None if style.width is None else style.width - len(NO_MARK)
    return (NO_MARK + line for line in lines(columns, rows, style, max_width=room))


def of_rows(
    columns: Sequence[Column],
    rows: Sequence[Row],
    style: Style = PLAIN,
    *,
    marker: bool = False,
    max_width: Optional[int] = None,
) -> list[list[str]]:
    """Write each of ROWS as its lines, after the header's if a column has a title."""
    cells = list(zip(*[row.cells for row in rows]))
    marked = [row.marked for row in rows] if marker else None
    return of_columns(columns, cells, marked, style, max_width)


def of_columns(
    columns: Sequence[Column],
    contents: Sequence[Sequence[Cell]],
    marked: Optional[Sequence[bool]],
    style: Style = PLAIN,
    max_width: Optional[int] = None,
) -> list[list[str]]:
    """Write the same of rows that are given by their columns' CONTENTS. MARKED says which have
    the ``*``, None that there is no room for it."""
    kept = [(column, cells) for column, cells in zip(columns, contents) if any(cells)]
    if not kept:
        return []
    titled = any(column.title for column, _ in kept)
    marks = [""] * len(kept[0][1])
    room, offset = max_width, 0
    if marked is not None:
        marks = list(map({True: MARK, False: NO_MARK}.__getitem__, marked))
        offset = len(MARK)
        room = None if room is None else room - offset
    if titled:
        marks.insert(0, "" if marked is None else NO_MARK)
    if room is not None:
        kept = _fitting(kept, titled, room)
    formats: list[str] = []
    filled: list[list[str]] = []
    last_column, last_cells = kept.pop()
    for column, cells in kept:
        words, wide = _painted_column(column, cells, titled, style)
        filled.append(words)
        formats.append(f"%{wide}s" if column.right else f"%-{wide}s")
        offset += wide + len(GAP)
        if room is not None:
            room -= wide + len(GAP)
    below: Optional[list[list[str]]] = None
    if room is None:
        words, wide = _painted_column(last_column, last_cells, titled, style)
        filled.append(words)
        formats.append(f"%{wide}s" if last_column.right else "%s")
    elif room >= min(NARROW, _width(last_column, last_cells, titled)):
        last = _wrapped(last_column, last_cells, titled, style, room)
        filled.append([parts[0] for parts in last])
        formats.append("%s")
        below = [parts[1:] for parts in last]
    else:
        offset = HANG
        wide = max(NARROW, (max_width or 0) - HANG)
        below = _wrapped(last_column, last_cells, False, style, wide)
        below.insert(0, [])
        del below[: 0 if titled else 1]
    row = "%s" + GAP.join(formats)
    # Blanks are written only in front of a cell, so none is left at the end.
    firsts = map(methodcaller("rstrip", " "), map(row.__mod__, zip(marks, *filled)))
    if below is None:
        return list(map(list, zip(firsts)))
    return [
        [first, *(" " * offset + part for part in more if part)]
        for first, more in zip(firsts, below)
    ]


def _fitting(
    kept: list[tuple[Column, Sequence[Cell]]], titled: bool, room: int
) -> list[tuple[Column, Sequence[Cell]]]:
    """Leave out and cut columns until rows have ROOM, if they can; the last column is
    wrapped where it must be, so that it need not fit."""

    def excess() -> int:
        wide = [_width(column, cells, titled) for column, cells in kept]
        wide[-1] = min(wide[-1], WANTED)
        return sum(wide) + len(GAP) * (len(wide) - 1) - room

    for _, column in sorted((c.dropped, c) for c, _ in kept if c.dropped):
        if excess() > 0:
            kept = [(other, cells) for other, cells in kept if other is not column]
    for index, (column, cells) in enumerate(kept):
        over = excess()
        if over > 0 and column.cut:
            limit = max(SHORTEST, _width(column, cells, titled) - over)
            kept[index] = column, tuple(_cut(cell, limit) for cell in cells)
    return kept


def _width(column: Column, cells: Sequence[Cell], titled: bool) -> int:
    return max(len(column.title) if titled else 0, *map(width, cells))


def _cut(cell: Cell, limit: int) -> Cell:
    if width(cell) <= limit:
        return cell
    if isinstance(cell, str):
        return shorten_middle(cell, limit)
    *first, last = cell
    room = limit - width(tuple(first))
    return (*first, Span(shorten_middle(last.text, room), last.role))


def _painted_column(
    column: Column, cells: Sequence[Cell], titled: bool, style: Style
) -> tuple[list[str], int]:
    """Paint CELLS, below the title if TITLED; return them and how wide the widest is. What is
    painted is filled up to it: it has characters that take no room."""
    words: list[Any] = [column.title, *cells] if titled else list(cells)
    if set(map(type, words)) == {str} and (style.title is as_it_is or not titled):
        return words, max(map(len, words))
    fill = str.rjust if column.right else str.ljust
    if titled and column.title:
        words[0] = (Span(column.title, Role.TITLE),)
    # Threads at one place share what is said of it.
    distinct = dict(zip(map(id, words), words))
    painted = {key: (style.paint(cell), width(cell)) for key, cell in distinct.items()}
    wide = max(used for _, used in painted.values())
    filled = {key: fill(word, wide + len(word) - used) for key, (word, used) in painted.items()}
    return list(map(filled.__getitem__, map(id, words))), wide


def _wrapped(
    column: Column, cells: Sequence[Cell], titled: bool, style: Style, room: int
) -> list[list[str]]:
    """Paint CELLS, below the title if TITLED, each in as many lines of ROOM as it takes."""
    known: dict[int, list[str]] = {}
    found = [[style.title(column.title) if column.title else ""]] if titled else []
    for cell in cells:
        if id(cell) not in known:
            words = fit(text(cell) if isinstance(cell, str) else cell, room)
            known[id(cell)] = [style.paint(part) for part in wrap(words, room, 0)]
        found.append(known[id(cell)])
    return found
