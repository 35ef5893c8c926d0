# SPDX-License-Identifier: Apache-2.0
"""The stacks of many threads as trees: one for each team, the outermost frame on
top, what is common to several threads said once."""

from __future__ import annotations

from typing import Optional, Sequence

from ..model import Region, Thread, is_told
from ..model.stacks import Construct, Member, Node, Place, Segment, StackFrame, Tree, ends_in
from .teams import LogicalFacts, Placed


class _Building:
    """A node while threads are put into it."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.members: list[Member] = []
        self.children: dict[Place, "_Building"] = {}


class _Merger:
    """Puts threads into one tree."""

    def __init__(self) -> None:
        self.root = _Building(Place())
        self.missing: list[Member] = []
        self.unplaced: list[Member] = []
        self.unknown: list[int] = []
        self.lost: dict[str, list[Member]] = {}

    def add(self, member: Member, path: Sequence[Place], lost_in: Optional[str] = None) -> None:
        """Add a thread by what it has on its stack, outermost first. LOST_IN says which code
        without unwind information that ends in."""
        if lost_in is not None:
            self.lost.setdefault(lost_in, []).append(member)
        if not path:
            self.missing.append(member)
        node = self.root
        for place in path:
            if place not in node.children:
                node.children[place] = _Building(place)
            node = node.children[place]
            node.members.append(member)

    def tree(self, region: Optional[Region], known: bool = True) -> Tree:
        """Return the tree. A stack can be deeper than Python's own."""
        nodes: list[Node] = []
        left: list[tuple[_Building, Optional[int]]] = []
        left += [(child, None) for child in reversed(self.root.children.values())]
        while left:
            building, parent = left.pop()
            nodes.append(Node(building.place, tuple(building.members), parent))
            number = len(nodes) - 1
            left += [(child, number) for child in reversed(building.children.values())]
        unplaced, unknown = tuple(self.unplaced), tuple(self.unknown)
        lost = tuple((code, tuple(members)) for code, members in self.lost.items())
        return Tree(region, tuple(nodes), tuple(self.missing), known, unplaced, unknown, lost)


def trees(facts: LogicalFacts, only: Optional[int] = None) -> tuple[Tree, ...]:
    """Return the tree of every region, parents before children, and of the threads
    that are in none; with ONLY that region's alone."""
    snapshot = facts.snapshot
    if snapshot is None:
        return ()
    threads = {thread.gdb_num: thread for thread in snapshot.threads}
    found = [
        _of_region(facts, region, threads)
        for region in snapshot.regions
        if only in (None, region.id)
    ]
    if only is not None:
        return tuple(found)
    missing = {member.gdb_num for tree in found for member in tree.missing}
    others = [t for t in snapshot.threads if not (_is_placed(facts, t) or t.gdb_num in missing)]
    outside = [t.gdb_num for t in others if t.region is None and t.error is None]
    unknown = [t.gdb_num for t in others if t.gdb_num not in outside]
    return (*found, *_outside(facts, outside), *plain_tree(facts, unknown))


def plain_tree(facts: LogicalFacts, gdb_nums: Sequence[int]) -> tuple[Tree, ...]:
    """Return one tree of these threads, of which no region is known."""
    return _outside(facts, gdb_nums, False)


def _is_placed(facts: LogicalFacts, thread: Thread) -> bool:
    """Tell whether each segment of the thread's stack is in a known region."""
    placed = facts.placed(thread.gdb_num)
    return placed is not None and placed.matched and any(placed.regions)


def _has_stack(placed: Placed) -> bool:
    """Tell whether anything is known of a thread's stack: not if it has no registers."""
    return bool(placed.segments or placed.stack.inside)


def _of_region(facts: LogicalFacts, region: Region, threads: dict[int, Thread]) -> Tree:
    merger = _Merger()
    for thread_num, gdb_num in enumerate(region.threads):
        thread = threads.get(gdb_num) if gdb_num is not None else None
        if thread is None:
            merger.unknown.append(thread_num)
            continue
        placed = facts.placed(thread.gdb_num)
        if placed is None or not _has_stack(placed):
            merger.missing.append(Member(thread.gdb_num, thread_num))
        elif _is_placed(facts, thread):
            path = _path(facts, placed, region)
            merger.add(Member(thread.gdb_num, thread_num), path, ends_in(placed.stack))
        else:
            merger.unplaced.append(Member(thread.gdb_num, thread_num))
    return merger.tree(region)


def _outside(facts: LogicalFacts, gdb_nums: Sequence[int], known: bool = True) -> tuple[Tree, ...]:
    merger = _Merger()
    for gdb_num in gdb_nums:
        placed = facts.placed(gdb_num)
        if placed is None:
            merger.add(Member(gdb_num), [])
        else:
            merger.add(Member(gdb_num), _whole_path(facts, placed), ends_in(placed.stack))
    return (merger.tree(None, known),) if gdb_nums else ()


def _path(facts: LogicalFacts, placed: Placed, region: Region) -> list[Place]:
    """Return a thread's frames in a region, outermost first: as far as a region that
    it has begun in it."""
    inside = [n for n, own in enumerate(placed.regions) if own is not None and own.id == region.id]
    path = [place for n in reversed(inside) for place in _of_segment(placed.segments[n])]
    outermost = placed.regions[-1] if placed.stack.is_lost and not inside else None
    if outermost is not None:
        return [Place(region=outermost.id)]
    if inside and inside[0] > 0:
        inner = placed.regions[inside[0] - 1]
        return [*path, Place(region=inner.id if inner else None)]
    return [*path, *_doing(facts, placed)]


def _whole_path(facts: LogicalFacts, placed: Placed) -> list[Place]:
    path = [place for segment in reversed(placed.segments) for place in _of_segment(segment)]
    return [*path, *_doing(facts, placed)]


def _of_segment(segment: Segment) -> list[Place]:
    """Return a segment's frames, outermost first."""
    task = segment.boundary is not None and segment.boundary.kind is Construct.TASK
    shown = (frame for frame in reversed(segment.frames) if not frame.hidden)
    frames = [_of_frame(frame) for frame in shown]
    return [Place(task=True), *frames] if task else frames


def _of_frame(frame: StackFrame) -> Place:
    """Return where a frame is: threads are at one place without source where they are in one
    function and, in code of no file, where they are at one address."""
    code = frame.code if frame.line is None else None
    pc = frame.pc if frame.function is None and frame.file is None and code is None else None
    return Place(frame.function, frame.file, frame.line, pc=pc, code=code)


def _doing(facts: LogicalFacts, placed: Placed) -> list[Place]:
    """Say what a thread does whose innermost frames are the runtime's."""
    waits = bool(placed.segments) and not placed.segments[0].frames
    if not (placed.stack.inside or waits):
        return []
    thread = facts.thread(placed.stack.gdb_num)
    if thread is None or not is_told(thread):
        return [Place(doing=Thread(0, 0, 0))]
    said = {key: getattr(thread, key) for key in ("kind", "idle", "state", "waits_for", "outside")}
    return [Place(doing=Thread(0, 0, 0, **said))]
