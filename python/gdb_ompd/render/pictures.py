# SPDX-License-Identifier: Apache-2.0
"""Parts of pictures in SVG, the merged stacks as one, and the regions in Graphviz's language.

Colours are classes, which the page's style sheet, or ``alone`` for a file, gives their values.
"""

from __future__ import annotations

from html import escape
from typing import Optional, Sequence

from ..errors import printable
from ..model import Snapshot, Thread, ThreadKind
from ..model.stacks import Tree
from . import folding
from .stacks import shown
from .style import plain
from .words import doing, place, threads

WIDTH = 960
SIDE, GAP, PAD, LINE = 14, 3, 10, 18
MOST_FRAMES = 4000  # of a flame graph
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


def cut(text: str, limit: int) -> str:
    """Return a text as one that is at most LIMIT characters long."""
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
    shown = cut(text.rpartition(": ")[0], max(1, int(wide / 7.2)))
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


def dot_of_regions(snapshot: Snapshot) -> str:
    """Return the tree of regions in Graphviz's language."""
    lines = ["digraph regions {", "  node [shape=box];"]
    for region in snapshot.regions:
        where = plain(place(region))
        numbers = folding.ranges(n for n in region.threads if n is not None)
        text = f"Region {region.id}: {where}, GDB threads {numbers}"
        lines.append(f"  r{region.id} [label={quoted(text)}];")
        if region.parent is not None:
            lines.append(f"  r{region.parent} -> r{region.id};")
    return "\n".join([*lines, "}"]) + "\n"


def quoted(text: str) -> str:
    """Write a text in Graphviz's language."""
    safe = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{safe}"'
