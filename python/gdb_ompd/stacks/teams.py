# SPDX-License-Identifier: Apache-2.0
"""Which segment of a thread's stack is in which region, and which task's it is."""

from __future__ import annotations

from typing import Callable, NamedTuple, Optional

from ..model import Region, Snapshot, Task, TaskKind, Thread, ThreadKind
from ..model.stacks import Boundary, Construct, Segment, Stack
from ..model.waits import Kind


class LogicalFacts:
    """What a logical stack is made of. STACK_OF, CHAIN_OF and IMPLICIT_TASKS_OF read
    what is asked for; SNAPSHOT is None where OpenMP cannot be read."""

    def __init__(
        self,
        snapshot: Optional[Snapshot],
        stack_of: Callable[[int], Optional[Stack]],
        chain_of: Callable[[int], tuple[Task, ...]],
        implicit_tasks_of: Callable[[int], tuple[Task, ...]],
    ) -> None:
        self.snapshot = snapshot
        self.stack_of = stack_of
        self.chain_of = chain_of
        self.implicit_tasks_of = implicit_tasks_of
        self._placed: dict[int, Optional["Placed"]] = {}
        self._threads: dict[int, Thread] = {}

    def thread(self, gdb_num: int) -> Optional[Thread]:
        """Return what OpenMP knows of a thread."""
        if not self._threads and self.snapshot is not None:
            self._threads = {thread.gdb_num: thread for thread in self.snapshot.threads}
        return self._threads.get(gdb_num)

    def placed(self, gdb_num: int) -> Optional["Placed"]:
        """Return a thread's stack with the region of each segment; None if it runs."""
        if gdb_num not in self._placed:
            stack = self.stack_of(gdb_num)
            self._placed[gdb_num] = None if stack is None else self._place(stack)
        return self._placed[gdb_num]

    def _place(self, stack: Stack) -> "Placed":
        thread = self.thread(stack.gdb_num)
        nest = self.snapshot.nest(thread) if self.snapshot and thread else ()
        around = self._around(stack.gdb_num, nest)
        in_league: Optional[int] = None
        if self.snapshot is not None and thread is not None and thread.league:
            in_league = len(self.snapshot.in_league(thread))
        return place(stack, thread, (*nest, *around), in_league)

    def _around(self, gdb_num: int, nest: tuple[Region, ...]) -> tuple[Region, ...]:
        """Return the regions, innermost first, that a thread was in when it began its NEST: those of
        another runtime, if it was given to one, or those outside of a target region that the host
        executes, in which its runtime's begin anew. It has begun all of NEST."""
        if self.snapshot is None or _begun_by(gdb_num, nest) < len(nest):
            return ()
        regions = self.snapshot.regions
        own = [one for one in regions if gdb_num in one.threads and one not in nest]
        if nest:
            runtime = nest[0].runtime
            own = [one for one in own if one.runtime == runtime or gdb_num in one.threads[1:]]
        elif not self._is_omps(gdb_num):
            return ()
        given = [one for one in own if not any(inner.parent == one.id for inner in own)]
        if len(given) != 1:
            return ()
        by_id = {region.id: region for region in regions}
        found = given
        while found[-1].parent in by_id and len(found) < len(by_id):
            found.append(by_id[found[-1].parent])
        return tuple(found)

    def _is_omps(self, gdb_num: int) -> bool:
        thread = self.thread(gdb_num)
        return thread is not None and thread.kind is not ThreadKind.NATIVE and not thread.idle


class Placed(NamedTuple):
    """A stack whose segment at each index is in the region at the same index of
    REGIONS; None for code outside all regions. MATCHED tells whether the runtime and
    the stack agree; where they do not, no region is known."""

    stack: Stack
    segments: tuple[Segment, ...]
    regions: tuple[Optional[Region], ...]
    matched: bool

    def begun(self, region: int) -> Optional[int]:
        """Return the index of the segment whose code began a region."""
        for index, (segment, own) in enumerate(zip(self.segments, self.regions)):
            boundary = segment.boundary
            if own is None or boundary is None or boundary.bottom or own.id != region:
                continue
            if boundary.kind is Construct.REGION:
                return index + 1
        return None

    def body(self, region: int) -> Optional[int]:
        """Return the index of the segment of the thread's implicit task in a region."""
        for index, (segment, own) in enumerate(zip(self.segments, self.regions)):
            boundary = segment.boundary
            if own is not None and own.id == region and boundary is not None:
                if boundary.kind is Construct.REGION:
                    return index
        return None


