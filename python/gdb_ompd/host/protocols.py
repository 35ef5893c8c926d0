# SPDX-License-Identifier: Apache-2.0
"""What may be asked of a debugger: one protocol, implemented for GDB in ``target``.

Everything that reads an OpenMP program goes through this, so that providers
can be tested without GDB and GDB's traps are met in one file.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import NamedTuple, Optional, Protocol, Union

from .._native import OmpdError
from ..errors import OmpdToolError
from .trust import Trust

# How a failed read of the target shows: gdb.MemoryError and gdb.error are
# RuntimeErrors; the native side refuses what cannot be an address itself.
READ_ERRORS = (RuntimeError, OmpdError)


class NativeThread(NamedTuple):
    """A thread as the debugger lists it. PTHREAD_ID is None where libthread_db
    cannot say."""

    inferior: int
    gdb_num: int
    lwp: int
    pthread_id: Optional[int]
    running: bool


class MappedFile(NamedTuple):
    """An object file as the debugger knows it, and where to read it from here.

    NAME is what the dynamic linker calls it, PATH a file on this machine
    (``None`` if it cannot be had), DEBUG_PATH its separate debug file.
    """

    name: str
    path: Optional[str]
    debug_path: Optional[str]


class Target(Protocol):
    """One inferior. The methods raise the debugger's own errors."""

    def read_memory(self, address: int, size: int) -> Union[bytes, memoryview]:
        """Return exactly SIZE bytes at ADDRESS."""

    def write_memory(self, address: int, data: bytes) -> None:
        """Write DATA at ADDRESS; an error where memory cannot be written."""

    def thread_pointer(self, kind: int, thread_id: int) -> Optional[int]:
        """Return the thread pointer of the thread with that OMPD id."""

    def print_string(self, text: str, category: int) -> None:
        """Show what an OMPD library wants said."""

    def messages_kept(self) -> AbstractContextManager[list[str]]:
        """Keep what the library says in a list, instead of showing it."""

    def machine(self) -> str:
        """Return "x86-64", "aarch64" or the debugger's own word."""

    def byte_order(self) -> str:
        """Return "little" or "big"."""

    def type_sizes(self) -> tuple[int, int, int, int, int, int]:
        """Return the sizes of char, short, int, long, long long and a pointer."""

    def is_remote(self) -> bool:
        """Tell whether each read is a round trip to another program."""

    def kernels_process(self) -> Optional[int]:
        """Return the process whose data the kernel of this machine gives as the debugger
        does; None for a core, a remote process, a recording."""

    def threads(self) -> list[NativeThread]:
        """Return every thread the debugger knows, by its number."""

    def link_map(self) -> Optional[int]:
        """Return the address of the dynamic linker's ``r_debug``, if there is one."""

    def no_libraries(self) -> OmpdToolError:
        """Return the error that says why the list of the program's libraries is not found:
        NotInitialized where the program will have one."""

    def executable_bias(self, address_of: str, value: int) -> Optional[int]:
        """Return how far the executable was moved, by one of its symbols."""

    def executable(self) -> Optional[MappedFile]:
        """Return the main program's file."""

    def trust(self, name: str, path: Optional[str]) -> Trust:
        """Return what decides whether code beside the runtime may be loaded: the program
        calls it NAME, and it is the file at PATH."""

    def why_not_loaded(self, name: str) -> Optional[str]:
        """Return why the debugger has read no symbols of a library, None if it has."""

    def local_file(self, name: str) -> MappedFile:
        """Return where the library that the dynamic linker calls NAME can be read."""
