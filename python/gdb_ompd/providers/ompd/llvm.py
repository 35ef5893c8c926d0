# SPDX-License-Identifier: Apache-2.0
"""The provider for LLVM's OpenMP runtime: libompd's answers, corrected."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Optional

from ... import _native
from ...errors import NoSymbols, OmpdToolError
from ...host.symbols import debug_files, releases
from ...host.symbols.debug_files import Note
from ...model import RuntimeStatus
from ..provider import NO_BOUNDARY, Provider
from . import names, recovered

UNVERIFIED = (
    "Unverified layout: the symbols were recovered from a runtime of no known version, and"
    " checked against what runs at this stop only."
)
LAYOUT_UNKNOWN = (
    "Tasks that are not running are not known: {} has no debug symbols, and is not of a"
    " version whose records of tasks are known."
)


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
    _boundary: tuple[int, int] = NO_BOUNDARY

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
                fields = partial(_private_fields, layout, self.runtime.module)
                self._reader.set_records(self.runtime.ranges, fields)
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
        self._is_checked = False
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

    def read_into(self, runtimes: _native.AllRuntimes) -> list[str]:
        notes, note = super().read_into(runtimes), self.note()
        return notes if note is None or note.layout_verified else [*notes, UNVERIFIED]

    @property
    def tasks_unknown(self) -> str:
        return LAYOUT_UNKNOWN.format(self.file)

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


def _private_fields(
    layout: dict[str, int], runtime: Optional[_native.Module]
) -> Optional[_native.PrivateFields]:
    """Return where a RUNTIME keeps what OMPD does not publish, None if not known."""
    if runtime is None:
        return None
    known = _native.PrivateFields.of_debug_information(runtime.elf)
    return known or releases.private_fields(layout, runtime.elf.exports)
