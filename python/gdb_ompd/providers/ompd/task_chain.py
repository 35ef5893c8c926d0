# SPDX-License-Identifier: Apache-2.0
"""The chain of tasks of a thread: what it executes, and what led to that.

Read from ``kmp_taskdata_t`` (openmp/runtime/src/kmp.h). Serialized regions that
are nested in each other share one task record; their implicit tasks are told
apart here, as OpenMP does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, NamedTuple, Optional

from ...errors import Inconsistent
from ...model import TaskFrames, TaskKind
from .graph import Graph, OmpThread, RegionKey, SerializedFrame, Team, innermost_region

# Recursive task programs nest deeply; a longer chain is damaged memory.
MAX_CHAIN = 100_000


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """One task of a chain. ADDRESS is its ``kmp_taskdata_t``, NEST tells apart
    the implicit tasks that share one, SCHEDULING is another record's address."""

    address: int
    nest: int
    kind: TaskKind
    final: bool
    frames: TaskFrames
    function: Optional[int]
    scheduling: Optional[int]
    region: Optional[RegionKey]

    @property
    def identity(self) -> int:
        """A number that no other live task has."""
        return self.address + self.nest


class Known(NamedTuple):
    """What has been read of a task's record already: its flags and its ``td_team``."""

    flags: int
    team: int


def kind_of(graph: Graph, task: int, known: Optional[Known] = None) -> TaskKind:
    """Tell what kind of task the record at TASK is."""
    flags = known.flags if known is not None else _flags(graph, task)
    if flags & graph.layout.flag("tasktype"):
        return TaskKind.EXPLICIT
    team = _team(graph, task) if known is None else _team_at(graph, known.team)
    return TaskKind.IMPLICIT if team.levels else TaskKind.INITIAL


def current_kind(
    graph: Graph, thread: OmpThread, known: Optional[Known] = None
) -> Optional[TaskKind]:
    """Tell what kind of task THREAD executes, None if it executes none. KNOWN is what has
    been read of that task."""
    if not thread.task:
        return None
    nested = thread.team is not None and thread.team.levels >= 2
    if nested or thread.address == graph.boundary.thread:
        return next(chain(graph, thread)).kind  # the record may be an enclosing task's
    return kind_of(graph, thread.task, known)


def chain(graph: Graph, thread: OmpThread) -> Iterator[TaskRecord]:
    """Yield the tasks of THREAD, the one it executes first, the initial task last."""
    task, seen = thread.task, set[int]()
    below: Optional[Team] = None
    emitted: dict[int, int] = {}  # by team, regions that were begun inside explicit tasks
    if task and thread.address == graph.boundary.thread:
        task = _encountering(graph, task, emitted)
    while task:
        team = _team(graph, task)
        # The implicit tasks of a league and of its initial team are one task.
        league = below is not None and below.parent is team and team.parent is not None
        if not (league and below is not None and below.levels == 0 and team.levels == 0):
            yield from _records(graph, task, team, emitted)
        below = team
        seen.add(task)
        task = _parent(graph, task, team)
        if task in seen or len(seen) > MAX_CHAIN:
            raise Inconsistent("an OpenMP task's ancestors have no end: memory is damaged")


def _encountering(graph: Graph, task: int, emitted: dict[int, int]) -> int:
    """Return the task that met the construct of the region that begins or ends.

    The runtime makes the implicit task of a serialized region current before it
    announces the region; where such regions are nested in each other, all share
    one record, of which the innermost one's is left out.
    """
    team = _team(graph, task)
    if team.address != graph.boundary.team:
        return task
    if team.levels <= 1:
        return _parent(graph, task, team)
    emitted[team.address] = 1
    return task


def implicit_tasks(graph: Graph, team: Team, nest: int) -> list[TaskRecord]:
    """Return the implicit tasks of one of the team's regions, by thread number:
    the team's array of them, whatever its threads execute now."""
    first = graph.read_field(team.address, "kmp_base_team_t", "t_implicit_task_taskdata")
    if first == 0:
        return []
    size = graph.layout.sizeof("kmp_taskdata_t")
    found = []
    for thread_num in range(team.nproc):
        records = _records(graph, first + thread_num * size, team, {})
        found += [record for record in records if record.nest == nest]
    return found


def _parent(graph: Graph, task: int, team: Team) -> int:
    """Return the task that generated TASK.

    All implicit tasks of a region have one: the encountering task. The runtime
    keeps it right in the primary thread's only; a worker's may be of an earlier
    region of the same team.
    """
    explicit = _flags(graph, task) & graph.layout.flag("tasktype")
    if not explicit and team.nproc > 1:
        first = graph.read_field(team.address, "kmp_base_team_t", "t_implicit_task_taskdata")
        task = first or task
    return graph.read_field(task, "kmp_taskdata_t", "td_parent")


