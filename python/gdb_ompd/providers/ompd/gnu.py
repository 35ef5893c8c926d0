# SPDX-License-Identifier: Apache-2.0
"""The provider for GCC's libgomp, which has no OMPD library but the one that is installed
with this package (native/libgompd)."""

from __future__ import annotations

import os
import re
from typing import ClassVar, Optional

from ... import _native
from ...errors import NotInitialized, OmpdToolError
from ...host import parameters
from ...host.symbols import debug_files
from ...model import UNAVAILABLE, RuntimeStatus
from ..provider import Provider
from .names import MACHINES

LIBRARY = "libgompd.so"
INCOMPATIBLE = 7  # ompd_rc_incompatible
# Why the library refuses a libgomp, as it says by print_string.
REASON = re.compile(r"^libgompd: this libgomp is not served: (.+)$", re.M)


def library(setting: str) -> str:
    """Return the library for libgomp: the user's SETTING may be for another runtime."""
    if os.path.basename(setting).startswith("libgompd"):
        return setting
    return os.path.join(os.path.dirname(_native.__file__), LIBRARY)


class LibgompProvider(Provider):
    """One mapped libgomp."""

    kind: ClassVar[str] = "GNU libgomp"
    has_places: ClassVar[bool] = True
    machines: ClassVar[tuple[str, ...]] = MACHINES
    reads_by: ClassVar[type[_native.OmpdReader]] = _native.GnuReader
    _proved: Optional[_native.RuntimeReader] = None  # the reader that has served the runtime
    _is_ready: bool = False  # at this stop

    def library_setting(self) -> str:
        """Return the library that the user has chosen, else our own."""
        return library(self.users_library)

    def check_initialized(self) -> None:
        """Nothing that libgomp has tells it: the library does."""

    def reader(self) -> _native.RuntimeReader:
        """Return what reads the runtime. Raises NotInitialized, NoOmpdLibrary or, for a
        libgomp whose layout is not proved, OmpdToolError."""
        reader = super().reader()
        if not self._is_ready:
            if isinstance(reader, _native.GnuReader):
                reader.read_from_kernel(self.target.kernels_process())
            self._is_ready = True
        if reader is not self._proved:
            self._prove(reader)
        return reader

    def _prove(self, reader: _native.RuntimeReader) -> None:
        with self.target.messages_kept() as messages:
            try:
                reader.versions()
            except _native.OmpdError as error:
                raise self._problem(error, messages) from error
        self._proved = reader

    def _problem(self, error: _native.OmpdError, messages: list[str]) -> Exception:
        """Return what the library's refusal means, with the reason that it gave."""
        if error.code == UNAVAILABLE:
            return NotInitialized(f"{self.file} is not loaded yet: go on to the program's main")
        if error.code != INCOMPATIBLE:
            return error
        said = REASON.search("".join(messages))
        reason = f" ({said.group(1)})" if said is not None else ""
        return OmpdToolError(
            f"{self.file} is not served: that its records are those of GCC 9 or later"
            f" on x86-64 or aarch64 cannot be proved on its code{reason}"
        )

    def event_places(self) -> _native.GnuEventPlaces:
        """Return its events: a note of the file with their names tells more of each."""
        module = self.runtime.module
        path = note = None
        if module is not None:
            path = debug_files.debug_file(module.elf.path, parameters.value("cache") is True).path
            note = debug_files.note_of_file(path) if path is not None else None
        known = note.constants if note is not None else {}
        return _native.GnuEventPlaces(self.instance.space, self.runtime.bias, known)

    def announces_events(self) -> bool:
        """It has places in its code where it would: why they are not known is said apart."""
        return True

    def served_status(self, status: RuntimeStatus) -> RuntimeStatus:
        """Add what the library says, and of which versions the layout is, to STATUS."""
        status = super().served_status(status)
        with self.asking():
            family = self.reader().versions().omp_text
        # They need no switch, but the places in its code, by which GDB has the names.
        events = "parallel-begin" in self.breakpoints() or None
        verified = None if family is None else "unverified layout" not in family
        return status._replace(version=family, layout_verified=verified, events_enabled=events)

    def is_initialized(self) -> Optional[bool]:
        """Tell nothing: the library says why it does not serve the runtime."""
        return None

    def end_stop(self) -> None:
        self._is_ready = False
        super().end_stop()
