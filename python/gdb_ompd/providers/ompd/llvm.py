# SPDX-License-Identifier: Apache-2.0
"""The provider for LLVM's OpenMP runtime: libompd's answers, corrected."""

from __future__ import annotations

from typing import ClassVar, Optional, Sequence

from ... import _native
from ..._native import NativeThread, TaskView
from ...errors import NoSymbols, OmpdToolError
from ...host.symbols import debug_files, releases
from ...host.symbols.debug_files import Note
from ...model import LIBRARY, ControlVariable, Icv, RuntimeStatus
from ..facts import View, WaitingViews, waiting_views
from ..provider import NO_BOUNDARY, Provider
from . import names, recovered

UNVERIFIED = (
    "Unverified layout: the symbols were recovered from a runtime of no known version, and"
    " checked against what runs at this stop only."
)
LAYOUT_UNKNOWN = (
    "Tasks that are not running are not known: {} has no debug symbols, and is not of a"
    " version whose records of tasks are known (LLVM 14 and 19)."
)

# Why an ICV has no value, by the correction that withdrew it.
NO_VALUE = {
    "idle-workers": "the thread is in no team",
    "number-of-processors": "not known before the first parallel region",
}


class LlvmProvider(Provider):
    """One mapped libomp. What is read at a stop lives until ``end_stop``."""

    kind: ClassVar[str] = "LLVM libomp"
    has_switch: ClassVar[bool] = True
    machines: ClassVar[tuple[str, ...]] = names.MACHINES
    # Exported by stripped runtimes, too: where a region begins, for clang's code and GCC's.
    # Nothing that is exported is called at the other events.
    exported_events: ClassVar[dict[str, str]] = {
        "parallel-begin": _native.functions_with_role("forks")[0]
    }
    _layout: Optional[dict[str, int]] = None
    _proof: Optional[recovered.Proof] = None
    _symbols_are_real: bool = False
    _reader: Optional[_native.LlvmReader] = None
    _is_checked: bool = False  # at this stop
    _regions: Optional[dict[int, int]] = None  # their numbers by identity
    _boundary: tuple[int, int] = NO_BOUNDARY
    _capabilities: Optional[_native.LlvmCapabilities] = None
    _private_fields: Optional[_native.PrivateFields] = None

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

    def keeps_records(self) -> bool:
        self._checked_layout()
        return _native.keeps_records(self.space)

    def event_reader(
        self, code: _native.CodeMap, modules: list[_native.Module]
    ) -> _native.EventReader:
        return _native.EventReader(self.space, self.layout(), modules, code)

    def process_handle(self) -> _native.ProcessHandle:
        self.load_library()
        layout = self._checked_layout()
        with self.asking():
            _native.check_settings(self.space, layout)
            return self.instance.lasting(lambda: self.instance.process(layout))

    def layout(self) -> dict[str, int]:
        """Return the runtime's layout. Raises NoSymbols, NotInitialized or Inconsistent."""
        return self._layout or self._checked_layout()

    def _checked_layout(self) -> dict[str, int]:
        if self._layout is None:
            self._check_symbols()
        recovered.check_initialized(self.space, self.file, self.target.kernels_process())
        proof = self._proof_of_recovered()
        if proof is not None:
            proof.fits()
        if self._layout is None:
            self._layout = _native.llvm_layout(self.space)
        if proof is not None:
            proof.makes_sense(self._layout)
        return self._layout

    def check_now(self) -> None:
        self.space.drop_cache()
        self._checked_layout()

    def _check_symbols(self) -> None:
        self.check_machine()
        module = self.runtime.module
        if module is None:
            raise NoSymbols(f"{self.file} cannot be read: {self.runtime.why}")
        recovered.check_symbols(
            module.elf,
            self.file,
            debug_files.refusal(module.elf.path),
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
        if self._reader is not None:
            self._reader.end_stop()
        self._is_checked, self._regions, self._capabilities = False, None, None
        self.space.drop_cache()

    def set_boundary(self, boundary: tuple[int, int]) -> None:
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
        """Return the event functions' addresses by event; LLVM 14 to 16 mangle the names."""
        found = super().breakpoints()
        for event, name in names.BREAKPOINT_FUNCTIONS.items():
            address = None if event in found else self.space.symbol_address(names.mangled(name))
            if address is not None:
                found[event] = address
        return found

    def announces_events(self) -> bool:
        """It does: ``parallel-begin`` has a function that is exported even if it is stripped."""
        return True

    def view(self, natives: Sequence[NativeThread], first: int = 0) -> View:
        view, note = super().view(natives, first), self.note()
        self._regions = {region.parallel_id: region.id for region in view.regions}
        if note is None or note.layout_verified:
            return view
        return view._replace(notes=(*view.notes, UNVERIFIED))

    def tasks(self, gdb_nums: Sequence[int]) -> list[TaskView]:
        found = super().tasks(gdb_nums)
        capabilities = self.capabilities()
        if capabilities is None:
            return found
        return capabilities.with_constructs(found, self.runtime.ranges)

    def waiting_tasks(self) -> WaitingViews:
        """Return the explicit tasks that no thread executes, where the layout of their
        records is known."""
        capabilities = self.capabilities()
        found = None
        if capabilities is not None:
            schedulers, regions = self.events_enabled(), self._regions or {}
            found = capabilities.waiting_tasks(self.runtime.ranges, schedulers, regions)
        # The regions that it was asked with are numbered already.
        return waiting_views(found, LAYOUT_UNKNOWN.format(self.file))

    def private_fields(self) -> Optional[_native.PrivateFields]:
        """Return where the runtime keeps what OMPD does not publish, None if not known."""
        module = self.runtime.module
        if self._private_fields is None and module is not None:
            self._private_fields = _native.PrivateFields.of_debug_information(module.elf)
            if self._private_fields is None:
                self._private_fields = releases.private_fields(self.layout(), module.elf.exports)
        return self._private_fields

    def capabilities(self) -> Optional[_native.LlvmCapabilities]:
        fields = self.private_fields()
        if fields is None:
            return None
        if self._capabilities is not None:
            return self._capabilities
        self._capabilities = _native.LlvmCapabilities(
            self.space, self._checked_layout(), fields, self._boundary, self.reader()
        )
        return self._capabilities

    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> list[Icv]:
        return [
            each._replace(text=NO_VALUE.get(each.source, each.text)) if each.value is None else each
            for each in super().icvs(gdb_nums, regions)
        ]

    def control_variables(self) -> list[ControlVariable]:
        return [
            each._replace(source="runtime's start" if each.value is None else "runtime default")
            if each.source == LIBRARY
            else each
            for each in super().control_variables()
        ]

    def mapped_status(self) -> RuntimeStatus:
        """Return what is known of the runtime's file, and where its symbols are from."""
        status, module = super().mapped_status(), self.runtime.module
        if module is None:
            return status
        status = status._replace(symbols=recovered.source_of_symbols(module.elf))
        try:
            note = self.note()
        except OmpdToolError:
            return status  # what is the matter with it is the problem that is shown
        if note is None:
            return status
        return status._replace(
            architecture=note.architecture,
            profile=note.profile,
            layout_verified=note.layout_verified,
        )
