# SPDX-License-Identifier: Apache-2.0
"""A picture of the regions: boxes, nested as they are, with a square for each thread."""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence

from ..model import Region, Snapshot, Thread
from .pictures import GAP, LINE, PAD, SIDE, WIDTH, cut, does, kind_of, said, svg
from .style import plain
from .teams import Teams
from .words import level, place, threads

NUMBERED = 24  # the side of a square that has room for a number
MOST_NUMBERED = 256  # threads of a team: squares of more are small
MOST_TITLED = 48  # regions: of more the boxes say their numbers only
LETTER = 7.3
DEEPEST = 12  # level whose box is narrower than that around it


class _Box(NamedTuple):
    """A box and what is in it, drawn from its own corner."""

    wide: float
    high: float
    parts: list[str]


class _Square(NamedTuple):
    """A thread of a team, or of none."""

    gdb_num: Optional[int]
    thread_num: Optional[int]
    thread: Optional[Thread]
    inner: Optional[Region] = None


def regions(snapshot: Snapshot, prefix: str = "") -> str:
    """Draw the regions. PREFIX is the inferior's, before GDB's numbers of threads."""
    teams = Teams(snapshot)
    ordered = list(teams.outer_first())
    few = len(ordered) <= MOST_TITLED
    made: dict[int, _Box] = {}
    for region, depth in reversed(ordered):  # the inner ones first
        inside = [made.pop(inner.id) for inner in teams.children(region)]
        members = [
            _Square(m.gdb_num, m.thread_num, m.thread, m.inner) for m in teams.members(region)
        ]
        room = WIDTH - 2 * PAD * (1 + min(depth, DEEPEST))
        made[region.id] = _box(_titles(region, few), members, inside, room, prefix)
    listed = {g for region in snapshot.regions for g in region.threads}
    rest = [_Square(t.gdb_num, None, t) for t in snapshot.threads if t.gdb_num not in listed]
    boxes = list(reversed(made.values()))
    boxes += [_box(["In no region"], rest, [], WIDTH - 2 * PAD, prefix)] if rest else []
    packed = _packed(boxes, WIDTH - 2 * PAD)
    return svg("Parallel regions and their threads", packed.high + 2 * PAD, _at(PAD, PAD, packed))


def _titles(region: Region, few: bool) -> list[str]:
    where = plain(place(region))
    size = f"level {level(region.level, region.active_level)}, {threads(region.team_size)}"
    if few:
        return [f"Region {region.id}, {size}", where] if where else [f"Region {region.id}, {size}"]
    return [f"Region {region.id}"]


def _box(
    titles: Sequence[str],
    members: Sequence[_Square],
    inside: Sequence[_Box],
    room: float,
    prefix: str,
) -> _Box:
    """Draw a box around squares and other boxes, at most as wide as ROOM."""
    squares = _squares(members, room - 2 * PAD, prefix)
    packed = _packed(inside, room - 2 * PAD)
    words = max(len(title) for title in titles) * LETTER
    wide = min(room, max(words, squares.wide, packed.wide) + 2 * PAD)
    below = PAD + LINE * len(titles)
    high = below + squares.high + (packed.high + PAD if inside else 0) + PAD
    parts = [f'<rect class="box" width="{wide:.0f}" height="{high:.0f}" rx="4"/>']
    for number, title in enumerate(titles, 1):
        shown = said(cut(title, int((wide - PAD) / LETTER)))
        parts.append(
            f'<text x="{PAD}" y="{number * LINE}">{shown}<title>{said(title)}</title></text>'
        )
    parts += _at(PAD, below, squares)
    parts += _at(PAD, below + squares.high + PAD, packed) if inside else []
    return _Box(wide, high, parts)


def _packed(boxes: Sequence[_Box], room: float) -> _Box:
    """Put boxes side by side, in as many rows as they need."""
    parts: list[str] = []
    left = top = high = wide = 0.0
    for box in boxes:
        if left and left + box.wide > room:
            left, top, high = 0.0, top + high + PAD, 0.0
        parts += _at(left, top, box)
        left, high = left + box.wide + PAD, max(high, box.high)
        wide = max(wide, left - PAD)
    return _Box(wide, top + high, parts)


def _at(left: float, top: float, box: _Box) -> list[str]:
    return [f'<g transform="translate({left:.0f} {top:.0f})">', *box.parts, "</g>"]


def _squares(members: Sequence[_Square], room: float, prefix: str) -> _Box:
    side = NUMBERED if len(members) <= MOST_NUMBERED else SIDE
    step = side + GAP
    columns = max(1, int((room + GAP) // step))
    parts: list[str] = []
    for index, member in enumerate(members):
        parts += _square(member, index % columns * step, index // columns * step, side, prefix)
    rows = -(-len(members) // columns)
    return _Box(min(len(members), columns) * step - GAP, rows * step - GAP, parts)


def _square(member: _Square, x: int, y: int, side: int, prefix: str) -> list[str]:
    gdb_num, number, thread, inner = member
    who = f"GDB thread {prefix}{gdb_num}" if gdb_num is not None else "not known to GDB"
    who = who if number is None else f"Thread {number} ({who})"
    what = f"in region {inner.id}" if inner else does(thread) if thread else "unknown"
    kind = f"{kind_of(thread)} inner" if inner else kind_of(thread)
    parts = [
        f'<rect class="{kind}" x="{x}" y="{y}" width="{side}" height="{side}">'
        f"<title>{said(f'{who}: {what}')}</title></rect>"
    ]
    shown = gdb_num if number is None else number
    if side == NUMBERED and shown is not None and shown < 1000:
        parts.append(
            f'<text class="number" text-anchor="middle" x="{x + side / 2:.0f}" y="{y + 16}">'
            f"{shown}</text>"
        )
    return parts
