# SPDX-License-Identifier: Apache-2.0
"""What a provider tells of threads, regions and tasks, before the stacks complete it."""

from __future__ import annotations

from typing import NamedTuple, Optional

from ..model import Region, Task, TaskKind, Thread, WaitingTask


class Construct(NamedTuple):
    """Where a region's or task's construct is, as far as the runtime knows.

    CALLER is the return address of the encountering code's call, FUNCTION the
    outlined function, PRIMARY the GDB number of the region's primary thread.
    """

    caller: Optional[int] = None
    function: Optional[int] = None
    primary: Optional[int] = None


class View(NamedTuple):
    """Threads and regions at one stop, before the stacks have been looked at."""

    threads: tuple[Thread, ...]
    regions: tuple[Region, ...]
    constructs: dict[int, Construct]  # by region id
    notes: tuple[str, ...] = ()


class TaskView(NamedTuple):
    """One task, its outlined function, the region it belongs to, and its construct's file
    and line where the compiler says it."""

    task: Task
    function: Optional[int]
    region: Optional[int]
    construct: Optional[tuple[str, int]] = None


def has_no_function(view: TaskView) -> bool:
    """Tell whether the runtime does not keep an explicit task's function."""
    return view.task.kind is TaskKind.EXPLICIT and view.function is None


class WaitingView(NamedTuple):
    """A task that no thread executes, its function and its construct's file and line where
    the compiler says it, with those of its creator: of an implicit one the region."""

    task: WaitingTask
    function: Optional[int]
    creator_function: Optional[int] = None
    creator_region: Optional[int] = None
    construct: Optional[tuple[str, int]] = None
    creator_construct: Optional[tuple[str, int]] = None


class WaitingViews(NamedTuple):
    """What a runtime knows of tasks that no thread executes; see WaitingTasks."""

    tasks: tuple[WaitingView, ...] = ()
    notes: tuple[str, ...] = ()
    known: bool = True


class Place(NamedTuple):
    """Where a thread executes now: what ``omp_get_...`` would return there."""

    thread_num: int
    team_size: int
    level: int
    active_level: int
