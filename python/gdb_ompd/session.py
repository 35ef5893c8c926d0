# SPDX-License-Identifier: Apache-2.0
"""One inferior's OpenMP: which runtimes it has, and its snapshot at this stop.

What was read of memory is dropped as soon as the inferior may have changed it
(``end_stop``), what was read of files when files come or go (``forget_files``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Collection, Optional, Sequence, TypeVar

import gdb

from . import _native, attach
from .asking import one_command
from .code_map import CodeMap
from .combine import Combined, combine
from .errors import NoProcess, OmpdToolError
from .frames import states
from .frames.waits import Kind, Wait
from .hang_facts import HangReader
from .held_locks import HeldLocks
from .model import (
    ControlVariable,
    Icv,
    Location,
    Region,
    RuntimeStatus,
    Snapshot,
    Task,
    TaskKind,
    Thread,
    ThreadKind,
)
from .modules import MappedModule, can_be_mapped, read_modules
from .parameters import call_timeout, ompd_library
from .protocols import NativeThread
from .providers.base import Construct, Provider, TaskView
from .providers.detect import Detected, detect, is_stripped
from .providers.ompd.graph import Boundary
from .providers.ompd.instance import Instance
from .providers.ompd.provider import OmpdProvider
from .providers.ompd.stop import STATES_OFF
from .source import SourceMap
from .stack_model import Stack
from .stack_reader import StackReader
from .stacks import Begin, Look, Stacks
from .target import GdbTarget, kept_selection, numbers_are_qualified, selected_inferior
from .waiting import WaitReader
from .why.facts import Facts

PAGE = 4096
REMOTE_LINE = 256
Result = TypeVar("Result")


class Session:
    """What is known of one inferior."""

    def __init__(self, inferior: gdb.Inferior) -> None:
        self._inferior = inferior
        self._target = GdbTarget(inferior)
        _native.set_call_timeout(call_timeout())
        self._reader: Optional[_native.AddressSpace] = None
        self._instances: dict[str, Instance] = {}
        self._sources = SourceMap()
        self._modules: Optional[list[MappedModule]] = None
        self._detected: Optional[Detected] = None
        self._code: Optional[CodeMap] = None
        self._combined: Optional[Combined] = None
        self._looks: dict[int, Look] = {}
        self._disagreements: dict[int, str] = {}
        self._wait_reader: Optional[WaitReader] = None
        self._held: Optional[HeldLocks] = None
        self._stack_values: Optional[StackReader] = None
        self._regions: Optional[tuple[Region, ...]] = None
        self._stacks: Optional[Stacks] = None
        self._chosen: Optional[int] = None  # the user's selected thread, if it is ours

    # Lifetime

    def end_stop(self) -> None:
        """Drop what was read of the inferior's memory, threads and stacks."""
        for provider in self._detected.providers if self._detected else ():
            provider.end_stop()
        if self._reader is not None:
            self._reader.drop_cache()
        self._combined, self._regions, self._stacks = None, None, None
        self._looks, self._disagreements = {}, {}

    def forget_files(self) -> None:
        """Drop what was read of the mapped files: some came or went."""
        self.end_stop()
        self._modules, self._detected, self._code = None, None, None
        self._sources = SourceMap()
        self._reader, self._wait_reader, self._stack_values = None, None, None
        self._target.forget_files()

    # What is mapped

    def _space(self) -> _native.AddressSpace:
        """Return the address space that everything but libompd reads through."""
        if self._reader is None:
            self._reader = _native.AddressSpace(
                self._target,
                machine=self._target.machine(),
                byte_order=self._target.byte_order(),
                type_sizes=self._target.type_sizes(),
                cache_line=REMOTE_LINE if self._target.is_remote() else PAGE,
            )
        return self._reader

    def modules(self) -> list[MappedModule]:
        """Return the mapped files; NoProcess if there is no process."""
        if not self._inferior.threads():
            raise NoProcess()
        if self._modules is None:
            self._modules = self._read_modules()
        return self._modules

    def _read_modules(self) -> list[MappedModule]:
        modules = read_modules(self._target, self._space())
        stripped = [m for m in modules[1:] if m.module is not None and is_stripped(m.module.elf)]
        if any([attach.mapped(module) for module in stripped]):
            modules = read_modules(self._target, self._space())
        return modules

    def is_mapping_known(self) -> bool:
        """Tell whether the list of what is mapped can be found: not before the
        dynamic linker's symbols are read."""
        return self._target.link_map() is not None

    def can_be_mapped(self, names: Collection[str], path: str) -> bool:
        """Tell whether the file at PATH can be what is mapped under one of NAMES.

        For a moment of the program's start: nothing that is read is kept.
        """
        space = self._space()
        try:
            return can_be_mapped(self._target, space, names, _native.Elf(path))
        finally:
            space.drop_cache()

    def detected(self) -> Detected:
        """Return the OpenMP runtimes that are mapped, each with its provider."""
        if self._detected is None:
            self._detected = detect(self._target, self.modules(), self._instance, ompd_library)
        return self._detected

    def _instance(self, runtime: MappedModule) -> Instance:
        """Return the runtime's own libompd and contexts, kept from run to run."""
        machine, sizes = self._target.machine(), self._target.type_sizes()
        key = f"{runtime.path} {machine} {sizes}"
        if key not in self._instances:
            space = _native.AddressSpace(
                self._target,
                machine=machine,
                byte_order=self._target.byte_order(),
                type_sizes=sizes,
                cache_line=REMOTE_LINE if self._target.is_remote() else PAGE,
            )
            self._instances[key] = Instance(space)
        return self._instances[key]

    def _in_inferior(self, ask: Callable[[], Result]) -> Result:
        """Run ASK with this inferior selected, on fresh data if threads run."""
        chosen = gdb.selected_thread()
        own = chosen is not None and chosen.inferior.num == self._inferior.num
        self._chosen = chosen.num if chosen is not None and own else None
        if any(thread.is_running() for thread in self._inferior.threads()):
            self.end_stop()
        with one_command(), selected_inferior(self._inferior), kept_selection():
            return ask()

    # Answers

    def status(self) -> tuple[RuntimeStatus, ...]:
        """Return what serves each runtime; empty without a process or runtime."""
        if not self._inferior.threads():
            return ()
        return self._in_inferior(
            lambda: tuple(provider.status() for provider in self.detected().providers)
        )

    def snapshot(self, locations: bool = True) -> Snapshot:
        """Return threads and regions at this stop.

        Without LOCATIONS the stacks are not unwound. Raises NoProcess,
        NoRuntime, or what keeps the only runtime from being read.
        """
        return self._in_inferior(lambda: self._snapshot(locations))

    def _snapshot(self, locations: bool) -> Snapshot:
        return Snapshot(
            self._threads(locations),
            self._located_regions(),
            self._notes(),
            numbers_are_qualified(),
        )

    def threads(self, locations: bool = True) -> tuple[Thread, ...]:
        """Return the threads alone, which costs less than a snapshot."""
        return self._in_inferior(lambda: self._threads(locations))

    def _threads(self, locations: bool) -> tuple[Thread, ...]:
        threads = self._combine().threads
        if locations:
            threads = tuple(map(self._seen_on_stack, threads))
        return tuple(replace(t, selected=True) if t.gdb_num == self._chosen else t for t in threads)

    def threads_and_notes(self, locations: bool) -> tuple[tuple[Thread, ...], tuple[str, ...]]:
        """Return the threads and what is to be said below their listing."""
        return self.threads(locations), self._notes()

    def _notes(self) -> tuple[str, ...]:
        differ = (f"Thread {n}: {why}." for n, why in sorted(self._disagreements.items()))
        return (*self._combine().notes, *differ)

    def waits(self) -> dict[int, Wait]:
        """Return by GDB number where each stopped thread is and what it waits for, as
        its stack shows it; needs no OMPD library and no symbols of the runtime."""
        return self._in_inferior(self._waits)

    def _waits(self) -> dict[int, Wait]:
        stopped = [t.gdb_num for t in self._target.threads() if not t.running]
        looks = {gdb_num: self._look(gdb_num) for gdb_num in stopped}
        return {gdb_num: self._wait_of(gdb_num, look) for gdb_num, look in looks.items()}

    def _wait_of(self, gdb_num: int, look: Look) -> Wait:
        """Return a thread's wait; of a worker without a task the others' stacks tell
        whether it can be in a region, and the runtime whether it is."""
        if not look.in_runtime:
            return look.wait
        known = self._idle_workers()
        if gdb_num in known:
            return Wait(Kind.IDLE if known[gdb_num] else Kind.REGION_BARRIER)
        in_region = any(self._stack_reader().is_in_region(number) for number in self._looks)
        return Wait(Kind.IDLE_OR_REGION_BARRIER if in_region else Kind.IDLE)

    def hang_facts(self) -> Facts:
        """Return what tells why the program does not go on; NoProcess without one. Where
        OMPD cannot be read there are no teams, and a note says so."""
        return self._in_inferior(self._hang_facts)

    def _hang_facts(self) -> Facts:
        held = self._held_locks()
        try:
            combined = self._combine()
            threads, regions = combined.threads, self._located_regions()
            notes = tuple(note for note in combined.notes if note != STATES_OFF)
        except OmpdToolError as error:
            threads = tuple(map(_plain_thread, self._target.threads()))
            regions, notes = (), (f"Teams and tasks are not known: {error}",)
        frames = self._stack_reader().frames
        reader = HangReader(self._space(), self._code_map(), held, frames)
        facts = reader.read(threads, self._waits(), regions, self._task_ids)
        return replace(facts, notes=notes, qualified=numbers_are_qualified())

    def _held_locks(self) -> HeldLocks:
        if self._held is None:
            runtimes = [provider.runtime for provider in self.detected().providers]
            machine, code = self._target.machine(), self._code_map()
            self._held = HeldLocks(self._space(), machine, code, self.modules(), runtimes)
        return self._held

    def _task_ids(self, gdb_num: int) -> tuple[int, ...]:
        """Return the identities of a thread's current task and of its ancestors."""
        try:
            return tuple(view.task.task_id for view in self._tasks([gdb_num]))
        except OmpdToolError:
            return ()

    def _idle_workers(self) -> dict[int, bool]:
        """Return whether each OpenMP thread is idle, nothing where OMPD cannot be read."""
        try:
            threads = self._combine().threads
        except OmpdToolError:
            return {}
        known = (ThreadKind.INITIAL, ThreadKind.WORKER)
        return {t.gdb_num: t.idle for t in threads if t.kind in known and not t.error}

    def _look(self, gdb_num: int) -> Look:
        if gdb_num not in self._looks:
            self._looks[gdb_num] = self._stack_reader().look(gdb_num)
        return self._looks[gdb_num]

    def plain_threads(self) -> tuple[Thread, ...]:
        """Return the threads as GDB alone has them, where OpenMP cannot be read."""
        return self._in_inferior(lambda: tuple(map(_plain_thread, self._target.threads())))

    def enable_events_at_start(self) -> None:
        """Switch events on in a runtime that has just started, unless the program
        was started with OMP_DEBUG, whatever its value."""
        # GDB has the inferior that starts selected; nothing here selects another.
        for provider in self.detected().providers:
            if isinstance(provider, OmpdProvider):
                provider.enable_events_at_start()

    def tasks(self, gdb_nums: Sequence[int]) -> tuple[Task, ...]:
        """Return the task chains of these threads, innermost first."""
        return self._in_inferior(lambda: tuple(map(self._located_task, self._tasks(gdb_nums))))

    def _tasks(self, gdb_nums: Sequence[int]) -> list[TaskView]:
        return self._combine().tasks(gdb_nums)

    def implicit_tasks(self, region: int) -> tuple[Task, ...]:
        """Return a region's implicit tasks by thread number."""
        return self._in_inferior(
            lambda: tuple(map(self._located_task, self._combine().implicit_tasks(region)))
        )

    def task_functions(self, gdb_num: int) -> tuple[Optional[int], ...]:
        """Return the outlined function of each task of a thread's chain."""
        return self._in_inferior(lambda: tuple(v.function for v in self._tasks([gdb_num])))

    def region_function(self, region: int) -> Optional[int]:
        """Return the outlined function of a region, None where it is not kept."""
        return self._in_inferior(lambda: self._combine().constructs[region].function)

    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> tuple[Icv, ...]:
        """Return the ICVs of the process, these threads and these regions."""
        return self._in_inferior(lambda: tuple(self._combine().icvs(gdb_nums, regions)))

    def control_variables(self) -> tuple[ControlVariable, ...]:
        """Return the display control variables of the process's runtimes."""
        return self._in_inferior(lambda: tuple(self._combine().control_variables()))

    def providers(self) -> tuple[Provider, ...]:
        """Return the providers that can be asked at this stop."""
        return self._in_inferior(lambda: self._combine().providers)

    def code_map(self) -> CodeMap:
        """Return whose code is where in the process."""
        return self._in_inferior(self._code_map)

    def begun_regions(self, gdb_num: int) -> list[Begin]:
        """Return the calls by which a thread began the regions it is in, outermost first."""
        return self._in_inferior(lambda: self._stack_reader().begins(gdb_num))

    def places(self) -> tuple[CodeMap, SourceMap]:
        """Return whose code is where, and where it is in the source.

        Made for breakpoint conditions: nothing is dropped or read again, and the
        inferior must be the selected one.
        """
        return self._code_map(), self._sources

    def fresh_stacks(self) -> Stacks:
        """Return a reader of the stacks as they are now, made for breakpoint
        conditions; the inferior must be the selected one."""
        self._space().drop_cache()
        return Stacks(self._inferior, self._code_map(), self._sources, self._waits_reader())

    def provider_at(self, pc: int) -> Optional[OmpdProvider]:
        """Return the provider of the runtime whose code is at PC, None for other code."""
        for provider in self.detected().providers:
            in_runtime = any(start <= pc < end for start, end in provider.runtime.ranges)
            if in_runtime and isinstance(provider, OmpdProvider):
                return provider
        return None

    def leave_event(self) -> None:
        """The program is no longer at a region's event."""
        for provider in self._detected.providers if self._detected else ():
            if isinstance(provider, OmpdProvider):
                provider.set_boundary(Boundary())

    def stacks(self, gdb_nums: Sequence[int], arguments: bool = False) -> dict[int, Stack]:
        """Return these threads' whole stacks by GDB number, without those that run;
        needs no OMPD library and no symbols of the runtime."""
        wanted = frozenset(gdb_nums)
        return self._in_inferior(
            lambda: {
                thread.num: self.stack_reader().read(thread, arguments)
                for thread in self._inferior.threads()
                if thread.num in wanted and not thread.is_running()
            }
        )

    # Completing what the providers said from the stacks

    def stack_reader(self) -> StackReader:
        """Return what reads whole stacks; this inferior must be the selected one."""
        if self._stack_values is None:
            called = self._waits_reader().called
            self._stack_values = StackReader(self._code_map(), self._sources, called)
        return self._stack_values

    def _combine(self) -> Combined:
        if self._combined is None:
            self._combined = combine(
                self.detected(),
                self._target.threads(),
                self._target.executable() is not None,
            )
        return self._combined

    def _stack_reader(self) -> Stacks:
        if self._stacks is None:
            code = self._code_map()
            self._stacks = Stacks(self._inferior, code, self._sources, self._waits_reader())
        return self._stacks

    def _waits_reader(self) -> WaitReader:
        if self._wait_reader is None:
            runtimes = [provider.runtime for provider in self.detected().providers]
            self._wait_reader = WaitReader(
                self._space(), self._target.machine(), self._code_map(), self.modules(), runtimes
            )
        return self._wait_reader

    def _code_map(self) -> CodeMap:
        if self._code is None:
            runtimes = [provider.runtime for provider in self.detected().providers]
            self._code = CodeMap(self.modules(), runtimes)
        return self._code

    def _seen_on_stack(self, thread: Thread) -> Thread:
        """Add where THREAD is, and correct a state that the runtime does not record."""
        if thread.running or thread.idle:
            return thread  # an idle worker has no frame of the user's
        look, state = self._look(thread.gdb_num), thread.state
        thread = replace(thread, location=look.wait.location)
        if thread.kind not in (ThreadKind.INITIAL, ThreadKind.WORKER):
            return thread
        differs = states.disagreement(state, look.wait, look.in_runtime)
        if differs is not None:
            self._disagreements[thread.gdb_num] = differs
        return replace(
            thread,
            state=states.state_of(state, look.wait, look.in_runtime, thread.level or 0),
            waits_for=states.waits_for(look.wait, look.in_runtime, state),
        )

    def _located_regions(self) -> tuple[Region, ...]:
        if self._regions is None:
            combined = self._combine()
            self._regions = tuple(
                self._located_region(region, combined.constructs[region.id])
                for region in combined.regions
            )
        return self._regions

    def _located_region(self, region: Region, construct: Construct) -> Region:
        place = self._construct_place(region, construct)
        if place is None:
            return region
        return replace(region, function=place.function, file=place.file, line=place.line)

    def _construct_place(self, region: Region, construct: Construct) -> Optional[Location]:
        """Find a region's construct: by the call that began it, as the primary
        thread's stack shows it or as the runtime kept it, else by its function.

        The stack comes first: LLVM keeps the wrong call where GCC's code begins a
        region in a task that it executes at once.
        """
        place = self._begin_on_stack(region, construct)
        if place is not None:
            return place
        code = self._code_map()
        if construct.caller is not None and code.is_user(construct.caller):
            return self._sources.construct_at_call(construct.caller)
        if construct.function is not None and code.is_user(construct.function):
            return self._sources.construct_of_function(construct.function)
        return None

    def _begin_on_stack(self, region: Region, construct: Construct) -> Optional[Location]:
        if construct.primary is None:
            return None
        combined = self._combine()
        begun = [
            other.id
            for other in combined.regions
            if combined.constructs[other.id].primary == construct.primary
        ]
        places = self._stack_reader().begun_regions(construct.primary)
        # One place each, or it is not known which is whose.
        return places[begun.index(region.id)] if len(places) == len(begun) else None

    def _located_task(self, view: TaskView) -> Task:
        task = view.task
        if task.kind is TaskKind.IMPLICIT and view.region is not None:
            region = self._located_regions()[view.region - 1]
            return replace(task, function=region.function, file=region.file, line=region.line)
        if view.function is None or not self._code_map().is_user(view.function):
            return task
        place = self._sources.construct_of_function(view.function)
        return replace(task, function=place.function, file=place.file, line=place.line)


def _plain_thread(native: NativeThread) -> Thread:
    return Thread(
        inferior=native.inferior,
        gdb_num=native.gdb_num,
        lwp=native.lwp,
        pthread_id=native.pthread_id,
        running=native.running,
    )
