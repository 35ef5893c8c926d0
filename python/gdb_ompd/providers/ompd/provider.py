# SPDX-License-Identifier: Apache-2.0
"""The provider for LLVM's OpenMP runtime: libompd's answers, corrected."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Callable, Concatenate, Optional, ParamSpec, Sequence, TypeVar, Union

from ... import _native
from ...errors import NoSymbols
from ...model import ControlVariable, Icv, Membership, RuntimeStatus, TaskKind
from ...host.modules import MappedModule
from ...host.protocols import NativeThread, Target
from ...host.symbols import debug_files, profiles
from ...host.symbols.note import Note
from ..base import DebugFields, PlaceLike, TaskView, View, WaitingViews, require_symbol
from . import control, names, preflight, recovered, startup
from .graph import Boundary, Graph
from .instance import Choice, Instance
from .kept_stop import KeptStop, noted
from .layout import Layout, read_layout
from .one_thread import OneThread
from .status import describe
from .stop import Stop
from .thread_records import RecordReader
from .waiting_views import views

UNVERIFIED = (
    "Unverified layout: the symbols were recovered from a runtime of no known version, and"
    " checked against what runs at this stop only."
)
LAYOUT_UNKNOWN = (
    "Tasks that are not running are not known: {} has no debug symbols, and is not of a"
    " version whose records of tasks are known (LLVM 14 and 19)."
)
LOCK_TABLE = "__kmp_i_lock_table"
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def _guarded_by(
    guard: Callable[[Instance], AbstractContextManager[None]],
) -> Callable[
    [Callable[Concatenate["OmpdProvider", Parameters], Result]],
    Callable[Concatenate["OmpdProvider", Parameters], Result],
]:
    """Return what decorates a method that may ask the library: the instance's GUARD is
    around it, and it raises LibraryFailed, too."""

    def decorate(
        method: Callable[Concatenate["OmpdProvider", Parameters], Result],
    ) -> Callable[Concatenate["OmpdProvider", Parameters], Result]:
        @wraps(method)
        def guarded(
            self: "OmpdProvider", /, *args: Parameters.args, **kwargs: Parameters.kwargs
        ) -> Result:
            with guard(self.instance):
                return method(self, *args, **kwargs)

        return guarded

    return decorate


_asks_library = _guarded_by(Instance.guarded)
_may_ask_library = _guarded_by(Instance.seldom_asked)


@dataclass
class OmpdProvider:
    """One mapped libomp. What is read at a stop lives until ``end_stop``."""

    target: Target
    runtime: MappedModule
    instance: Instance
    library_setting: Callable[[], str]
    _trusted: Optional[tuple[str, ...]] = None
    _layout: Optional[Layout] = None
    _records: Optional[RecordReader] = None
    _proof: Optional[recovered.Proof] = None
    _symbols_are_real: bool = False
    _stop: Optional[Stop] = field(default=None)
    _kept: Optional[KeptStop] = None
    _one_thread: Optional[OneThread] = None
    _boundary: Boundary = Boundary()
    _private_fields: Optional[_native.PrivateFields] = None

    @property
    def space(self) -> _native.AddressSpace:
        """The runtime's address space."""
        return self.instance.space

    @property
    def file(self) -> str:
        """The runtime's file, as the user knows it."""
        return self.runtime.path or self.runtime.name

    @_may_ask_library
    def stop(self) -> Stop:
        """Return what can be asked at this stop, made when first needed.

        Raises NoSymbols, NotInitialized, NoOmpdLibrary or Inconsistent.
        """
        if self._stop is not None and self._stop.library.failure is not None:
            self.end_stop()
        if self._stop is None:
            layout = self._checked_layout()
            library = self.load_library()
            # It tells how states and ICVs are called, once; libompd is not asked for threads.
            process = None if self.instance.states else self.instance.process(layout)
            threads = self.space.read_pointer(require_symbol(self.space, "__kmp_threads"))
            graph = Graph(self.space, layout, threads, self._boundary)
            events = startup.events_enabled(self.space)
            self._stop = Stop(
                self.target,
                self.space,
                library,
                lambda: self.instance.process(layout),
                graph,
                self.instance.states,
                self.instance.icvs,
                events,
                self._record_reader(layout),
                process,
            )
        return self._stop

    def _record_reader(self, layout: Layout) -> RecordReader:
        if self._records is None:
            module = self.runtime.module
            is_static = module is not None and module.tls_offset is not None
            self._records = RecordReader(self.target, self.space, layout, is_static)
        return self._records

    @_may_ask_library
    def load_library(self) -> _native.Library:
        """Load the OMPD library, which asks nothing of it. Raises NoOmpdLibrary.

        A library that is loaded stays while the program's files do, whatever becomes of
        GDB's settings meanwhile: GDB takes long to tell them.
        """
        if self._trusted is None:
            self._trusted = self.target.trust_settings()
        chosen_by = Choice(self.runtime.path, self.library_setting(), self._trusted)
        return self.instance.load(chosen_by, lambda: self.target.trust(self.runtime.name))

    @_asks_library
    def process_handle(self) -> _native.Process:
        """Return a handle of the process for a script, valid until the program goes on."""
        self.load_library()
        layout = self._checked_layout()
        return self.instance.lasting(lambda: self.instance.process(layout))

    @_asks_library
    def library_version(self) -> str:
        """Return how the OMPD library describes itself."""
        return self.stop().library.version_string()

    @_asks_library
    def api_version(self) -> int:
        """Return the OMPD version that the library implements, such as 201811."""
        return self.stop().library.api_version()

    def one_thread(self) -> OneThread:
        """Return what answers for single threads, from memory as it is now.

        Raises NoSymbols, NotInitialized or Inconsistent.
        """
        if self._one_thread is None:
            self.space.drop_cache()  # the runtime may have started since
            self._one_thread = OneThread(self.target, self.space, self._checked_layout())
        return self._one_thread

    def place(self, thread: NativeThread) -> Optional[PlaceLike]:
        """Return where a thread executes, as memory has it now."""
        return self.one_thread().place(thread)

    def knows(self, thread: NativeThread) -> bool:
        """Tell whether the runtime knows a thread."""
        return self.one_thread().knows(thread)

    def membership_of(self, thread: NativeThread, level: int) -> Optional[Membership]:
        """Return a thread's number and the team's size at a level."""
        place = self.one_thread().place(thread)
        found = (-1, -1) if place is None else self.one_thread().membership(place, level)
        return None if found[0] < 0 else Membership(*found)

    def task_kind_of(self, thread: NativeThread) -> Optional[TaskKind]:
        """Tell what kind of task a thread executes."""
        place = self.one_thread().place(thread)
        return None if place is None else self.one_thread().task_kind(place)

    def state_of(self, thread: NativeThread) -> Optional[str]:
        """Return a thread's OMPT state."""
        from . import alone

        place = self.one_thread().place(thread)
        return None if place is None else alone.state(self, thread, place)

    def icv_of(self, thread: NativeThread, name: str) -> Union[int, str, None]:
        """Return one ICV of a thread, its task, its region or the process."""
        from . import alone

        place = self.one_thread().place(thread)
        return None if place is None else alone.icv(self, thread, place, name)

    def layout(self) -> Layout:
        """Return the runtime's layout. Raises NoSymbols, NotInitialized or Inconsistent."""
        return self._layout or self._checked_layout()

    def _checked_layout(self) -> Layout:
        if self._layout is None:
            self._check_symbols()
        startup.check_initialized(self.space, self.file)
        proof = self._proof_of_recovered()
        if proof is not None:
            proof.fits()
        if self._layout is None:
            self._layout = read_layout(self.space)
        if proof is not None:
            proof.makes_sense(self._layout)
        return self._layout

    def _check_symbols(self) -> None:
        module = self.runtime.module
        if module is None:
            raise NoSymbols(f"{self.file} cannot be read: {self.runtime.why}")
        startup.check_symbols(module.elf, self.file, debug_files.refusal(self.runtime.path))

    def _proof_of_recovered(self) -> Optional[recovered.Proof]:
        """Return what recovered symbols are checked by; None for real ones.

        NoSymbols where what is known of them cannot be read.
        """
        module = self.runtime.module
        if self._proof is None and module is not None and not self._symbols_are_real:
            note = recovered.note_of(module.elf)
            self._symbols_are_real = note is None
            if note is not None:
                self._proof = recovered.Proof(self.space, module, self.target, note)
        return self._proof

    def note(self) -> Optional[Note]:
        """Return what is known of recovered symbols; None for real ones."""
        proof = self._proof_of_recovered()
        return proof.known if proof is not None else None

    def end_stop(self, keep: bool = True) -> None:
        """Release the handles of this stop and forget what was read, also what is compared
        with memory at the next stop unless KEEP."""
        if self._stop is not None:
            self._stop.end()
            self._stop = None
        if not keep:
            self._kept = None
        self.space.drop_cache()

    def set_boundary(self, boundary: Boundary) -> None:
        """Say which thread is at a region's event, until the program goes on."""
        if boundary != self._boundary:
            self._boundary = boundary
            self.end_stop()

    def enable_events_at_start(self) -> None:
        """Switch events on in a runtime that has just started, unless the program
        was started with OMP_DEBUG, whatever its value."""
        if control.environment_variable(self.space, "OMP_DEBUG") is None:
            self._check_symbols()
            proof = self._proof_of_recovered()
            if proof is not None:
                proof.at_start()
            startup.enable_events(self.space)

    def set_events(self, enabled: bool) -> None:
        """Switch events on or off in the stopped program; an error in a core file."""
        self._checked_layout()
        (startup.enable_events if enabled else startup.disable_events)(self.space)

    def breakpoints(self) -> dict[str, int]:
        """Return the event functions' addresses by event."""
        found = {}
        for event, name in names.BREAKPOINT_FUNCTIONS.items():
            address = self.space.symbol_address(name)
            if address is None:
                address = self.space.symbol_address(names.mangled(name))
            if address is not None:
                found[event] = address
        return found

    @_may_ask_library
    def view(self, natives: Sequence[NativeThread]) -> View:
        """Return threads and regions; an unreadable thread is a row with its error."""
        process = self.target.kernels_process()
        if self._stop is not None or process is None:
            return self._view(natives)
        kept, self._kept = self._kept, None
        if kept is not None and self.instance.is_loaded_for(self.library_setting()):
            if kept.again(natives, self._boundary, self.instance.library, process):
                self._stop, self._kept = kept.stop, kept
                return kept.view
        notes = _native.ReadNotes()
        with noted(self.space, notes):
            view = self._view(natives)
        self._kept = KeptStop.of(self.stop(), view, natives, self._boundary, notes)
        return view

    def _view(self, natives: Sequence[NativeThread]) -> View:
        view, note = self.stop().view(natives), self.note()
        if note is None or note.layout_verified:
            return view
        return replace(view, notes=(*view.notes, UNVERIFIED))

    @_asks_library
    def tasks(self, gdb_nums: Sequence[int]) -> list[TaskView]:
        """Return the chains of these threads, innermost task first."""
        from ...host.debug_fields import debug_fields

        found = self.stop().tasks(gdb_nums)
        capabilities = self.capabilities(debug_fields)
        explicit = {v.task.task_id for v in found if v.task.kind is TaskKind.EXPLICIT}
        if capabilities is None or not explicit:
            return found
        tasks = sorted(explicit)
        places = dict(zip(tasks, capabilities.constructs(tasks, self.runtime.ranges)))
        return [replace(view, construct=places.get(view.task.task_id)) for view in found]

    @_asks_library
    def implicit_tasks(self, region: int) -> list[TaskView]:
        """Return the region's implicit tasks by thread number."""
        return self.stop().implicit_tasks(region)

    @_asks_library
    def waiting_tasks(self, debug_fields: DebugFields) -> WaitingViews:
        """Return the explicit tasks that no thread executes, where the layout of their
        records is known."""
        capabilities, stop = self.capabilities(debug_fields), self.stop()
        found: Optional[_native.FoundTasks] = None
        if capabilities is not None:
            found = capabilities.waiting_tasks(self.runtime.ranges, stop.events_enabled)
        if found is None:
            return WaitingViews((), (LAYOUT_UNKNOWN.format(self.file),), False)
        return views(found, stop.regions)

    def private_fields(self, debug_fields: DebugFields) -> Optional[_native.PrivateFields]:
        """Return where the runtime keeps what OMPD does not publish, None if not known."""
        module = self.runtime.module
        if self._private_fields is None and module is not None:
            found = debug_fields(self.file, _native.PrivateFields.names())
            profile = None if found else profiles.matching(self.layout().values)
            if found:
                self._private_fields = _native.PrivateFields(found)
            elif profile is not None:
                self._private_fields = _native.PrivateFields.of_build(
                    profile.label, module.elf.exports
                )
        return self._private_fields

    def capabilities(self, debug_fields: DebugFields) -> Optional[_native.Capabilities]:
        """Return what reads the runtime's own records at this stop, None where it is not
        known where they are."""
        fields, module = self.private_fields(debug_fields), self.runtime.module
        if fields is None or module is None:
            return None
        stop, locks = self.stop(), module.elf.symbol(LOCK_TABLE)
        if stop.capabilities is not None:
            return stop.capabilities
        graph = stop.graph
        stop.capabilities = _native.Capabilities(
            self.space,
            graph.layout.values,
            fields,
            graph.threads_array,
            None if locks is None else self.runtime.bias + locks.value,
            (graph.boundary.thread, graph.boundary.team),
            [(number, t.address, t.gtid) for number, t in stop.reader.omp_threads.items()],
        )
        return stop.capabilities

    @_asks_library
    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> list[Icv]:
        """Return the ICVs of the process, then of these threads and regions."""
        self.check_settings()
        return self.stop().icvs(gdb_nums, regions)

    @_asks_library
    def control_variables(self) -> list[ControlVariable]:
        """Return the display control variables as the program has them."""
        self.check_settings()
        return control.control_variables(self.stop().process(), self.space)

    def check_settings(self) -> None:
        """Raise Inconsistent where libompd must not be asked for ICVs or settings."""
        preflight.check_settings(self.space, self.layout())

    def status(self) -> RuntimeStatus:
        """Tell what is there and what is missing; never raises for that."""
        return describe(self)
