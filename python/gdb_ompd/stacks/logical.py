# SPDX-License-Identifier: Apache-2.0
"""The logical stack of a thread: its own frames, then those of the code that began
its region or created its task, on whichever thread that is."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from ..model import Location, Region, Task, TaskKind, Thread, ThreadKind, place_in
from ..model.stacks import (
    Boundary,
    Construct,
    Frames,
    LogicalStack,
    Mark,
    Part,
    Segment,
    ends_in,
)
from .teams import LogicalFacts, Placed

MAX_PARTS = 10_000
MORE = "More stack frames follow..."


class _At(NamedTuple):
    """A segment of a thread's stack, by its index, and the task whose frames it holds."""

    gdb_num: int
    segment: int
    task: Optional[Task]


class _Walk:
    def __init__(self, facts: LogicalFacts) -> None:
        self.facts = facts
        self.parts: list[Part] = []
        self.ends: Optional[str] = None
        self.notes: list[str] = []


def logical_stack(facts: LogicalFacts, gdb_num: int) -> LogicalStack:
    """Return the logical stack of a thread, which must be stopped."""
    walk = _Walk(facts)
    placed = facts.placed(gdb_num)
    if placed is None:
        return LogicalStack(gdb_num, (), "the thread is running")
    if placed.stack.inside:
        walk.parts.append(Frames(gdb_num, placed.stack.inside))
    at: Optional[_At] = _At(gdb_num, 0, _first_task(facts, placed)) if placed.segments else None
    while at is not None and len(walk.parts) < MAX_PARTS:
        at = _step(walk, at)
    notes = facts.snapshot.notes if facts.snapshot else ()
    ends = walk.ends or _lost(facts.thread(gdb_num), walk.parts)
    return LogicalStack(gdb_num, tuple(walk.parts), ends, (*walk.notes, *notes))


def _lost(thread: Optional[Thread], parts: list[Part]) -> Optional[str]:
    """Say of a thread that it is in more regions than its stack shows: in optimised code a
    function that ends with a construct leaves no frame."""
    level = thread.level if thread is not None else None
    shown = sum(isinstance(part, Mark) and part.kind is Construct.REGION for part in parts)
    if level is None or shown >= level:
        return None
    return f"{shown} of {level} regions show in the stack"


def _first_task(facts: LogicalFacts, placed: Placed) -> Optional[Task]:
    """Return the task whose frames are innermost, None where stack and runtime differ."""
    boundaries = (segment.boundary for segment in placed.segments)
    boundary = next((b for b in boundaries if b is None or b.kind is not Construct.TARGET), None)
    chain = facts.chain_of(placed.stack.gdb_num) if placed.matched else ()
    if not chain:
        return None
    expected = {
        Construct.TASK: TaskKind.EXPLICIT,
        Construct.REGION: TaskKind.IMPLICIT,
        Construct.LEAGUE: TaskKind.INITIAL,
    }.get(boundary.kind if boundary else Construct.UNKNOWN)
    if expected is None and boundary is not None:
        return None
    if _is_inlined(chain[0], placed.segments[0]):
        return chain[0]
    return chain[0] if chain[0].kind is (expected or TaskKind.INITIAL) else None


def _is_inlined(task: Optional[Task], segment: Segment) -> bool:
    """Tell whether a task has no frame of its own in a SEGMENT that it is in. The compiler has put
    an undeferred one into its creator's function, and no debug information says so."""
    if task is None or task.kind is not TaskKind.EXPLICIT:
        return False
    boundary = segment.boundary
    is_task = boundary is not None and boundary.kind not in (Construct.REGION, Construct.LEAGUE)
    return not is_task and bool(segment.frames) and segment.frames[-1].line is None


def _step(walk: _Walk, at: _At) -> Optional[_At]:
    """Write a segment and what begins it; return where the stack goes on."""
    placed = walk.facts.placed(at.gdb_num)
    if placed is None:
        walk.ends = f"GDB thread {at.gdb_num} is running"
        return None
    segment = placed.segments[at.segment]
    if segment.frames:
        walk.parts.append(Frames(at.gdb_num, segment.frames))
    while at.task is not None and _is_inlined(at.task, segment):
        walk.parts.append(Mark(Construct.TASK, at.gdb_num, creator=True, **place_in(at.task)))
        at = at._replace(task=_generating(walk.facts, at))
    boundary = segment.boundary
    if boundary is None and placed.stack.is_lost:
        return _beyond(walk, at, placed)
    if boundary is None:
        if not placed.stack.complete:
            walk.ends = f"the stack of GDB thread {at.gdb_num} cannot be unwound further"
        return None
    if boundary.kind is Construct.REGION:
        return _through_region(walk, at, placed, boundary)
    if boundary.kind is Construct.LEAGUE:
        return _through_league(walk, at, boundary)
    return _through_task(walk, at, placed, boundary)


