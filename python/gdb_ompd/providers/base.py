# SPDX-License-Identifier: Apache-2.0
"""What every provider answers, and what the session completes from the stacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Optional, Protocol, Sequence

from .. import _native
from ..errors import NoSymbols
from ..model import ControlVariable, Icv, Region, RuntimeStatus, Task, Thread, WaitingTask
from ..host.modules import MappedModule
from ..host.protocols import NativeThread


# What looks up where a file's records have their fields: offset and size by "record.field",
# of those names that its debug information has (host/debug_fields.py).
DebugFields = Callable[[str, Sequence[str]], dict[str, tuple[int, int]]]


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
    """One task, its outlined function, and the region it belongs to."""

    task: Task
    function: Optional[int]
    region: Optional[int]


@dataclass(frozen=True, slots=True)
class WaitingView:
    """A task that no thread executes and its function, with those of its creator: the
    function of an explicit one, the region of an implicit one."""

    task: WaitingTask
    function: Optional[int]
    creator_function: Optional[int] = None
    creator_region: Optional[int] = None


@dataclass(frozen=True, slots=True)
class WaitingViews:
    """What a runtime knows of tasks that no thread executes; see WaitingTasks."""

    tasks: tuple[WaitingView, ...] = ()
    notes: tuple[str, ...] = ()
    known: bool = True


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

    def waiting_tasks(self, debug_fields: DebugFields) -> WaitingViews:
        """Return the explicit tasks that are created and that no thread executes, as far
        as the layout of their records is known, from debug information or otherwise."""

    def control_variables(self) -> list[ControlVariable]:
        """Return the display control variables."""

    def end_stop(self, keep: bool = True) -> None:
        """Drop everything that was read at this stop. KEEP says whether the next one may
        use it where memory is found to be as it was."""


def require_symbol(space: _native.AddressSpace, name: str) -> int:
    """Return NAME's address; NoSymbols if nothing knows it."""
    address = space.symbol_address(name)
    if address is None:
        raise NoSymbols(f"the OpenMP runtime has no symbol {name}")
    return address