def _records(graph: Graph, task: int, team: Team, emitted: dict[int, int]) -> Iterator[TaskRecord]:
    """Yield the tasks that one record stands for, innermost first.

    Serialized regions nested in each other have no records of their own: their
    implicit tasks share their team's, or that of the explicit task they are in.
    """
    kind = kind_of(graph, task)
    info = task + graph.layout.access("kmp_taskdata_t", "ompt_task_info")
    if team.levels <= 1:
        yield _record(graph, task, team, kind, info, max(team.levels - 1, 0))
        return
    done = emitted.get(team.address, 0)
    kept = graph.serialized_frames(team)[done:]
    top = team.levels - 1 - done
    inside = top + 1
    if kind is TaskKind.EXPLICIT:
        inside = _regions_inside(graph, info, kept, top)
        emitted[team.address] = done + inside
    for inner in range(inside):
        kept_at = _info_of(info, kept, inner)
        yield _record(graph, task, team, TaskKind.IMPLICIT, kept_at, top - inner)
    if kind is TaskKind.EXPLICIT:
        yield _record(graph, task, team, kind, _info_of(info, kept, inside), top - inside)


def _regions_inside(graph: Graph, info: int, kept: list[SerializedFrame], most: int) -> int:
    """Count the serialized regions that an explicit task has begun and is in.

    Each has put the task's own information aside, which alone has a scheduling
    task. While OMPT is off nothing is kept, and this is not known.
    """
    infos = [info, *(frame.task_info for frame in kept)]
    for count, kept_at in enumerate(infos[: most + 1]):
        if _scheduling(graph, kept_at) is not None:
            return count
    return 0


def _info_of(info: int, kept: list[SerializedFrame], inner: int) -> Optional[int]:
    """Where the ``ompt_task_info_t`` of the INNER-th task from the inside is kept:
    each nested region swaps the encountering task's into its own record."""
    if inner == 0:
        return info
    return kept[inner - 1].task_info if inner <= len(kept) else None


def _record(
    graph: Graph, task: int, team: Team, kind: TaskKind, info: Optional[int], nest: int
) -> TaskRecord:
    return TaskRecord(
        address=task,
        nest=nest,
        kind=kind,
        final=bool(_flags(graph, task) & graph.layout.flag("final")),
        frames=_frames(graph, info) if info else TaskFrames(None, None),
        function=_function(graph, task, team, kind),
        scheduling=_scheduling(graph, info) if info else None,
        region=_region(team, nest),
    )


def _region(team: Team, nest: int) -> Optional[RegionKey]:
    return RegionKey(team.address, nest) if team.levels else innermost_region(team)


def _frames(graph: Graph, info: int) -> TaskFrames:
    """Read ``ompt_frame_t``; 0 stands for a frame that does not exist."""
    frame = info + graph.layout.access("ompt_task_info_t", "frame")
    enter = graph.read_field(frame, "ompt_frame_t", "enter_frame", (0, 8))
    exit_frame = graph.read_field(frame, "ompt_frame_t", "exit_frame", (0, 8))
    return TaskFrames(enter or None, exit_frame or None)


def _scheduling(graph: Graph, info: int) -> Optional[int]:
    return graph.read_field(info, "ompt_task_info_t", "scheduling_parent") or None


def _function(graph: Graph, task: int, team: Team, kind: TaskKind) -> Optional[int]:
    """Return the outlined function: an explicit task's routine, a region's microtask.

    A serialized team's function is whatever an earlier use left there.
    """
    if kind is TaskKind.EXPLICIT:
        return routine_of(graph, task) or None
    if kind is TaskKind.IMPLICIT and team.nproc > 1:
        return team.function or None
    return None


def routine_of(graph: Graph, task: int) -> int:
    """Return an explicit task's function: its ``kmp_task_t`` follows its record."""
    shared = task + graph.layout.sizeof("kmp_taskdata_t")
    return graph.read_field(shared, "kmp_task_t", "routine")


def thread_num_of(graph: Graph, task: int) -> Optional[int]:
    """Return whose implicit task a record is, by the thread's number in its team."""
    team = _team(graph, task)
    first = graph.read_field(team.address, "kmp_base_team_t", "t_implicit_task_taskdata")
    number, rest = divmod(task - first, graph.layout.sizeof("kmp_taskdata_t"))
    return number if rest == 0 and 0 <= number < team.nproc else None


def _flags(graph: Graph, task: int) -> int:
    at = task + graph.layout.access("kmp_taskdata_t", "td_flags")
    return graph.space.read_uint(at, 4)


def _team(graph: Graph, task: int) -> Team:
    pointer = graph.read_field(task, "kmp_taskdata_t", "td_team")
    if pointer == 0:
        raise Inconsistent("an OpenMP task belongs to no team: memory is damaged")
    return _team_at(graph, pointer)


def _team_at(graph: Graph, pointer: int) -> Team:
    return graph.team(pointer + graph.layout.access("kmp_team_p", "t"))