def _beyond(walk: _Walk, at: _At, placed: Placed) -> Optional[_At]:
    """Go on behind code without unwind information, by the region that the runtime tells."""
    walk.notes.append(
        f"GDB thread {at.gdb_num}'s stack ends in {ends_in(placed.stack)}, which has no unwind"
        " information: what has called that is not known."
    )
    if placed.regions[at.segment] is None:
        walk.ends = f"the stack of GDB thread {at.gdb_num} cannot be unwound further"
        return None
    return _through_region(walk, at, placed, Boundary(Construct.REGION, bottom=True))


def _through_region(walk: _Walk, at: _At, placed: Placed, boundary: Boundary) -> Optional[_At]:
    region = placed.regions[at.segment]
    if not boundary.bottom:
        _write(walk, _region_mark(at, region, boundary, None), boundary)
        return _At(at.gdb_num, at.segment + 1, _generating(walk.facts, at))
    primary = region.threads[0] if region is not None and region.threads else None
    of_primary = walk.facts.placed(primary) if primary is not None else None
    index = of_primary.begun(region.id) if of_primary is not None and region is not None else None
    if primary is None or index is None:
        _write(walk, _region_mark(at, region, boundary, None), boundary)
        walk.ends = _why_not(walk.facts, primary)
        return None
    _write(walk, _region_mark(at, region, boundary, primary), boundary)
    return _At(primary, index, _generating(walk.facts, at))


def _through_league(walk: _Walk, at: _At, boundary: Boundary) -> Optional[_At]:
    # Of a region inside, LLVM's runtime may have no other task for the initial one of the team.
    is_initial = at.task is not None and at.task.kind is TaskKind.INITIAL
    task = _generating(walk.facts, at) if is_initial else at.task
    place, below = boundary.place, _At(at.gdb_num, at.segment + 1, task)
    begun = _begin_of_league(walk.facts, at.gdb_num) if boundary.bottom else (place, below)
    if begun is not None:
        place, below = begun
    by = below.gdb_num if below.gdb_num != at.gdb_num else None
    mark = Mark(Construct.LEAGUE, at.gdb_num, continued=by, **place_in(place))
    _write(walk, mark, boundary)
    if begun is None:
        walk.ends = "which thread began the league is not known"
        return None
    return below


def _begin_of_league(facts: LogicalFacts, gdb_num: int) -> Optional[tuple[Optional[Location], _At]]:
    """Return where the league of a thread was begun, by one that executes a team of it, too."""
    thread = facts.thread(gdb_num)
    league = thread.league if thread is not None else None
    for one in facts.snapshot.threads if facts.snapshot and league else ():
        placed = facts.placed(one.gdb_num) if one.league == league else None
        for index, segment in enumerate(placed.segments if placed else ()):
            boundary = segment.boundary
            if boundary is not None and boundary.kind is Construct.LEAGUE and not boundary.bottom:
                return boundary.place, _At(one.gdb_num, index + 1, None)
    return None


def _why_not(facts: LogicalFacts, primary: Optional[int]) -> str:
    if facts.snapshot is None:
        return "which thread began the region is not known"
    if primary is None:
        return "the thread that began the region is not known"
    return f"where GDB thread {primary} began the region does not show in its stack"


def _through_task(walk: _Walk, at: _At, placed: Placed, boundary: Boundary) -> Optional[_At]:
    """Go on in the task's creator; where that is on no stack, below the task."""
    below = at.segment + 1 < len(placed.segments)
    scheduling = _scheduling(walk.facts, at, placed)
    creator = _creator(walk.facts, at, scheduling)
    if boundary.kind in (Construct.UNKNOWN, Construct.TARGET):
        is_target = boundary.kind is Construct.TARGET
        place = _target_place(walk.facts, at, placed, boundary) if is_target else {}
        _write(walk, Mark(boundary.kind, at.gdb_num, **place), boundary)
        if not below:
            walk.ends = "who called this through the OpenMP runtime is not known"
        return _At(at.gdb_num, at.segment + 1, at.task) if below else None
    moved = creator is not None and creator.gdb_num != at.gdb_num
    is_told = at.task is not None and at.task.line is not None
    mark = Mark(
        Construct.TASK,
        at.gdb_num,
        continued=creator.gdb_num if creator is not None and moved else None,
        creator=None if at.task is None else creator is not None,
        **place_in(at.task if is_told else boundary.construct or at.task),
    )
    _write(walk, mark, boundary)
    if creator is not None:
        return creator
    if not below:
        is_known = "is on no thread's stack" if at.task is not None else "is not known"
        walk.ends = f"the task's creator {is_known}"
        return None
    return _At(at.gdb_num, at.segment + 1, scheduling)


def _target_place(
    facts: LogicalFacts, at: _At, placed: Placed, boundary: Boundary
) -> dict[str, Any]:
    """Return the place of the target construct that a segment is the region of. Of the thread's
    innermost one it is known; the call can have the line of a construct in it."""
    thread = facts.thread(at.gdb_num)
    target = thread.target if thread is not None else None
    inner = (segment.boundary for segment in placed.segments[: at.segment])
    is_innermost = all(one is None or one.kind is not Construct.TARGET for one in inner)
    if target is None or target.file is None or not (target.executes and is_innermost):
        return place_in(boundary.construct or boundary.place)
    return place_in(target)


