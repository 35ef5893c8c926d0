# SPDX-License-Identifier: Apache-2.0
"""One inferior of GDB's: memory, threads and files, and GDB's own word on what may be loaded.

Everything that reads an OpenMP program goes through this: GDB's traps are met in one file.
The inferior must be the selected one while this is used: GDB 13 reads memory
of the selected inferior whichever object is asked. ``selected_inferior`` does.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Callable, Literal, Optional, Sequence

import gdb

from .. import _native
from .._native import NativeThread
from ..errors import NoRuntime, NotInitialized, OmpdToolError
from .fetch import TARGET_PREFIX, plain
from . import moments
from .moments import note_reading
from .objfiles import Objfiles
from .protocols import MappedFile
from .selection import (
    connection_type,
    evaluate,
    integer_type,
    kept_selection,
    selected_thread,
    setting,
    threads_of,
)

HAS_BYTES = hasattr(gdb.Value, "bytes")
REMOTE = ("remote", "extended-remote")
Read = Callable[[int, int], memoryview]
# Where a distribution, or root, installs libraries, and where this extension is.
SYSTEM = [
    f"{above}/{name}" for above in ("", "/usr", "/usr/local") for name in ("lib", "lib32", "lib64")
]
INSTALLED = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
# Folders of programs in a tree with its libraries beside them.
_PROGRAMS = ("bin", "sbin", "libexec")
# What is there belongs to the system, whatever else is there.
_SYSTEM = ("/", "/usr", "/usr/local")
# What holds the thread pointer where libthread_db does not say; QEMU's stub has its own name.
THREAD_POINTER_REGISTERS = {"x86-64": ("fs_base",), "aarch64": ("tpidr", "TPIDR_EL0")}
ADDRESS_MASK = (1 << 64) - 1
# Of x86-64, by DWARF's numbers.
UNWOUND_REGISTERS = (
    *("rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"),
    *(f"r{number}" for number in range(8, 16)),
    "rip",
)


def reader() -> Read:
    """Return what reads the selected inferior's memory by address and size, while it is
    connected as now: gdb.MemoryError where nothing is mapped.

    For a process of this machine it is GDB's own, and costs what that does: conditions
    are evaluated thousands of times in a run. Of a remote process GDB's ``read_memory`` of versions
    16.3 and 18.1 puts back the number of the thread that was selected, even if the connection was
    lost in between. It puts back the thread with it; GDB's next look at its selected thread is then
    an internal error, which ends it. The read of a value leaves no such trace: the loss of the
    connection is an error only. GDB 13, whose values do not give their bytes, has ``read_memory``
    leave the selection alone.
    """
    inferior = gdb.selected_inferior()
    own: Read = inferior.read_memory
    if not HAS_BYTES or connection_type(inferior) not in REMOTE:
        return own

    def remote(address: int, size: int) -> memoryview:
        memory = _read(address, size)
        return own(address, size) if memory is None else memory

    return remote


def _read(address: int, size: int) -> Optional[memoryview]:
    """Return memory of the selected inferior; gdb.MemoryError where nothing is mapped,
    None where GDB gives no value's bytes, or SIZE is 0."""
    if not HAS_BYTES or size == 0:
        return None
    most: Optional[int] = gdb.parameter("max-value-size")  # None or -1: any size
    step, end = size if most is None or most < 0 else min(size, most), address + size
    pieces = [_value(begin, min(step, end - begin)) for begin in range(address, end, step)]
    return memoryview(b"".join(pieces))


def _value(address: int, size: int) -> bytes:
    byte = integer_type(8)
    place = gdb.Value(address).cast(byte.array(size - 1).pointer())
    found: bytes = place.dereference().bytes
    return found


