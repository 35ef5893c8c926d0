# SPDX-License-Identifier: Apache-2.0
"""The provider for any runtime with an OMPD library: what the library says is shown."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Callable, ClassVar, Optional

from ... import _native
from ...errors import NotInitialized, OmpdToolError
from ...host.modules import MappedModule
from ...host.protocols import READ_ERRORS, Target
from ...model import RuntimeStatus
from .names import BREAKPOINT_FUNCTIONS
from ..served import ServedProvider
from .instance import Chooser, Instance


@dataclass
class ConformingProvider(ServedProvider):
    """One mapped runtime, of which nothing is known but that it has an OMPD library."""

    kind: ClassVar[str] = "OpenMP runtime with OMPD"
    reads_by: ClassVar[type[_native.OmpdReader]] = _native.OmpdReader
    target: Target
    runtime: MappedModule
    instance: Instance
    library_setting: Callable[[], str]
    _chosen_by: Optional[Chooser] = None
    _reader: Optional[_native.RuntimeReader] = None
    _reader_of: Optional[_native.Library] = None

    @property
    def file(self) -> str:
        """The runtime's file, as the user knows it."""
        return self.runtime.path or self.runtime.name

    def asking(self) -> AbstractContextManager[None]:
        """Return what is to be around all that asks the library."""
        return self.instance.guarded()

    def reader(self) -> _native.RuntimeReader:
        """Return what reads the runtime. Raises NotInitialized or NoOmpdLibrary."""
        self.check_initialized()
        library = self.load_library()
        if self._reader is None or self._reader_of is not library:
            # A library may keep what it knows of a program by its context: each run has one.
            space = self.instance.space.clone_context()
            self._reader, self._reader_of = self.reads_by(library, space), library
        return self._reader

    def load_library(self) -> _native.Library:
        """Load the OMPD library, which asks nothing of it. Raises NoOmpdLibrary."""
        return self.instance.load(self._chooser().choice())

    def _chooser(self) -> Chooser:
        if self._chosen_by is None:
            space, setting = self.instance.space, self.library_setting
            self._chosen_by = Chooser(self.target, self.runtime, space, setting)
        return self._chosen_by

    def check_initialized(self) -> None:
        """Raise NotInitialized while the runtime names no library (OpenMP 5.0, 5.2.2)."""
        if not _native.has_named_libraries(self.instance.space):
            raise NotInitialized(
                f"{self.file} is not initialised yet: go on to the first OpenMP construct or call"
            )

    def process_handle(self) -> _native.Process:
        """Return a handle of the process for a script, valid until the program goes on."""
        self.check_initialized()
        library, space = self.load_library(), self.instance.space
        with self.asking():
            return self.instance.lasting(lambda: library.process_initialize(space.clone_context()))

    def library_version(self) -> str:
        """Return how the OMPD library describes itself."""
        with self.asking():
            return self.reader().versions()[1]

    def api_version(self) -> int:
        """Return the OMPD version that the library implements, such as 202011."""
        with self.asking():
            return self.reader().versions()[0]

    def breakpoints(self) -> dict[str, int]:
        """Return the event functions' addresses by event."""
        space = self.instance.space
        found = {event: space.symbol_address(name) for event, name in BREAKPOINT_FUNCTIONS.items()}
        return {event: address for event, address in found.items() if address is not None}

    def set_events(self, enabled: bool) -> None:
        """Say that OMPD has no switch for its events while a program runs."""
        raise OmpdToolError(
            f"{self.file} has no switch that is known: OMP_DEBUG=enabled or disabled in the"
            " program's environment is for its whole run"
        )

    def status(self) -> RuntimeStatus:
        """Tell what is there and what is missing; never raises for that."""
        module = self.runtime.module
        status = RuntimeStatus(
            file=self.file,
            kind=self.kind,
            build_id=module.elf.build_id if module else None,
            refused=self._chooser().refused(),
        )
        try:
            reader = self.reader()
            with self.asking():
                api, _, omp, _ = reader.versions()
        except NotInitialized as error:
            return replace(status, initialized=False, problem=str(error))
        except OmpdToolError as error:
            return replace(status, problem=str(error))
        except _native.OmpdError as error:
            return replace(status, problem=f"the OMPD library refused: {error}")
        except READ_ERRORS as error:
            return replace(status, problem=f"the program's memory cannot be read: {error}")
        assert self._reader_of is not None
        return replace(
            status,
            version=None if omp is None else f"OpenMP {omp}",
            ompd_library=self._reader_of.path,
            api_version=api,
            initialized=True,
        )

    def end_stop(self) -> None:
        """Give back the handles of this stop and forget what was read."""
        if self._reader is not None:
            self._reader.end_stop()
        self.instance.space.drop_cache()
