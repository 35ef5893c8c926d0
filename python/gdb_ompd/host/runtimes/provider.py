# SPDX-License-Identifier: Apache-2.0
"""The provider of one mapped runtime: its OMPD library, and what that says.

It serves any runtime with an OMPD library. What is so of one vendor's alone native code knows."""

from __future__ import annotations

import os
from typing import Optional, TYPE_CHECKING, Union

from ... import _native
from ..._native import NativeThread, PrivateFields, ThreadNumbers
from ...errors import LibraryFailed, NotFound, NotInitialized, OmpdToolError
from ...model import Membership, RuntimeStatus, TaskKind
from .. import parameters
from ..modules import MappedModule
from ..protocols import READ_ERRORS
from ..symbols import debug_files, releases
from .event_functions import BREAKPOINT_FUNCTIONS, mangled
from .library import Asking, Choice, Instance

if TYPE_CHECKING:
    from ..target import GdbTarget


class Provider:
    """One mapped runtime with an OMPD library. Raises OmpdToolError with the cure."""

    def __init__(
        self,
        family: str,
        target: GdbTarget,
        mapped: MappedModule,
        instance: Instance,
        users_library: str,
        corrections: bool,
    ) -> None:
        """FAMILY is ``runtime_family``'s, USERS_LIBRARY the one that the user has set, "" for none,
        CORRECTIONS says whether the known faults of libraries are put right."""
        self.target = target
        self.mapped = mapped
        self.instance = instance
        self.users_library = users_library
        self._host = _Host(target, mapped)
        self.runtime = _native.MappedRuntime(
            family,
            instance.space,
            mapped.file,
            mapped.module,
            mapped.why,
            mapped.ranges,
            self._host,
            corrections,
        )
        self.traits = self.runtime.traits
        self._trust: Optional[_native.Trust] = None
        self._named: tuple[str, ...] = ()

    @property
    def space(self) -> _native.AddressSpace:
        """The runtime's address space."""
        return self.instance.space

    @property
    def file(self) -> str:
        """The runtime's file, as the user knows it."""
        return self.mapped.file

    def asking(self) -> Asking:
        """Return what is to be around all that asks the library."""
        return Asking(self.instance)

    def reader(self) -> _native.RuntimeReader:
        """Return what reads the runtime. Raises NotInitialized, NoSymbols, NoOmpdLibrary,
        Inconsistent or, where its records are not known, OmpdToolError."""
        return self.runtime.reader(self.load_library)

    def load_library(self) -> _native.Library:
        """Load the OMPD library, which asks nothing of it. Raises NoOmpdLibrary."""
        return self.instance.load(self.choice())

    def choice(self) -> Choice:
        """Return what to choose the library by now. What GDB's settings and the runtime say
        holds while the program's files do: GDB takes long to tell it."""
        if self._trust is None:
            self._trust = self.target.trust(self.mapped.name, self.file)
        if not self._named:
            self._named = tuple(_native.named_libraries(self.space))
        return Choice(self.file, self._setting(), self._named, self._trust)

    def _setting(self) -> str:
        """Return the library that must serve the runtime, "" for the one that is found. One that
        the user has chosen may be for another runtime than one that has its own."""
        own = self.traits.own_library
        if not own or os.path.basename(self.users_library).startswith(os.path.splitext(own)[0]):
            return self.users_library
        return os.path.join(os.path.dirname(_native.__file__), own)

    def process_handle(self) -> _native.ProcessHandle:
        """Return a handle of the process for a script, valid until the program goes on."""
        self.runtime.check_handles()
        library, space = self.load_library(), self.space
        with self.asking():
            return self.instance.lasting(lambda: library.process_initialize(space.clone_context()))

    def versions(self) -> _native.Versions:
        """Return what the runtime and its library implement."""
        with self.asking():
            return self.reader().versions()

    def breakpoints(self) -> dict[str, int]:
        """Return the event functions' addresses by event; LLVM 14 to 16 mangle the names."""
        found = {}
        for event, name in BREAKPOINT_FUNCTIONS.items():
            address = self.space.symbol_address(name) or self.space.symbol_address(mangled(name))
            if address is not None:
                found[event] = address
        return found

    def announces_events(self) -> bool:
        """Tell whether the runtime has events at which the program can be stopped."""
        traits = self.traits
        return traits.has_places or bool(traits.exported_events) or bool(self.breakpoints())

    # Status

    def status(self) -> RuntimeStatus:
        """Tell what is there and what is missing; never raises for that."""
        status = self._mapped_status()._replace(refused=self.choice().refused())
        try:
            return self._served_status(status)
        except NotInitialized as error:
            status, problem = status._replace(ompd_library=self._serving()), str(error)
        except OmpdToolError as error:
            problem = str(error)
        except _native.OmpdError as error:
            problem = f"the OMPD library refused: {error}"
        except READ_ERRORS as error:
            problem = f"the program's memory cannot be read: {error}"
        return status._replace(problem=problem, initialized=self.runtime.is_initialized())

    def _mapped_status(self) -> RuntimeStatus:
        """Return what is known of the runtime's file, and where its symbols are from."""
        module = self.mapped.module
        status = RuntimeStatus(
            file=self.file,
            kind=self.traits.kind,
            build_id=module.elf.build_id if module else None,
            read_from=self.mapped.read_from,
            symbols=self.runtime.source_of_symbols(),
        )
        note = self._host.note() if status.symbols == "recovered" else None
        if note is None or note.build_id != status.build_id:
            return status  # what is the matter with a note is the problem that is shown
        return status._replace(
            architecture=note.architecture,
            profile=note.profile,
            layout_verified=note.layout_verified,
        )

    def _served_status(self, status: RuntimeStatus) -> RuntimeStatus:
        """Add what the OMPD library says to STATUS."""
        said, library = self.versions(), self.load_library()
        version = self.runtime.version(said)
        if version.is_layout_verified is not None:
            status = status._replace(layout_verified=version.is_layout_verified)
        return status._replace(
            version=version.text,
            ompd_library=library.path,
            api_version=said.api,
            initialized=True,
            events_enabled=self.runtime.events_enabled(),
        )

    def _serving(self) -> Optional[str]:
        """Return the OMPD library that will serve a runtime which has not started."""
        try:
            return self.load_library().path
        except OmpdToolError:
            return None  # it is said when there is something to ask

    # Facts

    def read_into(self, runtimes: _native.AllRuntimes) -> list[str]:
        """Add the runtime to RUNTIMES of this stop; return what is to be said of it. An unreadable
        thread is a row with its error."""
        with self.asking():
            runtimes.add(self.reader(), self.file, self.mapped.ranges)
        return self.runtime.notes()

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