def safe_path() -> list[str]:
    """Return the patterns of ``show auto-load safe-path``, with GDB's variables and
    ``~`` expanded, by its documentation (section "Security restriction for auto-loading")."""
    found: list[str] = []
    for pattern in _words(str(gdb.parameter("auto-load safe-path") or "")):
        if pattern.startswith("$debugdir"):
            places = _words(str(gdb.parameter("debug-file-directory") or ""))
            found += [place + pattern.removeprefix("$debugdir") for place in places]
        elif pattern.startswith("$datadir"):
            place = gdb.parameter("data-directory") or os.path.dirname(gdb.PYTHONDIR)  # "": GDB 10
            found.append(f"{place}{pattern.removeprefix('$datadir')}")
        else:
            found.append(os.path.expanduser(pattern))
    return found


def _words(path: str) -> list[str]:
    return [word for word in path.split(os.pathsep) if word]


def foreign_folders(program: Optional[str]) -> list[str]:
    """Return the folders that came with the program: its own, or the whole tree if its own is a
    "bin". Return with them the copy of another machine's files that the user has named."""
    folders = []
    for path in {os.path.abspath(program), os.path.realpath(program)} if program else ():
        folder = os.path.dirname(path)
        above = os.path.dirname(folder)
        if os.path.basename(folder) in _PROGRAMS and above not in _SYSTEM:
            folder = above
        folders.append(folder)
    sysroot = str(gdb.parameter("sysroot") or "")
    if os.path.isabs(sysroot) and os.path.realpath(sysroot) != "/":
        folders += [sysroot, os.path.realpath(sysroot)]
    return sorted(set(folders))


