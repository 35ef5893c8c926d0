# SPDX-License-Identifier: Apache-2.0
"""Pictures of a stop as SVG, and its graphs in Graphviz's language.

Colours are classes, which the page's style sheet, or ``alone`` for a file, gives their values.
"""

from __future__ import annotations

import math
from html import escape
from typing import Optional, Sequence

from ..errors import printable
from ..explain.report import Graph
from ..model import Region, Snapshot, Thread, ThreadKind
from ..model.stacks import Tree
from . import folding
from .stacks import shown
from .style import plain
from .teams import Teams
from .words import doing, level, place, threads

WIDTH = 960
SIDE, GAP, PAD, LINE = 14, 3, 10, 18
MOST_FRAMES = 4000  # of a flame graph
MOST_NODES = 40  # of a graph: more could not be read
STATES = ("working", "waiting", "idle", "crashed", "running", "other", "unknown")


def said(text: str) -> str:
    """Escape what is the program's."""
    return escape(printable(text), quote=True)


def kind_of(thread: Optional[Thread]) -> str:
    """Return the one of STATES that gives a thread its colour."""
    if thread is None or (thread.error and not thread.running):
        return "unknown"
    if thread.running or thread.signal is not None:
        return "running" if thread.running else "crashed"
    if thread.idle or thread.kind in (ThreadKind.NATIVE, ThreadKind.HELPER):
        return "idle" if thread.idle else "other"
    if thread.waits_for is not None or (thread.state or "").startswith("wait"):
        return "waiting"
    return "unknown" if thread.state is None else "working"


def does(thread: Thread) -> str:
    """Say what a thread does, and where."""
    return plain(doing(thread))