class _Host:
    """What native code asks of a runtime: see RuntimeHost. It holds none of what asks, which would
    never be freed."""

    def __init__(self, target: GdbTarget, mapped: MappedModule) -> None:
        self._target = target
        self._mapped = mapped

    def machine(self) -> str:
        """Return the program's architecture in ELF's words."""
        return self._target.machine()

    def threads(self) -> list[NativeThread]:
        """Return the threads that there are."""
        return self._target.threads()

    def kernels_process(self) -> Optional[int]:
        """Return the process whose memory the kernel gives, None where it does not."""
        return self._target.kernels_process()

    def why_not_loaded(self) -> Optional[str]:
        """Return why GDB has read no symbols of the file, and what to do; None where it has."""
        return self._target.why_not_loaded(self._mapped.name)

    def refusal(self) -> tuple[str, ...]:
        """Return why its symbols were not recovered."""
        module = self._mapped.module
        return debug_files.refusal(module.elf.path if module is not None else None)

    def note(self) -> Optional[debug_files.Note]:
        """Return what was written down at the recovery, None where that is damaged."""
        module = self._mapped.module
        path = module.elf.debug_path if module is not None else None
        return debug_files.note_of_file(path) if path is not None else None

    def recovered(self) -> Optional[_native.RecoveredSymbols]:
        """Return the same as native code has it."""
        note = self.note()
        if note is None:
            return None
        return _native.RecoveredSymbols(note.build_id, note.layout_verified, note.constants)

    def private_fields(self, layout: dict[str, int]) -> Optional[PrivateFields]:
        """Return where a known release with LAYOUT keeps what OMPD does not publish."""
        module = self._mapped.module
        return None if module is None else releases.private_fields(layout, module.elf.exports)

    def event_constants(self) -> dict[str, int]:
        """Return what was written down of the places of events."""
        module, note = self._mapped.module, None
        if module is not None:
            path = debug_files.debug_file(module.elf.path, parameters.value("cache") is True).path
            note = debug_files.note_of_file(path) if path is not None else None
        return note.constants if note is not None else {}
