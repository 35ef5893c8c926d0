# SPDX-License-Identifier: Apache-2.0
"""`ompd bt`: the logical stack of a thread, with its constructs marked, and those of many merged
into trees."""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

from ..explain.phrases import function_name
from ..model import Region, Thread, is_told
from ..model.stacks import (
    Construct,
    Frames,
    LogicalStack,
    Mark,
    Member,
    Node,
    Place,
    SIGNAL,
    StackFrame,
    Tree,
)
from . import alike_trees, folding
from .style import PLAIN, Role, Span, Style, Text, after, painted, text, wrapped_lines
from .words import ABSENT, line_of, numbered, place, region_heading, state

MARGIN = "    "  # as wide as a frame's number


def lines(
    stack: LogicalStack,
    thread: Optional[Thread],
    style: Style = PLAIN,
    *,
    full: bool = False,
    prefix: str = "",
) -> Iterator[str]:
    """Show STACK. FULL shows the frames of the runtime and those that only call
    another one.

    Frames have GDB's numbers in their thread, which is named where it is another one:
    "GDB 3 #7". THREAD tells what a thread does that is in the runtime.
    """
    own = stack.gdb_num
    yield style.paint(text(Span(f"GDB thread {prefix}{own}", Role.TITLE)))
    doing = _doing(stack, thread)
    if doing:
        yield from painted(text(MARGIN, *doing), style, style.width, len(MARGIN) + 4)
    for part in stack.parts:
        if isinstance(part, Mark):
            yield from painted(_mark(part, prefix), style, style.width)
            continue
        for frame in part.frames:
            if full or not frame.hidden:
                thread_of = "" if part.gdb_num == own else f"GDB {prefix}{part.gdb_num} "
                yield from painted(_frame(frame, full, thread_of), style, style.width)
    if stack.ends is not None:
        yield from wrapped_lines(f"({stack.ends})", style.width)
    for note in stack.notes:
        yield from wrapped_lines(note, style.width)


def _doing(stack: LogicalStack, thread: Optional[Thread]) -> Text:
    """Say what the thread does, where its innermost frame is the runtime's."""
    first = stack.parts[0] if stack.parts else None
    if not isinstance(first, Frames) or not all(frame.hidden for frame in first.frames):
        return ()
    if thread is None or not is_told(thread):
        return text("in the OpenMP runtime")
    return state(thread)


def _frame(frame: StackFrame, full: bool, thread_of: str) -> Text:
    """Write a frame as GDB does: its number, function, arguments and line. THREAD_OF names
    the thread where it is another one than that whose stack is shown."""
    number = f"{thread_of}#{frame.number}".ljust(len(MARGIN) - 1) + " "
    if frame.function == SIGNAL:
        return text(number, SIGNAL)
    arguments = ", ".join(f"{name}={value}" for name, value in frame.arguments)
    shown = "" if frame.outlined or (full and frame.hidden) else f" ({arguments})"
    name = Span(function_name(frame) or "??", Role.FUNCTION)
    where = line_of(frame)
    at = () if where and frame.function else text(Span(hex(frame.pc), Role.ADDRESS), " in ")
    library = frame.code.library if frame.function and frame.code and not where else None
    by = text(" from ", Span(library, Role.FILENAME)) if library else after(" at ", where)
    found = " (found by search)" if frame.found_by_search else ""
    return text(number, *at, name, shown, *by, found)


def _mark(mark: Mark, prefix: str) -> Text:
    words = [_title(mark), *after(": ", place(mark))]
    if mark.continued is not None:
        verb = "created" if mark.kind is Construct.TASK else "begun"
        words.append(Span(f"; {verb} by GDB thread {prefix}{mark.continued}"))
    elif mark.kind is Construct.TASK and mark.creator is False:
        words.append(Span("; its creator is on no stack, executed in"))
    return text("--  ", *words)


def _title(mark: Mark) -> Span:
    if mark.kind is Construct.TASK:
        return Span("task", Role.TITLE)
    if mark.kind is Construct.TARGET:
        return Span("target region", Role.TITLE)
    if mark.kind is Construct.UNKNOWN:
        return Span("called by the OpenMP runtime", Role.TITLE)
    if mark.kind is Construct.LEAGUE:
        return Span("league of teams", Role.TITLE)
    facts = ["parallel region" if mark.region is None else f"parallel region {mark.region}"]
    if mark.level is not None:
        facts.append(f"level {mark.level}")
    if mark.team_size is not None:
        who = "?" if mark.thread_num is None else str(mark.thread_num)
        facts.append("serialized" if mark.serialized else f"thread {who} of {mark.team_size}")
    return Span(", ".join(facts), Role.TITLE)


INDENT = "  "
DEEPEST_INDENT = 12  # the threads are written out, so that deeper trees need no more room
WIDEST_LIST = 24


