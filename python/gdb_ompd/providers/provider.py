# SPDX-License-Identifier: Apache-2.0
"""The provider of one runtime: what its OMPD library says, as the model has it.

It serves any runtime with an OMPD library. What is known beyond OMPD of one vendor's is in a
class that derives from it (``ompd/llvm.py``, ``ompd/gnu.py``)."""

from __future__ import annotations

import os
from typing import ClassVar, Optional, TYPE_CHECKING, Union

from .. import _native
from ..errors import LibraryFailed, NotFound, NotInitialized, OmpdToolError
from ..host.modules import MappedModule
from .._native import NativeThread, ThreadNumbers
from ..host.protocols import READ_ERRORS
from ..model import Membership, RuntimeStatus, TaskKind
from . import facts
from .ompd.instance import Asking, Choice, Instance
from .ompd.names import BREAKPOINT_FUNCTIONS

if TYPE_CHECKING:
    from ..host.target import GdbTarget

STATES_OFF = (
    "States are not tracked: the program was started without OMPD events"
    " ('ompd enable' switches them on while it runs)."
)
NEEDS_STATE_TRACKING = 6  # ompd_rc_needs_state_tracking
NO_BOUNDARY = (0, 0)


class Provider:
    """One mapped runtime with an OMPD library. Raises OmpdToolError with the cure."""

    kind: ClassVar[str] = "OpenMP runtime with OMPD"
    # A switch for its events, which 'ompd enable' turns.
    has_switch: ClassVar[bool] = False
    # For which machines programs can be read, any where none is named.
    machines: ClassVar[tuple[str, ...]] = ()
    # It announces no events: they are places in its code.
    has_places: ClassVar[bool] = False
    # Functions that stand for events in a runtime without symbols, by event.
    exported_events: ClassVar[dict[str, str]] = {}
    reads_by: ClassVar[type[_native.OmpdReader]] = _native.OmpdReader
    _trust: Optional[_native.Trust] = None
    _named: tuple[str, ...] = ()
    _reader: Optional[_native.RuntimeReader] = None
    _reader_of: Optional[_native.Library] = None

    def __init__(
        self,
        target: GdbTarget,
        runtime: MappedModule,
        instance: Instance,
        users_library: str,
        corrections: bool,
    ) -> None:
        """USERS_LIBRARY is the one that the user has set, "" for none, CORRECTIONS says whether
        the known faults of libraries are put right."""
        self.target = target
        self.runtime = runtime
        self.instance = instance
        self.users_library = users_library
        self.corrections = corrections

    def library_setting(self) -> str:
        """Return the library that must serve the runtime, "" for the one that is found."""
        return self.users_library

    @property
    def space(self) -> _native.AddressSpace:
        """The runtime's address space."""
        return self.instance.space

    @property
    def tasks_unknown(self) -> str:
        """Why the tasks that no thread executes are not known, where they are not."""
        return "Tasks that are not running are not known for this runtime."

    @property
    def file(self) -> str:
        """The runtime's file, as the user knows it."""
        return self.runtime.file

    def asking(self) -> Asking:
        """Return what is to be around all that asks the library."""
        return Asking(self.instance)

    def reader(self) -> _native.RuntimeReader:
        """Return what reads the runtime. Raises NotInitialized or NoOmpdLibrary."""
        self.check_initialized()
        library = self.load_library()
        if self._reader is None or self._reader_of is not library:
            # A library may keep what it knows of a program by its context: each run has one.
            space = self.space.clone_context()
            self._reader, self._reader_of = self.reads_by(library, space), library
        return self._reader

    def check_machine(self) -> None:
        """Raise OmpdToolError for a program that is made for a machine that is not served."""
        machine = self.target.machine()
        if self.machines and machine not in self.machines:
            raise OmpdToolError(
                f"this program is for {machine}: gdb-ompd reads OpenMP programs for"
                f" {' and '.join(self.machines)} only"
            )

    def load_library(self) -> _native.Library:
        """Load the OMPD library, which asks nothing of it. Raises NoOmpdLibrary."""
        self.check_machine()
        return self.instance.load(self.choice())

    def choice(self) -> Choice:
        """Return what to choose the library by now. What GDB's settings and the runtime say
        holds while the program's files do: GDB takes long to tell it."""
        runtime = self.runtime
        if self._trust is None:
            self._trust = self.target.trust(runtime.name, runtime.file)
        if not self._named:
            self._named = tuple(_native.named_libraries(self.space))
        return Choice(runtime.file, self.library_setting(), self._named, self._trust)

    def check_initialized(self) -> None:
        """Raise NotInitialized while the runtime names no library (OpenMP 5.0, 5.2.2)."""
        if not _native.has_named_libraries(self.space):
            raise NotInitialized(
                f"{self.file} is not initialised yet: go on to the first OpenMP construct or call"
            )

    def process_handle(self) -> _native.ProcessHandle:
        """Return a handle of the process for a script, valid until the program goes on."""
        self.check_initialized()
        library, space = self.load_library(), self.space
        with self.asking():
            return self.instance.lasting(lambda: library.process_initialize(space.clone_context()))

    def library_version(self) -> str:
        """Return how the OMPD library describes itself."""
        with self.asking():
            return self.reader().versions().library

    def api_version(self) -> int:
        """Return the OMPD version that the library implements, such as 202011."""
        with self.asking():
            return self.reader().versions().api

    def breakpoints(self) -> dict[str, int]:
        """Return the event functions' addresses by event."""
        space = self.space
        found = {event: space.symbol_address(name) for event, name in BREAKPOINT_FUNCTIONS.items()}
        return {event: address for event, address in found.items() if address is not None}

    def set_events(self, enabled: bool) -> None:
        """Say that OMPD has no switch for its events while a program runs."""
        raise OmpdToolError(
            f"{self.file} has no switch that is known: OMP_DEBUG=enabled or disabled in the"
            " program's environment is for its whole run"
        )

    def announces_events(self) -> bool:
        """Tell whether the runtime has events at which the program can be stopped."""
        return bool(self.breakpoints())

    def events_enabled(self) -> Optional[bool]:
        """Tell whether events are switched on, None where there is no switch that is known."""
        return None

    def keeps_records(self) -> bool:
        """Tell whether the runtime keeps records for tools, as it does while events are on."""
        return True

    def event_reader(
        self, code: _native.CodeMap, modules: list[_native.Module]
    ) -> Optional[_native.EventReader]:
        """Return what reads the runtime's records at an event that it announces, None where
        they are not known."""
        return None

    def event_places(self) -> Optional[_native.GnuEventPlaces]:
        """Return the places in the runtime's code that are its events, None where it announces
        them."""
        return None

    def check_now(self) -> None:
        """Raise what keeps the runtime from being read, by memory as it is now."""

    def enable_events_at_start(self) -> None:
        """Switch events on in a runtime that has just started, where it has a switch."""

    def set_boundary(self, boundary: tuple[int, int]) -> None:
        """Say which thread is at a region's event, and the region's team, by the addresses
        of their records, until the program goes on: for who reads records."""

    # Status

    def status(self) -> RuntimeStatus:
        """Tell what is there and what is missing; never raises for that."""
        status = self.mapped_status()._replace(refused=self.choice().refused())
        try:
            return self.served_status(status)
        except NotInitialized as error:
            status, problem = status._replace(ompd_library=self._serving()), str(error)
        except OmpdToolError as error:
            problem = str(error)
        except _native.OmpdError as error:
            problem = f"the OMPD library refused: {error}"
        except READ_ERRORS as error:
            problem = f"the program's memory cannot be read: {error}"
        return status._replace(problem=problem, initialized=self.is_initialized())

    def mapped_status(self) -> RuntimeStatus:
        """Return what is known of the runtime's file."""
        module = self.runtime.module
        build_id = module.elf.build_id if module else None
        return RuntimeStatus(
            file=self.file, kind=self.kind, build_id=build_id, read_from=self.runtime.read_from
        )

    def served_status(self, status: RuntimeStatus) -> RuntimeStatus:
        """Add what the OMPD library says to STATUS."""
        reader, library = self.reader(), self.load_library()
        with self.asking():
            versions = reader.versions()
        return status._replace(
            version=None if versions.omp is None else f"OpenMP {versions.omp}",
            ompd_library=library.path,
            api_version=versions.api,
            initialized=True,
            events_enabled=self.events_enabled(),
        )

    def is_initialized(self) -> Optional[bool]:
        """Tell whether the runtime names its libraries, as it does once it has started."""
        try:
            return _native.has_named_libraries(self.space)
        except (OmpdToolError, *READ_ERRORS):
            return None

    def _serving(self) -> Optional[str]:
        """Return the OMPD library that will serve a runtime which has not started."""
        try:
            return self.load_library().path
        except OmpdToolError:
            return None  # it is said when there is something to ask

    def end_stop(self) -> None:
        """Give back the handles of this stop and forget what was read."""
        if self._reader is not None:
            self._reader.end_stop()
        self.space.drop_cache()

    # Facts

    def read_into(self, runtimes: _native.AllRuntimes) -> list[str]:
        """Add the runtime to RUNTIMES of this stop; return what is to be said of it. An
        unreadable thread is a row with its error."""
        with self.asking():
            threads = runtimes.add(self.reader(), self.file, self.runtime.ranges)
        of_threads = [thread.doubts for thread in threads if thread.doubts]
        known = [tuple(d for d in each if d.code != NEEDS_STATE_TRACKING) for each in of_threads]
        notes = [STATES_OFF] if known != of_threads else []
        return [*notes, *facts.notes("thread", known)]

    # Of one thread

    def place(self, thread: NativeThread) -> Optional[ThreadNumbers]:
        """Return where a thread executes, as memory has it now."""
        # As in ``asking``, which would take 3 us of the 8 that a condition on its number takes.
        self.instance.check()
        try:
            return self.reader().place(thread)
        except LibraryFailed as failure:
            self.instance.note_failure(failure)
            raise

    def knows(self, thread: NativeThread) -> bool:
        """Tell whether the runtime knows a thread."""
        with self.asking():
            return self.reader().knows(thread)

    def membership_of(self, thread: NativeThread, level: int) -> Optional[Membership]:
        """Return a thread's number and the team's size at a level."""
        with self.asking():
            found = self.reader().memberships(thread)
        return found[-1 - level] if 0 <= level < len(found) else None

    def task_kind_of(self, thread: NativeThread) -> Optional[TaskKind]:
        """Tell what kind of task a thread executes."""
        with self.asking():
            return self.reader().task_kind(thread)

    def state_of(self, thread: NativeThread) -> Optional[str]:
        """Return a thread's OMPT state."""
        with self.asking():
            return self.reader().state(thread)

    def icv_of(self, thread: NativeThread, name: str) -> Union[int, str, None]:
        """Return one ICV of a thread, its task, its region or the process."""
        with self.asking():
            found = self.reader().icv(thread, name)
        if found is None:
            raise NotFound(f'no ICV is called "{name}": "ompd icvs" lists them')
        return found.value