class GdbTarget:
    """One GDB inferior, as the providers see it."""

    def __init__(self, inferior: gdb.Inferior) -> None:
        self._inferior = inferior
        self._r_debug: Optional[int] = None
        self._read: Read = reader()
        self._read_at = -1  # at another moment GDB is asked anew what reads
        self._machine: Optional[str] = None
        # Gives the pthread_t of threads that GDB has none of.
        self.identify: Callable[[list[NativeThread]], list[NativeThread]] = list
        self._pthreads: set[Optional[int]] = set()  # of those

    def read_memory(self, address: int, size: int) -> memoryview:
        """Read from the inferior; gdb.MemoryError where nothing is mapped.

        Damaged pointers wrap around at the end of memory, as they do in C.
        """
        if self._read_at != moments.moment:
            note_reading()
            self._read_at, self._read = moments.moment, reader()
        return self._read(address & ADDRESS_MASK, size)

    def is_readable(self, address: int) -> bool:
        """Tell whether there is memory at ADDRESS."""
        try:
            self.read_memory(address, 1)
        except gdb.MemoryError:
            return False
        return True

    def write_memory(self, address: int, data: bytes) -> None:
        """Write to the inferior; gdb.MemoryError in a core file."""
        self._inferior.write_memory(address, data)

    def print_string(self, text: str, category: int) -> None:
        """Write what an OMPD library wants said to GDB's output."""
        gdb.write(text)

    def machine(self) -> str:
        """Return the architecture in ELF's words."""
        if self._machine is None:
            name: str = self._inferior.architecture().name()
            self._machine = "x86-64" if name == "i386:x86-64" else name
        return self._machine

    def forget_files(self) -> None:
        """Forget what the program's files said: another one may be executed now."""
        self._machine = None

    def byte_order(self) -> str:
        """Return the inferior's byte order, by how it reads a number."""
        number = gdb.Value(b"\x01\x00", integer_type(16))
        return "little" if int(number) == 1 else "big"

    def type_sizes(self) -> tuple[int, int, int, int, int, int]:
        """Return the sizes that Linux uses with the inferior's pointers."""
        pointer = integer_type(8).pointer().sizeof
        return 1, 2, 4, pointer, 8, pointer

    def threads(self) -> list[NativeThread]:
        """List the inferior's threads by number."""
        note_reading()
        inferior = self._inferior
        return self._identified(_native.native_threads(inferior.num, threads_of(inferior)))

    def stopped_thread(self, thread: gdb.InferiorThread) -> NativeThread:
        """Return a thread that stands still as the listing has it: in a condition GDB counts the
        thread that it asks about as running."""
        return self._identified([_native.stopped_thread(thread)])[0]

    def _identified(self, threads: list[NativeThread]) -> list[NativeThread]:
        if all(thread.pthread_id is not None for thread in threads):
            return threads
        found = self.identify(threads)
        self._pthreads = {thread.pthread_id for thread in found}
        return found

    def registers(self, gdb_nums: Sequence[int]) -> list[Optional[tuple[int, ...]]]:
        """Return the UNWOUND_REGISTERS of threads that stand still, None for a thread whose
        registers GDB cannot give, or that is gone meanwhile. Leaves another thread selected."""
        wanted = set(gdb_nums)
        threads = {t.num: t for t in threads_of(self._inferior) if t.num in wanted}
        with setting("language", "c"):
            return [_registers(threads[n]) if n in threads else None for n in gdb_nums]

    def kernels_process(self) -> Optional[int]:
        """Return the process whose threads and data are what the kernel says: it is this
        machine's and traced by this GDB, which replays no recording of it."""
        if connection_type(self._inferior) != "native" or gdb.current_recording() is not None:
            return None
        return self._inferior.pid or None

    def thread_pointer(self, kind: int, thread_id: int) -> Optional[int]:
        """Return a thread's pointer to its own storage, None for an id that no thread has.

        On x86-64 glibc's pthread_t is that pointer; elsewhere, and where
        libthread_db does not know the thread, a register holds it.
        """
        if kind == _native.THREAD_ID_PTHREAD and self.machine() == "x86-64":
            is_known = thread_id in self._pthreads or self._is_pthread(thread_id)
            return thread_id if is_known else None
        for thread in threads_of(self._inferior):
            known = thread.ptid[1] if kind == _native.THREAD_ID_LWP else _native.pthread_id(thread)
            if known == thread_id and not thread.is_exited():
                return self.pointer_of(thread)
        return None

    def _is_pthread(self, thread_id: int) -> bool:
        try:
            handle = thread_id.to_bytes(8, sys.byteorder)
            return self._inferior.thread_from_handle(handle) is not None
        except (gdb.error, RuntimeError):
            return False  # no libthread_db: it gave no such id either

    def pointer_of(self, thread: gdb.InferiorThread) -> Optional[int]:
        """Return the pointer to a thread's own storage, None where GDB does not have it."""
        if self.machine() == "x86-64":
            own = self.stopped_thread(thread).pthread_id
            if own is not None:
                return own
        return self._storage_register(thread)

    def storage_register(self, lwp: int) -> Optional[int]:
        """Return the register that points to the own storage of the thread with that number of
        the kernel's, None where GDB does not have it."""
        of_it = (thread for thread in threads_of(self._inferior) if thread.ptid[1] == lwp)
        thread = next((thread for thread in of_it if not thread.is_exited()), None)
        return None if thread is None else self._storage_register(thread)

    def _storage_register(self, thread: gdb.InferiorThread) -> Optional[int]:
        if thread.is_running():
            return None
        with kept_selection():
            thread.switch()
            for register in THREAD_POINTER_REGISTERS.get(self.machine(), ()):
                with suppress(gdb.error, ValueError):
                    return int(gdb.newest_frame().read_register(register)) & ADDRESS_MASK
        return None

    def link_map(self) -> Optional[int]:
        """Return where the dynamic linker keeps its list; None in a static program.

        Looking the symbol up takes GDB longer than all the rest of a start, and
        without address randomisation it is where it was in the last run.
        """
        if self._r_debug is None or not self._is_link_map(self._r_debug):
            try:
                self._r_debug = int(evaluate("(unsigned long) &_r_debug"))
            except gdb.error:
                self._r_debug = None
        return self._r_debug

    def _is_link_map(self, address: int) -> bool:
        """Tell whether a ``struct r_debug`` (<link.h>) is at ADDRESS: a version, and
        a list whose first entry has none before it."""
        word = self.type_sizes()[5]
        try:
            version = self._word(address, 4)
            first = self._word(address + word, word)
            return version in (1, 2) and first != 0 and self._word(first + 4 * word, word) == 0
        except gdb.MemoryError:
            return False

    def _word(self, address: int, size: int) -> int:
        order: Literal["little", "big"] = "little" if self.byte_order() == "little" else "big"
        return int.from_bytes(self.read_memory(address, size), order)

    def no_libraries(self) -> OmpdToolError:
        """Return the error that says why the list of the program's libraries is not found:
        NotInitialized where the program will have one."""
        if gdb.parameter("osabi") == "none":
            return NoRuntime(
                "GDB does not look for libraries: 'set osabi auto', and start the program or load"
                " the core file again"
            )
        missing = "the list of the program's libraries is not in memory"
        if self.is_core():
            return NoRuntime(f"{missing}: the core file is incomplete")
        return NotInitialized(f"{missing}: it has not loaded them yet")

    def executable_bias(self, start: int) -> Optional[int]:
        """Return the executable's displacement by where GDB sees its "_start", which the file has
        at START."""
        try:
            return int(evaluate("(unsigned long) &_start")) - start
        except gdb.error:
            return None

    def has_executable(self) -> bool:
        """Tell whether GDB was given the main program's file."""
        return bool(self._inferior.progspace.filename)

    def is_core(self) -> bool:
        """Tell whether the inferior is a core file."""
        return connection_type(self._inferior) == "core"

    def executable(self) -> Optional[MappedFile]:
        """Return the main program's file, None if GDB was given none."""
        name = self._inferior.progspace.filename
        if not name:
            return None
        return self.objfiles().executable(name)

    def process_files(self, address: int, name: str) -> list[str]:
        """Return where the kernel may have the file that is mapped at ADDRESS as NAME."""
        process = self.kernels_process()
        return _native.process_files(process, address, name) if process is not None else []

    def has_read(self, path: str) -> bool:
        """Tell whether GDB has read the file at PATH, as by "add-symbol-file"."""
        return self.objfiles().has(path)

    def lacks_libraries(self, names: Sequence[str]) -> bool:
        """Tell whether GDB has read none of a core's libraries, which are mapped as NAMES, though
        it could: it was given the program after the core."""
        there = [name for name in names if os.path.isfile(name)]
        may_read = gdb.parameter("auto-solib-add") and gdb.parameter("sysroot") in (
            "",
            TARGET_PREFIX,
        )
        return bool(there and may_read and self.is_core()) and not any(
            map(self.objfiles().of, there)
        )

    def trust(self, name: str, path: str) -> _native.Trust:
        """Return what decides whether code beside the runtime may be loaded: the program
        calls it NAME, and it is the file at PATH."""
        foreign = foreign_folders(plain(self._inferior.progspace.filename))
        why = self._why_unconfirmed(path)
        return _native.Trust(safe_path(), foreign, name, why, INSTALLED, SYSTEM)

    def _why_unconfirmed(self, path: str) -> Optional[str]:
        if self.is_core():
            return "only a core file says where it is"
        if connection_type(self._inferior) != "native":
            return "only a remote program says where it is"
        return _native.why_unconfirmed(self._inferior.pid, path)

    def objfiles(self) -> Objfiles:
        """Return the files that GDB has read of the inferior's program."""
        return Objfiles(self._inferior.progspace)

    def why_not_loaded(self, name: str) -> Optional[str]:
        """Return why GDB has read no symbols of the library that is mapped as NAME, and what
        to do; None where it has."""
        if self.objfiles().of(name) is not None:
            return None
        root = gdb.parameter("sysroot")
        if root and root != TARGET_PREFIX and not os.path.exists(root + name):
            return f"it is not below {root} ('show sysroot')"
        return "load those of all libraries with 'sharedlibrary' ('show auto-solib-add')"


def _registers(thread: gdb.InferiorThread) -> Optional[tuple[int, ...]]:
    try:
        if selected_thread() is thread:
            gdb.newest_frame().select()  # the user may have selected a caller
        else:
            thread.switch()
        # Not by a frame, which unwinds its caller: that costs a remote target more reads.
        values = [int(gdb.parse_and_eval(f"${name}")) for name in UNWOUND_REGISTERS]
    except (gdb.error, ValueError):
        return None
    return tuple(value & ADDRESS_MASK for value in values)