def place(
    stack: Stack,
    thread: Optional[Thread],
    nest: tuple[Region, ...],
    in_league: Optional[int],
) -> Placed:
    """Find the region of each segment of STACK: its boundaries, counted from the
    inside, are the ends of the thread's regions, innermost first: those of its NEST. So many of
    these are IN_LEAGUE, None outside of leagues."""
    own = _begun_by(stack.gdb_num, nest)
    # A helper of the runtime's that is idle has no code of the program's on its stack, and who has
    # not begun may be in the system's code yet.
    if nest and thread is not None and (thread.idle or (own == 0 and _has_not_begun(thread))):
        first = Segment((), Boundary(Construct.REGION, bottom=True))
        return Placed(stack, (first,), (nest[0],), True)
    segments = _with_end(stack, thread, nest)
    is_in_team = in_league is not None and own >= in_league and _is_at_bottom(segments)
    if is_in_team and not _ends(segments, Construct.LEAGUE):  # another has begun the league
        segments, nest = _with_league(segments), nest[:in_league]
    if _has_jumped(thread, stack, segments):
        stack, segments = _with_call(stack, segments)
    ends = _ends(segments)
    begun = [boundary for boundary in ends if not boundary.bottom]
    if len(begun) == own + 1 and begun[0] is segments[0].boundary and not segments[0].frames:
        segments, ends, begun = segments[1:], ends[1:], begun[1:]  # not begun yet, or left
    at_bottom = _is_at_bottom(segments)
    known = thread is not None and thread.error is None
    if stack.is_lost:  # the runtime tells where the thread is, beyond what the stack shows
        matched = known and len(begun) <= own and len(ends) <= len(nest)
    else:
        matched = stack.complete and len(begun) == own and at_bottom == (own < len(nest))
    if not (known and matched):
        return Placed(stack, segments, (None,) * len(segments), False)
    regions: list[Optional[Region]] = []
    passed = 0
    for segment in segments:
        regions.append(nest[passed] if passed < len(nest) else None)
        passed += segment.boundary is not None and segment.boundary.kind is Construct.REGION
    return Placed(stack, segments, tuple(regions), True)


def _ends(segments: tuple[Segment, ...], kind: Construct = Construct.REGION) -> list[Boundary]:
    boundaries = (segment.boundary for segment in segments)
    return [one for one in boundaries if one is not None and one.kind is kind]


def _has_jumped(thread: Optional[Thread], stack: Stack, segments: tuple[Segment, ...]) -> bool:
    """Tell whether the body that a thread executes has ended with a jump to a function of the
    system's. Then the thread works, in that function, and the body has no frame."""
    if thread is None or thread.location is None or thread.waits_for or thread.idle:
        return False
    if not stack.system or not segments or segments[0].frames or segments[0].boundary is None:
        return False
    return thread.location != segments[0].boundary.place


def _with_call(stack: Stack, segments: tuple[Segment, ...]) -> tuple[Stack, tuple[Segment, ...]]:
    """Put the system's frames where those of the body would be, and the runtime's behind them."""
    called = tuple(frame._replace(hidden=False) for frame in stack.inside[: stack.system])
    boundary, behind = segments[0].boundary, stack.inside[stack.system :]
    first = Segment(called, boundary and boundary._replace(runtime=behind))
    return stack._replace(inside=(), system=0), (first, *segments[1:])


def _has_not_begun(thread: Thread) -> bool:
    return thread.waits_for is not None and thread.waits_for.kind == Kind.NOT_BEGUN


def _begun_by(gdb_num: int, nest: tuple[Region, ...]) -> int:
    """Count the innermost regions that the thread has begun itself."""
    for count, region in enumerate(nest):
        if not region.threads or region.threads[0] != gdb_num:
            return count
    return len(nest)


def _with_end(
    stack: Stack, thread: Optional[Thread], nest: tuple[Region, ...]
) -> tuple[Segment, ...]:
    """Give a thread that has no user frame the segment of its implicit task. A worker is at the end
    of its region, one of the program's own has begun the region by a jump."""
    segments = _kinds_by_task(stack.segments, thread)
    if segments or not nest or thread is None or thread.idle or not stack.inside:
        return segments
    began = thread.kind is ThreadKind.INITIAL and _begun_by(stack.gdb_num, nest) == len(nest)
    implicit = Segment((), Boundary(Construct.REGION, bottom=not began))
    return (implicit, Segment((), None)) if began else (implicit,)


def _is_at_bottom(segments: tuple[Segment, ...]) -> bool:
    ends = _ends(segments)
    return bool(ends) and ends[-1].bottom


def _with_league(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    """Tell what the runtime has called the outermost body of a worker for that has begun all of
    its league's regions itself, or is in none: for the initial task of one of the league's teams.
    """
    last = segments[-1].boundary
    league = last and last._replace(kind=Construct.LEAGUE)
    return (*segments[:-1], Segment(segments[-1].frames, league))


def _kinds_by_task(segments: tuple[Segment, ...], thread: Optional[Thread]) -> tuple[Segment, ...]:
    """Decide what the innermost body is by the task that the thread executes, where
    the stack does not tell."""
    boundary = segments[0].boundary if segments else None
    if boundary is None or boundary.kind is not Construct.UNKNOWN or thread is None:
        return segments
    if not (segments[0].frames and segments[0].frames[-1].outlined):
        return segments
    kinds = {TaskKind.EXPLICIT: Construct.TASK, TaskKind.IMPLICIT: Construct.REGION}
    kind = kinds.get(thread.task) if thread.task else None
    if kind is None or (kind is Construct.TASK and boundary.bottom):
        return segments
    first = Segment(
        segments[0].frames, Boundary(kind, boundary.runtime, boundary.place, boundary.bottom)
    )
    return (first, *segments[1:])