def _write(walk: _Walk, mark: Mark, boundary: Boundary) -> None:
    if boundary.runtime:
        walk.parts.append(Frames(mark.gdb_num, boundary.runtime))
    walk.parts.append(mark)


def _region_mark(
    at: _At, region: Optional[Region], boundary: Boundary, continued: Optional[int]
) -> Mark:
    if region is None:
        return Mark(Construct.REGION, at.gdb_num, **place_in(boundary.place))
    numbers = [n for n, gdb_num in enumerate(region.threads) if gdb_num == at.gdb_num]
    return Mark(
        Construct.REGION,
        at.gdb_num,
        region=region.id,
        level=region.level,
        thread_num=numbers[0] if numbers else None,
        team_size=region.team_size,
        serialized=region.serialized,
        continued=continued,
        **place_in(region),
    )


# Tasks


def _chain_after(facts: LogicalFacts, task: Optional[Task], depth: Optional[int]) -> Optional[Task]:
    if task is None or task.kind is None or depth is None:
        return None  # where in the chain a task is that has no kind is not known
    chain = facts.chain_of(task.gdb_num)
    return chain[depth] if depth < len(chain) else None


def _generating(facts: LogicalFacts, at: _At) -> Optional[Task]:
    return _chain_after(facts, at.task, at.task.generating if at.task else None)


def _scheduling(facts: LogicalFacts, at: _At, placed: Placed) -> Optional[Task]:
    """Return the task below a task on its own thread's stack."""
    found = _chain_after(facts, at.task, at.task.scheduling if at.task else None)
    own_boundary = placed.segments[at.segment].boundary
    if found is None and own_boundary is not None and own_boundary.in_creator:
        return _generating(facts, at)
    if found is not None or at.segment + 1 >= len(placed.segments):
        return found
    boundary = placed.segments[at.segment + 1].boundary
    region = placed.regions[at.segment]
    if boundary is None or boundary.kind is not Construct.REGION or region is None:
        return None
    own = (t for t in facts.implicit_tasks_of(region.id) if t.gdb_num == at.gdb_num)
    return next(own, None)


def _creator(facts: LogicalFacts, at: _At, scheduling: Optional[Task]) -> Optional[_At]:
    """Return where the creator of a task is now, None where that is not known."""
    creator = _generating(facts, at)
    if creator is None:
        return None
    if scheduling is not None and scheduling.task_id == creator.task_id:
        return _At(at.gdb_num, at.segment + 1, creator)
    if creator.kind is TaskKind.IMPLICIT:
        return _implicit_creator(facts, at, creator)
    return _on_any_stack(facts, creator)


def _implicit_creator(facts: LogicalFacts, at: _At, creator: Task) -> Optional[_At]:
    placed = facts.placed(at.gdb_num)
    region = placed.regions[at.segment] if placed is not None else None
    if region is None:
        return None
    for task in facts.implicit_tasks_of(region.id):
        if task.task_id == creator.task_id:
            other = facts.placed(task.gdb_num)
            index = other.body(region.id) if other is not None else None
            return _At(task.gdb_num, index, creator) if index is not None else None
    return None


def _on_any_stack(facts: LogicalFacts, creator: Task) -> Optional[_At]:
    """Look for an explicit or initial task among those that threads execute, or have
    suspended to execute another."""
    for thread in facts.snapshot.threads if facts.snapshot else ():
        if thread.level is None:
            continue
        placed = facts.placed(thread.gdb_num)
        if placed is None or not placed.segments:
            continue
        task = _first_task(facts, placed)
        for index in range(len(placed.segments)):
            if task is None:
                break
            if task.task_id == creator.task_id:
                return _At(thread.gdb_num, index, creator)
            task = _next_task(facts, _At(thread.gdb_num, index, task), placed)
    return None


def _next_task(facts: LogicalFacts, at: _At, placed: Placed) -> Optional[Task]:
    boundary = placed.segments[at.segment].boundary
    if boundary is None or boundary.kind is Construct.UNKNOWN:
        return None
    if boundary.kind is Construct.TARGET:
        return at.task
    if boundary.kind is Construct.TASK:
        return _scheduling(facts, at, placed)
    return None if boundary.bottom else _generating(facts, at)


def some_frames(stack: LogicalStack, count: int, hidden: bool) -> LogicalStack:
    """Return the COUNT innermost frames of STACK, or the outermost ones if COUNT is
    negative, with the marks between them. HIDDEN tells whether hidden frames count."""
    single: list[Part] = []
    for part in stack.parts:
        if isinstance(part, Mark):
            single.append(part)
        else:
            single.extend(Frames(part.gdb_num, (frame,)) for frame in part.frames)
    counted = [n for n, part in enumerate(single) if _counts(part, hidden)]
    if count >= 0:
        if len(counted) <= count:
            return stack
        return stack._replace(
            parts=tuple(single[: counted[count - 1] + 1 if count else 0]), ends=MORE
        )
    return stack._replace(parts=tuple(single[counted[count] :])) if len(counted) > -count else stack


def _counts(part: Part, hidden: bool) -> bool:
    return isinstance(part, Frames) and (hidden or not part.frames[0].hidden)
