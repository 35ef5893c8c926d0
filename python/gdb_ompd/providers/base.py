# SPDX-License-Identifier: Apache-2.0
"""What every provider answers, and what the session completes from the stacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Optional, Protocol, Sequence, Union

from .. import _native
from ..model import (
    ControlVariable,
    Icv,
    Membership,
    Region,
    RuntimeStatus,
    Task,
    TaskKind,
    Thread,
    WaitingTask,
)
from ..host.modules import MappedModule
from ..host.protocols import NativeThread


@dataclass(frozen=True, slots=True)
class Construct:
    """Where a region's or task's construct is, as far as the runtime knows.

    CALLER is the return address of the encountering code's call, FUNCTION the
    outlined function, PRIMARY the GDB number of the region's primary thread.
    """

    caller: Optional[int] = None
    function: Optional[int] = None
    primary: Optional[int] = None


@dataclass(frozen=True, slots=True)
class View:
    """Threads and regions at one stop, before the stacks have been looked at."""

    threads: tuple[Thread, ...]
    regions: tuple[Region, ...]
    constructs: dict[int, Construct]  # by region id
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskView:
    """One task, its outlined function, the region it belongs to, and its construct's file
    and line where the compiler says it."""

    task: Task
    function: Optional[int]
    region: Optional[int]
    construct: Optional[tuple[str, int]] = None


def has_no_function(view: TaskView) -> bool:
    """Tell whether the runtime does not keep an explicit task's function."""
    return view.task.kind is TaskKind.EXPLICIT and view.function is None


@dataclass(frozen=True, slots=True)
class WaitingView:
    """A task that no thread executes, its function and its construct's file and line where
    the compiler says it, with those of its creator: of an implicit one the region."""

    task: WaitingTask
    function: Optional[int]
    creator_function: Optional[int] = None
    creator_region: Optional[int] = None
    construct: Optional[tuple[str, int]] = None
    creator_construct: Optional[tuple[str, int]] = None


@dataclass(frozen=True, slots=True)
class WaitingViews:
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


class PlaceLike(Protocol):
    """A place, whatever else is known of it."""

    @property
    def thread_num(self) -> int:
        """The number in the team."""

    @property
    def team_size(self) -> int:
        """How many threads the team has."""

    @property
    def level(self) -> int:
        """How many regions are around the thread."""

    @property
    def active_level(self) -> int:
        """How many of them are active."""


class Provider(Protocol):
    """One OpenMP runtime in one process. Raises OmpdToolError with the cure."""

    @property
    def file(self) -> str:
        """The runtime's file, as the user knows it."""

    @property
    def runtime(self) -> MappedModule:
        """The runtime as it is mapped."""

    def status(self) -> RuntimeStatus:
        """Tell what serves the runtime; never raises."""

    def view(self, natives: Sequence[NativeThread]) -> View:
        """Return what the runtime says of these threads."""

    def tasks(self, gdb_nums: Sequence[int]) -> list[TaskView]:
        """Return the task chains of these threads."""

    def implicit_tasks(self, region: int) -> list[TaskView]:
        """Return a region's implicit tasks by thread number."""

    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> list[Icv]:
        """Return the ICVs of the process, these threads and these regions."""

    def waiting_tasks(self) -> WaitingViews:
        """Return the explicit tasks that are created and that no thread executes, as far
        as the layout of their records is known, from debug information or otherwise."""

    def control_variables(self) -> list[ControlVariable]:
        """Return the display control variables."""

    # Of one thread, read anew by itself: a breakpoint's condition asks while others run.

    def place(self, thread: NativeThread) -> Optional[PlaceLike]:
        """Return where a thread executes; None for one that the runtime does not know, and
        for a worker that is in no team."""

    def knows(self, thread: NativeThread) -> bool:
        """Tell whether the runtime knows a thread."""

    def membership_of(self, thread: NativeThread, level: int) -> Optional[Membership]:
        """Return a thread's number and the team's size at a level, None for a level that is
        not around it."""

    def task_kind_of(self, thread: NativeThread) -> Optional[TaskKind]:
        """Tell what kind of task a thread executes, None if it is none."""

    def state_of(self, thread: NativeThread) -> Optional[str]:
        """Return a thread's OMPT state, None while states are not tracked."""

    def icv_of(self, thread: NativeThread, name: str) -> Union[int, str, None]:
        """Return one ICV of a thread, its task, its region or the process; None where it has
        no value, NotFound if there is none of that name."""

    def end_stop(self) -> None:
        """Drop everything that was read at this stop."""