def svg(title: str, height: float, parts: Sequence[str]) -> str:
    """Return a picture with a name for those who do not see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{said(title)}" '
        f'viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" height="{height:.0f}">'
        f'<title>{said(title)}</title>{"".join(parts)}</svg>'
    )


def alone(picture: str, style: str) -> str:
    """Return a picture as a file of its own."""
    return picture.replace("</title>", f"</title><style>{style}</style>", 1) + "\n"


# Regions


def regions(snapshot: Snapshot, prefix: str = "") -> str:
    """Draw the regions as boxes, nested as they are, with a square for each thread."""
    teams = Teams(snapshot)
    parts: list[str] = []
    bottom = float(PAD)
    for region, depth in teams.outer_first():
        members = teams.members(region)
        left = PAD + min(depth, 12) * 2 * PAD
        rows = _squares(
            [(m.gdb_num, m.thread_num, m.thread, m.inner) for m in members],
            left,
            bottom + LINE + PAD,
            prefix,
        )
        height = LINE + 2 * PAD + rows[0]
        where = plain(place(region))
        title = f"Region {region.id}, level {level(region.level, region.active_level)}, "
        title += threads(region.team_size) + (f": {where}" if where else "")
        parts.append(_box(left, bottom, height, title))
        parts += rows[1]
        bottom += height + GAP
    listed = {g for region in snapshot.regions for g in region.threads}
    rest = [(t.gdb_num, None, t, None) for t in snapshot.threads if t.gdb_num not in listed]
    if rest:
        rows = _squares(rest, PAD, bottom + LINE + PAD, prefix)
        parts.append(_box(PAD, bottom, LINE + 2 * PAD + rows[0], "In no region"))
        parts += rows[1]
        bottom += LINE + 2 * PAD + rows[0]
    return svg("Parallel regions and their threads", bottom + PAD, parts)


def _box(left: float, top: float, height: float, title: str) -> str:
    return (
        f'<rect class="box" x="{left}" y="{top}" width="{WIDTH - left - PAD}" height="{height}" '
        f'rx="4"/><text x="{left + PAD}" y="{top + LINE}">{said(title)}</text>'
    )


_Member = tuple[Optional[int], Optional[int], Optional[Thread], Optional[Region]]


def _squares(
    members: Sequence[_Member], left: float, top: float, prefix: str
) -> tuple[float, list[str]]:
    """Return how high the rows of squares are, and these."""
    step = SIDE + GAP
    columns = max(1, int((WIDTH - left - 3 * PAD) // step))
    made: list[str] = []
    for index, (gdb_num, thread_num, thread, inner) in enumerate(members):
        x, y = left + PAD + index % columns * step, top + index // columns * step
        who = f"GDB thread {prefix}{gdb_num}" if gdb_num is not None else "not known to GDB"
        who = who if thread_num is None else f"Thread {thread_num} ({who})"
        what = f"in region {inner.id}" if inner else does(thread) if thread else "unknown"
        kind = f"{kind_of(thread)} inner" if inner else kind_of(thread)
        made.append(
            f'<rect class="{kind}" x="{x:.0f}" y="{y:.0f}" width="{SIDE}" height="{SIDE}">'
            f"<title>{said(f'{who}: {what}')}</title></rect>"
        )
    return (len(members) + columns - 1) // columns * step, made


# Who waits for whom


def waits(graph: Graph) -> str:
    """Draw the graph: nodes on a circle, those of the cycle first and next to each other."""
    nodes = graph.nodes[:MOST_NODES]
    count = len(nodes)
    wide, high = WIDTH / 2 - 170, max(110.0, 26.0 * count / 2)
    spots = [
        (
            WIDTH / 2 + (wide * math.sin(2 * math.pi * n / count) if count > 1 else 0),
            high + 40 - high * math.cos(2 * math.pi * n / count),
        )
        for n in range(count)
    ]
    parts = [
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"/></marker></defs>'
    ]
    for edge in graph.edges:
        if edge.waiter >= count or edge.target >= count:
            continue
        (x1, y1), (x2, y2) = spots[edge.waiter], spots[edge.target]
        # A bent line: two nodes may wait for each other.
        bend_x, bend_y = (x1 + x2) / 2 + (y1 - y2) * 0.18, (y1 + y2) / 2 + (x2 - x1) * 0.18
        cycle = "edge cycle" if edge.cycle else "edge"
        end_y = y2 + (14 if bend_y > y2 else -14)
        parts.append(
            f'<path class="{cycle}" d="M{x1:.0f} {y1:.0f}Q{bend_x:.0f} {bend_y:.0f} '
            f'{x2:.0f} {end_y:.0f}" marker-end="url(#arrow)"><title>{said(edge.text)}</title></path>'
            f'<text class="small" text-anchor="middle" x="{(x1 + x2) / 4 + bend_x / 2:.0f}" '
            f'y="{(y1 + y2) / 4 + bend_y / 2:.0f}">{said(_cut(edge.text, 40))}</text>'
        )
    for (x, y), node in zip(spots, nodes):
        shown = _cut(node.text, 46)
        room = 7.2 * len(shown) + 14
        left = min(max(x - room / 2, 2), WIDTH - room - 2)
        cycle = "node cycle" if node.cycle else "node"
        parts.append(
            f'<rect class="{cycle}" x="{left:.0f}" y="{y - 13:.0f}" width="{room:.0f}" height="26" '
            f'rx="5"><title>{said(node.text)}</title></rect>'
            f'<text text-anchor="middle" x="{left + room / 2:.0f}" y="{y + 5:.0f}">{said(shown)}</text>'
        )
    return svg("Who waits for whom", 2 * high + 80, parts)


def _cut(text: str, limit: int) -> str:
    text = printable(text)
    return text if len(text) <= limit else text[: limit - 1] + "\u2026"


# Stacks


def flames(trees: Sequence[Tree]) -> str:
    """Draw the merged stacks, outermost frames on top, each as wide as it has threads."""
    total = sum(_count(tree) for tree in trees) or 1
    parts: list[str] = []
    left, bottom, drawn = 0.0, 0, 0
    for tree in trees:
        own = _count(tree)
        starts: list[float] = []
        used: list[float] = []  # by node: how much its children have taken
        depths: list[int] = []
        root_used = 0.0
        title = "In no region" if tree.region is None else f"Region {tree.region.id}"
        parts.append(_frame(left, 0, own / total * WIDTH, f"{title}: {threads(own)}", "root"))
        for node in tree.nodes:
            wide = len(node.members) / total * WIDTH
            if node.parent is None:
                start, depth = left + root_used, 1
                root_used += wide
            else:
                start, depth = starts[node.parent] + used[node.parent], depths[node.parent] + 1
                used[node.parent] += wide
            starts.append(start)
            used.append(0.0)
            depths.append(depth)
            if drawn < MOST_FRAMES:
                drawn += 1
                bottom = max(bottom, depth)
                name = plain(shown(node.place))
                parts.append(
                    _frame(
                        start,
                        depth,
                        wide,
                        f"{name}: {threads(len(node.members))}",
                        _hue(name),
                    )
                )
        left += own / total * WIDTH
    return svg("Merged stacks", (bottom + 1) * (LINE + 1) + 2, parts)


def _count(tree: Tree) -> int:
    return sum(len(node.members) for node in tree.nodes if node.parent is None)


def _frame(left: float, depth: int, wide: float, text: str, kind: str) -> str:
    top = depth * (LINE + 1)
    shown = _cut(text.rpartition(": ")[0], max(1, int(wide / 7.2)))
    words = (
        f'<text class="small" x="{left + 3:.1f}" y="{top + 13}">{said(shown)}</text>'
        if wide > 30
        else ""
    )
    return (
        f'<rect class="{kind}" x="{left:.1f}" y="{top}" width="{max(wide - 0.4, 0.3):.1f}" '
        f'height="{LINE}"><title>{said(text)}</title></rect>{words}'
    )


def _hue(name: str) -> str:
    return f"flame{sum(name.encode('utf-8', 'surrogateescape')) % 6}"


# Graphviz


def dot_of_waits(graph: Graph) -> str:
    """Return the graph of waits in Graphviz's language."""
    lines = ["digraph waits {", "  node [shape=box];"]
    for number, node in enumerate(graph.nodes):
        color = ', color="red"' if node.cycle else ""
        lines.append(f"  n{number} [label={_quoted(node.text)}{color}];")
    for edge in graph.edges:
        color = ', color="red"' if edge.cycle else ""
        lines.append(f"  n{edge.waiter} -> n{edge.target} [label={_quoted(edge.text)}{color}];")
    return "\n".join([*lines, "}"]) + "\n"


def dot_of_regions(snapshot: Snapshot) -> str:
    """Return the tree of regions in Graphviz's language."""
    lines = ["digraph regions {", "  node [shape=box];"]
    for region in snapshot.regions:
        where = plain(place(region))
        numbers = folding.ranges(n for n in region.threads if n is not None)
        text = f"Region {region.id}: {where}, GDB threads {numbers}"
        lines.append(f"  r{region.id} [label={_quoted(text)}];")
        if region.parent is not None:
            lines.append(f"  r{region.parent} -> r{region.id};")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    safe = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{safe}"'
