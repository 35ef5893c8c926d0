# SPDX-License-Identifier: Apache-2.0
"""One inferior's OpenMP: which runtimes it has, and its snapshot at this stop.

What was read of memory is dropped as soon as the inferior may have changed it
(``end_stop``), what was read of files when files come or go (``forget_files``).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Callable, Collection, Optional, Sequence, TypeVar

import gdb

from ... import _native
from .files import InferiorFiles
from ...errors import LibraryFailed, OmpdToolError
from ...model import (
    ControlVariable,
    Icv,
    RuntimeStatus,
    Snapshot,
    Task,
    Thread,
    WaitingTasks,
)
from ..modules import MappedModule
from ..moments import note_reading
from ..parameters import value
from ..runtimes.detect import why_unreadable
from ..runtimes.notes import STATES_OFF, marked
from ..runtimes.provider import Provider
from ..processor_times import ProcessorTimes
from ..selection import (
    kept_selection,
    numbers_are_qualified,
    selected_inferior,
    selected_thread,
    threads_of,
)
from ..target import GdbTarget

# A start of the program asks for the runtimes alone, and does not wait for the rest.
if TYPE_CHECKING:
    from ..._native import CodeMap
    from ...model.cpus import Places
    from ...model.devices import Devices
    from ...model.teams import TeamSize
    from ...model.waits import Wait
    from .one_stop import OneStop
    from ..source import SourceMap
    from ...model.stacks import Stack
    from .stacks import GdbStacks
    from ...explain.facts import Facts

Result = TypeVar("Result")
BY_NAME = "OpenMP runtime, by its name"


class Session:
    """What is known of one inferior."""

    def __init__(
        self, inferior: gdb.Inferior, attach: Callable[[MappedModule], Optional[str]]
    ) -> None:
        self._inferior = inferior
        self._target = GdbTarget(inferior)
        _native.set_call_timeout(value("timeout") or 0)
        self.files = InferiorFiles(inferior, self._target, attach)
        self._this_stop: Optional["OneStop"] = None
        self._told: tuple[int, frozenset[str]] = (0, frozenset())  # of which process what
        self._times = ProcessorTimes(inferior)
        self._chosen: Optional[int] = None  # the user's selected thread, if it is ours

    @property
    def _stop(self) -> "OneStop":
        if self._this_stop is None or self._this_stop.is_to_be_asked_again():
            from .one_stop import OneStop

            self._this_stop = OneStop(self._inferior, self._target, self.files, self._times)
        return self._this_stop

    # Lifetime

    def end_stop(self) -> None:
        """Drop what was read of the inferior's memory, threads and stacks."""
        self.files.end_stop()
        self._this_stop = None

    def forget_files(self) -> None:
        """Drop what was read of the mapped files: some came or went."""
        self.files.forget()
        self._this_stop = None

    def _in_inferior(self, ask: Callable[[], Result], selection_is_kept: bool = False) -> Result:
        """Run ASK with this inferior selected, on fresh data if threads run. Keeping the
        selection costs GDB a look at the selected frame: SELECTION_IS_KEPT tells that
        ASK does it itself where it must."""
        note_reading()
        chosen = selected_thread()
        own = chosen is not None and chosen.inferior.num == self._inferior.num
        self._chosen = chosen.num if chosen is not None and own else None
        if any(map(gdb.InferiorThread.is_running, threads_of(self._inferior))):
            self.end_stop()
        try:
            if selection_is_kept and gdb.selected_inferior().num == self._inferior.num:
                return ask()
            with selected_inferior(self._inferior):
                if selection_is_kept:
                    return ask()
                with kept_selection():
                    return ask()
        except LibraryFailed as failure:  # another is loaded for the next command
            for instance in (provider.instance for provider in self.files.known().providers):
                if instance.library is not None and instance.library.failure is not None:
                    instance.note_failure(failure)
            self.end_stop()
            raise

    # What is mapped

    def status(self) -> tuple[RuntimeStatus, ...]:
        """Return what serves each runtime; empty without a process or runtime."""
        if not threads_of(self._inferior):
            return ()
        return self._in_inferior(self._status)

    def _status(self) -> tuple[RuntimeStatus, ...]:
        detected = self.files.detected()
        unreadable = [
            RuntimeStatus(each.file, BY_NAME, problem=why_unreadable(each))
            for each in detected.unreadable_runtimes
        ]
        return (*(provider.status() for provider in detected.providers), *unreadable)

    def providers(self) -> tuple[Provider, ...]:
        """Return the providers that can be asked at this stop."""
        return self._in_inferior(lambda: self._stop.providers())

    # Events

    def enable_events_at_start(self) -> None:
        """Switch events on in a runtime that has just started, unless the program
        was started with OMP_DEBUG, whatever its value."""
        # GDB has the inferior that starts selected; nothing here selects another.
        for provider in self.files.detected().providers:
            provider.runtime.enable_events_at_start()

    def leave_event(self) -> None:
        """The program is no longer at a region's event."""
        for provider in self.files.known().providers:
            provider.runtime.set_boundary(0, 0)

    # Threads and regions

    def snapshot(self, locations: bool = True) -> Snapshot:
        """Return threads and regions at this stop.

        Without LOCATIONS the stacks are not unwound. Raises NoProcess,
        NoRuntime, or what keeps the only runtime from being read.
        """
        return self._in_inferior(lambda: self._snapshot(locations), selection_is_kept=True)

    def _snapshot(self, locations: bool) -> Snapshot:
        threads = self._stop.threads(locations, self._chosen)
        regions, notes = self._stop.regions(), self._stop.notes()
        return Snapshot(threads, regions, notes, numbers_are_qualified())

    def team_sizes(self, snapshot: Snapshot, region_ids: Collection[int]) -> tuple[TeamSize, ...]:
        """Return why the teams of these regions of SNAPSHOT, of this stop, have their sizes."""
        return self._in_inferior(lambda: self._stop.team_sizes(snapshot, region_ids))

    def begins_none(self) -> Optional[str]:
        """Return the file that the selected thread's user code is in, if that begins no region: it
        was compiled without OpenMP."""
        return self._in_inferior(
            lambda: None if self._chosen is None else self._stop.begins_none(self._chosen)
        )

    def teams(self) -> Snapshot:
        """Return threads and regions without where the constructs are, which needs stacks."""
        return self._in_inferior(
            lambda: Snapshot(self._stop.threads(False, self._chosen), self._stop.native.teams),
            selection_is_kept=True,
        )

    def threads(self, locations: bool = True) -> tuple[Thread, ...]:
        """Return the threads alone, which costs less than a snapshot."""
        return self._in_inferior(
            lambda: self._stop.threads(locations, self._chosen), selection_is_kept=True
        )

    def threads_and_notes(self, locations: bool) -> tuple[tuple[Thread, ...], tuple[str, ...]]:
        """Return the threads and what is to be said below their listing."""
        return self.threads(locations), self._stop.notes()

    def not_told(self, notes: Sequence[str]) -> tuple[str, ...]:
        """Return NOTES without the one on states if it was told of this process before."""
        pid = self._inferior.pid
        told = self._told[1] if self._told[0] == pid else frozenset()
        self._told = pid, told | ({STATES_OFF} & set(notes))
        return tuple(note for note in notes if note not in told)

    def stopped_thread(self, thread: gdb.InferiorThread) -> _native.NativeThread:
        """Return a thread that stands still as the listing has it."""
        return self._target.stopped_thread(thread)

    def plain_threads(self, locations: bool = False) -> tuple[Thread, ...]:
        """Return the threads as GDB alone has them, where OpenMP cannot be read."""
        return self._in_inferior(lambda: self._stop.plain_threads(locations, self._chosen))

    def region_function(self, region: int) -> Optional[int]:
        """Return the outlined function of a region, None where it is not kept."""
        return self._in_inferior(lambda: self._stop.native.region_function(region))

    def waits(self) -> dict[int, Wait]:
        """Return by GDB number where each stopped thread is and what it waits for, as
        its stack shows it; needs no OMPD library and no symbols of the runtime."""
        return self._in_inferior(lambda: self._stop.waits())

    def hang_facts(self) -> Facts:
        """Return what tells why the program does not go on; NoProcess without one. Where
        OMPD cannot be read there are no teams, and a note says so."""
        return self._in_inferior(lambda: self._stop.hang_facts())

    # Tasks and ICVs

    def loops(self, gdb_nums: Sequence[int]) -> dict[int, _native.ThreadLoop]:
        """Return which worksharing loops these threads are in for certain, by GDB's numbers."""
        return self._in_inferior(lambda: self._stop.native.loops(gdb_nums))

    def tasks(self, gdb_nums: Sequence[int]) -> tuple[Task, ...]:
        """Return the task chains of these threads, innermost first."""
        return self._in_inferior(lambda: tuple(self._stop.native.tasks(gdb_nums)))

    def waiting_tasks(self) -> WaitingTasks:
        """Return the explicit tasks that are created and that no thread executes."""
        return self._in_inferior(lambda: self._stop.waiting_tasks())

    def implicit_tasks(self, region: int) -> tuple[Task, ...]:
        """Return a region's implicit tasks by thread number."""
        return self._in_inferior(lambda: tuple(self._stop.native.implicit_tasks(region)))

    def task_functions(self, gdb_num: int) -> tuple[Optional[int], ...]:
        """Return the outlined function of each task of a thread's chain."""
        return self._in_inferior(lambda: tuple(self._stop.native.task_functions(gdb_num)))

    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> tuple[Icv, ...]:
        """Return the ICVs of the process, these threads and these regions."""
        return self._in_inferior(lambda: tuple(self._stop.native.icvs(gdb_nums, regions)))

    def cpus(self) -> Places:
        """Return which CPUs the threads may run on, and how they did."""
        return self._in_inferior(self._cpus)

    def _cpus(self) -> Places:
        from .cpus import places

        threads = self._stop.threads(False, self._chosen)
        chosen = [] if self._chosen is None else [self._chosen]
        icvs = self._stop.native.icvs(chosen, [])
        variables, runtimes = self._control_variables(), self._stop.native.records()
        return places(self._inferior, threads, icvs, variables, runtimes, self._times)

    def devices(self) -> Devices:
        """Return the devices that the process can use, and what is mapped there."""
        return self._in_inferior(lambda: self._stop.devices(self._chosen))

    def ran(self) -> dict[int, int]:
        """Return how many milliseconds the threads have run, of a process of this machine."""
        return self._times.milliseconds()

    def control_variables(self) -> tuple[ControlVariable, ...]:
        """Return the display control variables of the process's runtimes."""
        return self._in_inferior(self._control_variables)

    def _control_variables(self) -> tuple[ControlVariable, ...]:
        native = self._stop.native
        chosen = [] if self._chosen is None else [self._chosen]
        return marked(native.control_variables(), lambda: native.icvs(chosen, []))

    def thread_local(self, file: str, offset: int) -> Optional[int]:
        """Return where the selected thread has what is at OFFSET among its own variables of FILE,
        None if it is not known, or the thread has not allocated them."""
        thread, modules = selected_thread(), self.files.readable()
        pointer = self._target.pointer_of(thread) if thread is not None else None
        module = next((each for each in modules if each.elf.path == file), None)
        if pointer is None or module is None:
            return None
        block = self.files.space().thread_local_block(module, pointer)
        return None if block is None else block + offset

    # Code and stacks

    def code_map(self) -> CodeMap:
        """Return whose code is where in the process."""
        return self._in_inferior(lambda: self.files.code_map())

    def executed(self, gdb_nums: Sequence[int]) -> dict[int, Optional[int]]:
        """Return which of the user's code threads execute, of a call its last byte, of those
        threads of which that can be told without GDB."""
        return self._in_inferior(
            lambda: self._stop.stacks().native.executed(gdb_nums), selection_is_kept=True
        )

    def region_returns(self, gdb_num: int) -> list[tuple[gdb.Frame, _native.RegionReturn]]:
        """Return how a thread leaves the regions that it has begun; see GdbStacks."""
        return self._in_inferior(lambda: self._stop.stacks().region_returns(gdb_num))

    def places(self) -> tuple[CodeMap, SourceMap]:
        """Return whose code is where, and where it is in the source.

        Made for breakpoint conditions: nothing is dropped or read again, and the
        inferior must be the selected one.
        """
        return self.files.code_map(), self.files.sources

    def wait_reader(self) -> _native.WaitReader:
        """Return what reads code; this inferior must be the selected one."""
        return self.files.wait_reader()

    def fresh_wait_reader(self) -> _native.WaitReader:
        """Return what reads calls as they are now, made for breakpoint conditions; the
        inferior must be the selected one."""
        self.files.read_code_anew()
        return self.files.wait_reader()

    def fresh_stacks(self) -> GdbStacks:
        """Return a reader of the stacks as they are now, made for breakpoint
        conditions; the inferior must be the selected one."""
        note_reading()
        self.files.read_code_anew()
        return self.files.new_stacks()

    def stacks(self, gdb_nums: Sequence[int], arguments: bool = False) -> dict[int, Stack]:
        """Return these threads' whole stacks by GDB number, without those that run;
        needs no OMPD library and no symbols of the runtime."""
        wanted = frozenset(gdb_nums)
        return self._in_inferior(
            lambda: {
                thread.num: self.files.stack_reader().read(
                    thread, arguments, partial(self._is_of_task, thread.num)
                )
                for thread in threads_of(self._inferior)
                if thread.num in wanted and not thread.is_running()
            }
        )

    def _is_of_task(self, gdb_num: int, pc: int, jumps: int) -> bool:
        """Tell whether the function around PC is the body of an explicit task of a thread's, as far
        as the OMPD library can say. Also of one that it has gone on in by so many JUMPS."""
        try:
            return self._stop.native.executes_task(gdb_num, pc, jumps)
        except OmpdToolError:
            return False