def tree_lines(
    trees: Sequence[Tree],
    style: Style = PLAIN,
    *,
    prefix: str = "",
    selected: Optional[int] = None,
) -> Iterator[str]:
    """Show trees, the outermost frame first; those that are alike as one where all would not fit a
    screen. Threads are written where they part: their numbers in the team and GDB's. ``*`` marks
    the innermost place of the thread that is SELECTED."""
    if not trees:
        yield "There is no thread."
    fold = folding.wanted(None, len(trees))
    below = any(not other.known for other in trees)
    for one in alike_trees.folded(trees, shown) if fold else alike_trees.each(trees):
        yield from painted(_heading(one.regions, one.tree.known), style, style.width)
        for words, margin in _nodes(one, prefix, selected):
            yield from painted(words, style, style.width, margin + 4)
        for line in _left_out(one.tree, prefix, below):
            yield from wrapped_lines(line, style.width)


def _left_out(tree: Tree, prefix: str, below: bool) -> Iterator[str]:
    """Say which members of a team are not in its tree, and why; BELOW tells that the stacks of
    those follow of which no region is known."""
    if tree.missing:
        numbers = [member.gdb_num for member in tree.missing]
        yield f"{INDENT}no stack: {numbered('GDB thread', numbers, prefix)}"
    for code, members in tree.lost:
        threads = numbered("GDB thread", [member.gdb_num for member in members], prefix)
        yield f"{INDENT}the stack ends in {code}, which has no unwind information: {threads}"
    if tree.unplaced:
        numbers = [member.gdb_num for member in tree.unplaced]
        threads = numbered("GDB thread", numbers, prefix)
        where = "see below" if below else "'ompd bt -all' shows them"
        yield f"{INDENT}stack and runtime do not agree ({where}): {threads}"
    region = tree.region
    absent = {thread.thread_num for thread in region.absent} if region is not None else set()
    if absent:
        yield f"{INDENT}{ABSENT}: {numbered('OpenMP thread', absent)}"
    unknown = [number for number in tree.unknown if number not in absent]
    if unknown:
        what = "has not begun" if region is not None and region.starting else "not known to GDB"
        yield f"{INDENT}{what}: {numbered('OpenMP thread', unknown)}"


def _heading(regions: Sequence[Region], known: bool) -> Text:
    if not regions:
        return text(Span("In no region" if known else "Region not known", Role.TITLE))
    return region_heading(regions[0], regions[1:])


def _nodes(
    one: alike_trees.Shown, prefix: str, selected: Optional[int]
) -> Iterator[tuple[Text, int]]:
    """Yield what is written of each node, and in which column its place begins."""
    tree = one.tree
    children = _children(tree.nodes)
    marked = _innermost(tree.nodes, selected)
    depths: list[int] = []
    labels: list[int] = []  # how wide each node's list of threads is
    for number, node in enumerate(tree.nodes):
        parent = node.parent
        around = tree.nodes[parent].members if parent is not None else ()
        parts = parent is None or len(children[parent]) > 1 or len(node.members) < len(around)
        depth = 0 if parent is None else depths[parent] + parts
        label = _label(node.members, prefix) if parts else ""
        labels.append(len(label) if parts or parent is None else labels[parent])
        depths.append(depth)
        margin = INDENT * min(depth, DEEPEST_INDENT)
        marker = "* " if number == marked else "  "
        before = f"{margin}{marker}{label.ljust(labels[number])}  "
        inner = one.inner[number]
        what = text("in " + numbered("region", inner)) if inner else shown(node.place)
        yield text(before, *what), len(before)


def _children(nodes: Sequence[Node]) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in nodes]
    for number, node in enumerate(nodes):
        if node.parent is not None:
            found[node.parent].append(number)
    return found


def _innermost(nodes: Sequence[Node], selected: Optional[int]) -> Optional[int]:
    """Return the last node that the selected thread is in, which is its innermost."""
    found = None
    for number, node in enumerate(nodes):
        if any(member.gdb_num == selected for member in node.members):
            found = number
    return found


def _label(members: Sequence[Member], prefix: str) -> str:
    numbers = prefix + folding.ranges((member.gdb_num for member in members), WIDEST_LIST)
    team = [member.thread_num for member in members if member.thread_num is not None]
    if team:
        return f"{folding.counted(team, WIDEST_LIST)} (GDB {numbers})"
    return f"{len(members)} threads: GDB {numbers}" if numbers.endswith("...") else f"GDB {numbers}"


def shown(spot: Place) -> Text:
    """Write what is at a node."""
    if spot.task:
        return text(Span("task", Role.TITLE))
    if spot.region is not None:
        return text(f"in region {spot.region}")
    if spot.doing is not None:
        known = spot.doing != Thread(0, 0, 0)
        return state(spot.doing) if known else text("in the OpenMP runtime")
    if spot.pc is not None:
        return text(Span(hex(spot.pc), Role.ADDRESS), " in ??")
    return place(spot) or text("??")
