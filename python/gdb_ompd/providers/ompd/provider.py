# SPDX-License-Identifier: Apache-2.0
"""The provider for LLVM's OpenMP runtime: libompd's answers, corrected."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Callable, Optional, Sequence

from ... import _native
from ...errors import NoSymbols
from ...model import ControlVariable, Icv, RuntimeStatus, TaskKind
from ...host.modules import MappedModule
from ...host.protocols import NativeThread, Target
from ...host.symbols import debug_files, profiles
from ...host.symbols.debug_files import Note
from ..base import TaskView, View, WaitingViews
from ..facts import LIBRARY
from ..served import ServedProvider
from . import names, recovered, startup
from .instance import Chooser, Instance
from .status import describe
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
NO_BOUNDARY = (0, 0)

# Why an ICV has no value, by the correction that withdrew it.
NO_VALUE = {
    "idle-workers": "the thread is in no team",
    "number-of-processors": "not known before the first parallel region",
}


@dataclass
class OmpdProvider(ServedProvider):
    """One mapped libomp. What is read at a stop lives until ``end_stop``."""

    target: Target
    runtime: MappedModule
    instance: Instance
    library_setting: Callable[[], str]
    corrections: bool = True  # of the library's known faults
    _chosen_by: Optional[Chooser] = None
    _layout: Optional[dict[str, int]] = None
    _proof: Optional[recovered.Proof] = None
    _symbols_are_real: bool = False
    _reader: Optional[_native.LlvmReader] = None
    _reader_of: Optional[_native.Library] = None
    _is_checked: bool = False  # at this stop
    _regions: Optional[dict[int, int]] = None  # their numbers by identity
    _boundary: tuple[int, int] = NO_BOUNDARY
    _capabilities: Optional[_native.Capabilities] = None
    _private_fields: Optional[_native.PrivateFields] = None

    @property
    def space(self) -> _native.AddressSpace:
        """The runtime's address space."""
        return self.instance.space

    @property
    def file(self) -> str:
        """The runtime's file, as the user knows it."""
        return self.runtime.path or self.runtime.name

    def asking(self) -> AbstractContextManager[None]:
        """Return what is to be around all that asks the library."""
        return self.instance.guarded()

    def reader(self) -> _native.LlvmReader:
        """Return what reads the runtime.

        Raises NoSymbols, NotInitialized, NoOmpdLibrary or Inconsistent.
        """
        if self._reader_of is not None and self._reader_of.failure is not None:
            self.end_stop()
        if self._reader is None or not self._is_checked:
            layout, library = self._checked_layout(), self.load_library()
            if self._reader is None or self._reader_of is not library:
                self._reader = _native.LlvmReader(library, self.instance.context(layout))
                self._reader_of = library
            self._reader.set_corrections(self.corrections)
            self._reader.set_boundary(*self._boundary)
            self._reader.read_from_kernel(self.target.kernels_process())
            self._is_checked = True
        return self._reader

    def events_enabled(self) -> bool:
        """Tell whether the runtime tracks states and announces events."""
        self._checked_layout()
        return _native.events_enabled(self.space)

    def load_library(self) -> _native.Library:
        """Load the OMPD library, which asks nothing of it. Raises NoOmpdLibrary.

        A library that is loaded stays while the program's files do, whatever becomes of
        GDB's settings meanwhile: GDB takes long to tell them.
        """
        return self.instance.load(self._chooser().choice())

    def refused_libraries(self) -> tuple[str, ...]:
        """Return a line for each OMPD library that must not be loaded."""
        return self._chooser().refused()

    def _chooser(self) -> Chooser:
        if self._chosen_by is None:
            self._chosen_by = Chooser(self.target, self.runtime, self.space, self.library_setting)
        return self._chosen_by

    def process_handle(self) -> _native.Process:
        """Return a handle of the process for a script, valid until the program goes on."""
        self.load_library()
        layout = self._checked_layout()
        with self.asking():
            return self.instance.lasting(lambda: self.instance.process(layout))

    def library_version(self) -> str:
        """Return how the OMPD library describes itself."""
        with self.asking():
            return self.reader().versions()[1]

    def api_version(self) -> int:
        """Return the OMPD version that the library implements, such as 201811."""
        with self.asking():
            return self.reader().versions()[0]

    def layout(self) -> dict[str, int]:
        """Return the runtime's layout. Raises NoSymbols, NotInitialized or Inconsistent."""
        return self._layout or self._checked_layout()

    def _checked_layout(self) -> dict[str, int]:
        if self._layout is None:
            self._check_symbols()
        startup.check_initialized(self.space, self.file)
        proof = self._proof_of_recovered()
        if proof is not None:
            proof.fits()
        if self._layout is None:
            self._layout = _native.llvm_layout(self.space)
        if proof is not None:
            proof.makes_sense(self._layout)
        return self._layout

    def check_now(self) -> None:
        """Raise what keeps the runtime from being read, by memory as it is now."""
        self.space.drop_cache()
        self._checked_layout()

    def _check_symbols(self) -> None:
        module = self.runtime.module
        if module is None:
            raise NoSymbols(f"{self.file} cannot be read: {self.runtime.why}")
        startup.check_symbols(
            module.elf,
            self.file,
            debug_files.refusal(self.runtime.path),
            lambda: self.target.why_not_loaded(self.runtime.name),
        )

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

    def end_stop(self) -> None:
        """Release the handles of this stop and forget what was read."""
        if self._reader is not None:
            self._reader.end_stop()
        self._is_checked, self._regions, self._capabilities = False, None, None
        self.space.drop_cache()

    def set_boundary(self, boundary: tuple[int, int]) -> None:
        """Say which thread is at a region's event, and the region's team, by the addresses
        of their records, until the program goes on."""
        if boundary != self._boundary:
            self._boundary = boundary
            self.end_stop()

    def enable_events_at_start(self) -> None:
        """Switch events on in a runtime that has just started, unless the program
        was started with OMP_DEBUG, whatever its value."""
        if not _native.was_started_with(self.space, "OMP_DEBUG"):
            self._check_symbols()
            proof = self._proof_of_recovered()
            if proof is not None:
                proof.at_start()
            _native.enable_events(self.space)

    def set_events(self, enabled: bool) -> None:
        """Switch events on or off in the stopped program; an error in a core file."""
        self._checked_layout()
        (_native.enable_events if enabled else _native.disable_events)(self.space)

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

    def view(self, natives: Sequence[NativeThread]) -> View:
        """Return threads and regions; an unreadable thread is a row with its error."""
        view, note = super().view(natives), self.note()
        self._regions = {region.parallel_id: region.id for region in view.regions}
        if note is None or note.layout_verified:
            return view
        return replace(view, notes=(*view.notes, UNVERIFIED))

    def tasks(self, gdb_nums: Sequence[int]) -> list[TaskView]:
        """Return the chains of these threads, innermost task first."""
        found = super().tasks(gdb_nums)
        capabilities = self.capabilities()
        explicit = {v.task.task_id for v in found if v.task.kind is TaskKind.EXPLICIT}
        if capabilities is None or not explicit:
            return found
        tasks = sorted(explicit)
        places = dict(zip(tasks, capabilities.constructs(tasks, self.runtime.ranges)))
        return [replace(view, construct=places.get(view.task.task_id)) for view in found]

    def waiting_tasks(self) -> WaitingViews:
        """Return the explicit tasks that no thread executes, where the layout of their
        records is known."""
        capabilities = self.capabilities()
        found: Optional[_native.FoundTasks] = None
        if capabilities is not None:
            found = capabilities.waiting_tasks(self.runtime.ranges, self.events_enabled())
        if found is None:
            return WaitingViews((), (LAYOUT_UNKNOWN.format(self.file),), False)
        return views(found, self._regions or {})

    def private_fields(self) -> Optional[_native.PrivateFields]:
        """Return where the runtime keeps what OMPD does not publish, None if not known."""
        module = self.runtime.module
        if self._private_fields is None and module is not None:
            self._private_fields = _native.PrivateFields.of_debug_information(module.elf)
            profile = None if self._private_fields else profiles.matching(self.layout())
            if profile is not None:
                self._private_fields = _native.PrivateFields.of_build(
                    profile.label, module.elf.exports
                )
        return self._private_fields

    def capabilities(self) -> Optional[_native.Capabilities]:
        """Return what reads the runtime's own records at this stop, None where it is not
        known where they are."""
        fields, module = self.private_fields(), self.runtime.module
        if fields is None or module is None:
            return None
        if self._capabilities is not None:
            return self._capabilities
        layout, locks = self._checked_layout(), module.elf.symbol(LOCK_TABLE)
        self._capabilities = _native.Capabilities(
            self.space,
            layout,
            fields,
            None if locks is None else self.runtime.bias + locks.value,
            self._boundary,
            self.reader().omp_threads(),
        )
        return self._capabilities

    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> list[Icv]:
        """Return the ICVs of the process, then of these threads and regions."""
        self.check_settings()
        return [
            replace(each, text=NO_VALUE.get(each.source, each.text)) if each.value is None else each
            for each in super().icvs(gdb_nums, regions)
        ]

    def control_variables(self) -> list[ControlVariable]:
        """Return the display control variables as the program has them."""
        self.check_settings()
        return [
            replace(each, source="runtime default") if each.source == LIBRARY else each
            for each in super().control_variables()
        ]

    def check_settings(self) -> None:
        """Raise Inconsistent where libompd must not be asked for ICVs or settings."""
        _native.check_settings(self.space, self.layout())

    def status(self) -> RuntimeStatus:
        """Tell what is there and what is missing; never raises for that."""
        return describe(self)
