# SPDX-License-Identifier: Apache-2.0
# Written by scripts/native-stub.py: change native/bindings instead.
"""OMPD's callback table, libompd's functions and ELF symbols, in C++.

Nothing here knows GDB but ``native_threads``, ``pthread_id`` and ``stopped_thread``. Memory
comes from a ``Target`` object written in Python. Section numbers are those of OpenMP API 5.0
(November 2018).
"""

from typing import Any, Callable, Mapping, Optional, Protocol, Sequence, TypeVar, Union

from .model import (
    ControlVariable,
    Icv,
    Location,
    Membership,
    Region,
    Task,
    TaskKind,
    Thread,
    WaitingTask,
)
from .model.waits import Wait
from .explain.facts import At, Held, LockWord

_Function = TypeVar("_Function", bound=Callable[..., Any])

class Target(Protocol):
    """What the callbacks need from a debugger. Exceptions pass through unchanged.

    An exception that a callback meets ends the call it happened in: further callbacks of that
    call are refused, and it is raised from the call even if libompd says "ok", because libompd
    masks failed reads and answers all the same. An ``Exception`` from ``read_memory`` means that
    memory cannot be read (a smaller range may then be tried); ``KeyboardInterrupt`` is never
    retried. A reply of the wrong length is an ``OmpdError``.
    """

    def read_memory(self, address: int, size: int) -> Union[bytes, memoryview]: ...
    def write_memory(self, address: int, data: bytes) -> None: ...
    def thread_pointer(self, kind: int, thread_id: int) -> Optional[int]:
        """Return the thread pointer of a native thread, None if there is none."""
    def print_string(self, text: str, category: int) -> None: ...

class PlaceNames(Protocol):
    """What the debugger calls the places on stacks, each of a thread by its GDB number."""

    def at(self, points: Sequence[tuple[int, bool]]) -> Sequence[Optional[SourcePlace]]:
        """Return the place at each program counter, which is an innermost frame's or not; None
        where only the thread's frames tell it."""
    def chain(self, gdb_num: int, pc: int) -> Sequence[SourcePlace]:
        """Return the places of frames at PC, those of inlined functions first."""
    def outermost_called(self, gdb_num: int) -> Optional[str]:
        """Name the outermost frame below the user's code that no signal has interrupted."""
    def is_unreadable(self, gdb_num: int) -> bool:
        """Tell whether a thread's frames cannot be told."""
    def left(self, jumps: Sequence[int], function: Optional[int]) -> Optional[SourcePlace]:
        """Return where a FUNCTION of the user's was left by JUMPS, which has no frame."""
    def kind_by_lines(self, kind: str, places: Sequence[CallPlace]) -> str:
        """Return what is waited for in one of the calls at PLACES, KIND or a like one."""
    def object(self, kind: str, address: int, gdb_num: int, pc: int) -> Optional[str]:
        """Return what the user calls the object at ADDRESS in the frame at PC."""
    def mutex(self, address: int, gdb_num: int, pc: int) -> Optional[str]:
        """Return what the user calls a lock of the C library's in his innermost frame, at PC."""
    def waits_for_others(self, function: str) -> bool:
        """Tell whether a function of MPI's waits for what other processes do."""
    def held(self, gdb_num: int, found: Sequence[HeldLock]) -> tuple[Held, ...]:
        """Return the locks that were FOUND, with their names."""
    def variables(self, gdb_num: int, addresses: Sequence[int]) -> tuple[str, ...]:
        """Return what the user calls the variables at ADDRESSES."""
    def construct(self, pc: int, function: int) -> Optional[Location]:
        """Return where the construct is whose call returns to PC and whose FUNCTION begins there; 0
        where one is not known."""
    def construct_called(self, call: Location, body: Optional[int]) -> Location:
        """Return where the construct is that is begun at a CALL with the outlined function BODY."""
    def call_place(self, pc: int) -> Location:
        """Return where the call is that returns to PC."""
    def frame_place(self, gdb_num: int, frame: int) -> Location:
        """Return where a frame of the debugger's is, counted from the innermost."""
    def function(self, gdb_num: int, frame: int) -> FrameFunction:
        """Return what is known of such a frame's function."""
    def functions_at(self, pc: int, start: int) -> Optional[Sequence[str]]:
        """Return the names of the functions whose code is at PC, which is in the one that begins at
        START: those that are inlined first. None where it is not known which of them has the
        frame."""
    def is_left_by_jump(self, called: int, inside: str) -> bool:
        """Tell whether the function that was CALLED is the body of a region, and has ended with a
        jump: the call goes on in the function INSIDE."""
    def is_in_body(self, gdb_num: int, function: int) -> bool:
        """Tell whether the task with the outlined FUNCTION is one of the innermost frames."""

class DebuggersFrames(Protocol):
    """The frames of threads, each by its GDB number, as the debugger has them."""

    def stopped(self, gdb_nums: Sequence[int]) -> dict[int, Optional[ThreadStack]]:
        """Return the stacks of those of threads that stand still, None for one without
        registers."""
    def given(self, gdb_num: int) -> Sequence[GivenFrame]:
        """Return a thread's frames, innermost first."""
    def placed(self, gdb_num: int) -> Sequence[GivenFrame]:
        """Return the same without their registers."""
    def given_around_user(self, gdb_num: int) -> Sequence[GivenFrame]:
        """Return those of them in which its place is looked for, the outer ones without
        registers."""

class StopHost(Protocol):
    """What only the debugger knows of a stop."""

    def add_runtimes(self, runtimes: AllRuntimes) -> Optional[Exception]:
        """Add each one that can be read to RUNTIMES; return why none can."""
    def stacks(self) -> Stacks: ...
    def readable_code(self) -> Optional[Sequence[tuple[int, int]]]:
        """Return where the files are that could be read, None where all runtimes could."""
    def is_forked(self) -> Optional[bool]:
        """Tell whether the process began by fork() and has executed no program since."""
    def is_own_memory(self, address: int) -> bool:
        """Tell whether no other process can use the memory at an address."""

class RuntimeHost(Protocol):
    """What only the debugger knows of a runtime and its process."""

    def machine(self) -> str:
        """Return the program's architecture in ELF's words."""
    def threads(self) -> Sequence[NativeThread]: ...
    def kernels_process(self) -> Optional[int]:
        """Return the process whose memory the kernel gives, None where it does not."""
    def why_not_loaded(self) -> Optional[str]:
        """Return why the debugger has read no symbols of the file, and what to do; None where it
        has."""
    def refusal(self) -> Sequence[str]:
        """Return why its symbols were not recovered; nothing if that was not tried."""
    def recovered(self) -> Optional[RecoveredSymbols]:
        """Return what was written down at the recovery, None where that is damaged."""
    def private_fields(self, layout: dict[str, int]) -> Optional[PrivateFields]:
        """Return where a known release with LAYOUT keeps what OMPD does not publish."""
    def event_constants(self) -> dict[str, int]:
        """Return what was written down of the places of events, by name."""

class OmpdError(Exception):
    """A function of libompd, or a callback of ours, returned an error code.

    CALL is the OMPD function's name, such as ``ompd_get_state``, CODE an ompd_rc_t, CODE_NAME
    such as ``ompd_rc_stale_handle``.
    """

    call: str
    code: int
    code_name: str

def error_string(code: int) -> str:
    """Describe an ``ompd_rc_t`` in words (the 2014 ompd_get_error_string)."""

class Symbol:
    """One symbol of an ELF file, at its link-time value.

    Made by hand it is one for ``write_debug_file``, of the source ``recovered``. Raises
    ValueError for a kind that is none.
    """

    def __init__(self, name: str, value: int, size: int, kind: str) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int:
        """For a thread-local symbol: its offset in the module's TLS block."""
    @property
    def size(self) -> int: ...
    @property
    def kind(self) -> str:
        """One of ``data``, ``function``, ``label`` or ``tls``."""
    @property
    def source(self) -> str:
        """One of ``symtab``, ``debuginfo``, ``recovered`` or ``dynsym``."""

class LoadedSegment:
    """A part of a file that is loaded: a PT_LOAD."""

    @property
    def address(self) -> int: ...
    @property
    def size(self) -> int:
        """In memory."""
    @property
    def flags(self) -> str:
        """Such as ``r-x``."""

class Elf:
    """The symbols and headers of one ELF file, read once.

    ``debug_path`` names a separate debug file; without it the places of the build-id and
    .gnu_debuglink below ``debug_directory`` are tried. Raises OSError, or ValueError for a file
    that is not a sound ELF file.
    """

    def __init__(
        self, path: str, debug_path: Optional[str] = None, debug_directory: str = "/usr/lib/debug"
    ) -> None: ...
    @property
    def path(self) -> str: ...
    @property
    def debug_path(self) -> Optional[str]:
        """The separate debug file that is used, if any."""
    @property
    def build_id(self) -> Optional[str]:
        """In hex."""
    @property
    def soname(self) -> Optional[str]: ...
    @property
    def needed(self) -> list[str]: ...
    @property
    def machine(self) -> str:
        """Either ``x86-64``, ``aarch64`` or the number as text."""
    @property
    def segments(self) -> list[LoadedSegment]:
        """Each PT_LOAD."""
    @property
    def symbols_from(self) -> Optional[str]:
        """The best: ``symtab``, ``debuginfo``, ``recovered``, ``dynsym`` or None."""
    def symbol(self, name: str) -> Optional[Symbol]:
        """Find a defined symbol by its exact name; symtab, debug file, then dynsym."""
    def exports(self, name: str) -> bool:
        """Tell whether .dynsym defines NAME (a hash look-up, no table is read)."""
    def imports(self) -> list[str]:
        """Return the names that the file leaves to others, as the file is now."""
    def function_at(self, value: int) -> Optional[Symbol]:
        """Find the function whose range holds a link-time address."""

def write_debug_file(runtime: str, symbols: Sequence[Symbol], note: bytes, out: str) -> None:
    """Write a separate debug file for RUNTIME that holds SYMBOLS, and NOTE for the next reader.

    It has the runtime's build-id, and its headers without what they stand for. The functions
    ``ompd_bp_*`` and ``ompd_dll_locations_valid`` also get the C++ names they have in LLVM 14 to
    16. OUT appears whole or not at all. Raises OSError, or ValueError for a damaged runtime, for
    a symbol that lies in none of its sections, a name given twice for one place, and an OUT that
    is the runtime or a device.
    """

def read_debug_note(path: str) -> Optional[bytes]:
    """Return the note of such a file; None for any other ELF file.

    Raises OSError, or ValueError for what is no ELF file.
    """

def remove_folder(folder: str) -> None:
    """Remove a folder with all that is in it, as far as that can be."""

class Module:
    """An ELF file mapped into an address space."""

    def __init__(self, elf: Elf, bias: int, name: str) -> None: ...
    @property
    def elf(self) -> Elf: ...
    @property
    def bias(self) -> int: ...
    @property
    def name(self) -> str: ...

class TargetFunction:
    """A function that clang has made of a target region, or one that is called for a device."""

    @property
    def name(self) -> str: ...
    @property
    def made_in(self) -> str:
        """The function that a region is in, as linkers have it."""
    @property
    def line(self) -> int:
        """The region's."""
    @property
    def returns(self) -> list[int]:
        """How far its return instructions are from its begin."""

class TargetFunctions:
    """Where a file's code for target constructs is entered and left."""

    @property
    def regions(self) -> list[TargetFunction]: ...
    @property
    def calls(self) -> list[TargetFunction]:
        """For a device, which the file has for others."""
    @property
    def wanted(self) -> list[str]:
        """Those that its code calls."""
    @property
    def is_of_gcc(self) -> bool:
        """Whether its code calls GCC's runtime for target constructs."""

def target_functions(path: str) -> TargetFunctions:
    """Find what clang has made of target constructs in a file, and what is called for devices.

    Raises OSError, or ValueError for what is no ELF file or is damaged where it had to be read.
    """

class Recovery:
    """The symbols of a stripped libomp, read from its code. All or nothing."""

    @property
    def architecture(self) -> str:
        """Either ``x86-64`` or ``aarch64``; empty for a processor that is not understood."""
    @property
    def symbols(self) -> list[Symbol]:
        """By name; empty if the file is refused."""
    @property
    def constants(self) -> dict[str, int]:
        """What ompd_init() stores into each of META_SYMBOLS."""
    @property
    def reasons(self) -> list[str]:
        """Why the file is refused; empty if it is not."""

def recover(path: str) -> Recovery:
    """Find the symbols that OMPD needs in a libomp that was stripped of them; in GCC's runtime the
    places of events, several of one name, with what is told of each as constants.

    Only the file is read. Raises OSError, or ValueError for what is no ELF file or is damaged
    where it had to be read.
    """

META_SYMBOLS: list[str]

def check_constants(constants: Mapping[str, int]) -> list[str]:
    """Return one line for each rule of LLVM 13 to 24 that a layout, by name, breaks.

    The rules are the declared order of a record's fields, types of a known size and offsets that
    are fixed by a specification (openmp/runtime/src/kmp.h, ompt-internal.h). Empty for a sound
    layout; TypeError for a negative number.
    """

def questions_under_way() -> int:
    """Return how many questions to a target are waiting for their answers: meanwhile nothing that
    native code has in its hands may be dropped."""

class AddressSpace:
    """A target's memory, symbols and types: the address space context of OMPD.

    Reads go through a cache of whole lines that ``drop_cache`` empties.
    """

    def __init__(
        self,
        target: Target,
        *,
        machine: str = "x86-64",
        byte_order: str = "little",
        type_sizes: Sequence[int] = (1, 2, 4, 8, 8, 8),
        cache_line: int = 4096,
    ) -> None: ...
    def set_modules(self, modules: Sequence[Module], home: Optional[str] = None) -> None:
        """Set what is mapped, executable first, then libraries in load order.

        HOME is the file name that stands in where libompd gives none: the runtime this address
        space is about (a process can hold two).
        """
    def drop_cache(self) -> None: ...
    def read(self, address: int, size: int) -> bytes: ...
    def read_uint(self, address: int, size: int) -> int:
        """Read an unsigned integer in the target's byte order."""
    def read_pointer(self, address: int) -> int: ...
    def read_string(self, address: int, limit: int = 4096) -> Optional[bytes]:
        """Read up to the NUL, without it; None when there is none within LIMIT."""
    def write(self, address: int, data: bytes) -> None: ...
    def symbol_address(
        self, name: str, file: Optional[str] = None, thread_pointer: Optional[int] = None
    ) -> Optional[int]:
        """Look NAME up as the OMPD callback does (section 5.4.3.1); None if unknown.

        A thread-local symbol needs THREAD_POINTER, and its block allocated.
        """
    def thread_local_block(self, module: Module, thread_pointer: int) -> Optional[int]:
        """Return where a thread keeps its variables of a file, None if it has not allocated them,
        or that is not known."""
    def clone_context(self) -> AddressSpace:
        """Return another context with the same target and cache, and a copy of the list of modules
        and the home.

        libompd keys its caches by the context's address, so a runtime with another layout needs
        a context of its own.
        """
    @property
    def target_reads(self) -> int:
        """How many times Target.read_memory was called."""
    @property
    def cached_lines(self) -> int: ...

class LinkMapEntry:
    """An entry of the dynamic linker's list of what it has mapped."""

    def __init__(self, address: int, bias: int, name: str) -> None: ...
    @property
    def address(self) -> int:
        """Of the entry itself; 0 for a program that the linker has not mapped."""
    @property
    def bias(self) -> int: ...
    @property
    def name(self) -> str:
        """The file's, as the linker has it."""

def link_map(space: AddressSpace, r_debug: int) -> list[LinkMapEntry]:
    """List what the dynamic linker has mapped, of all namespaces. R_DEBUG is its ``struct r_debug``
    (<link.h>). Inconsistent for a list without end."""

def told_to_debuggers(space: AddressSpace, executable: Elf, bias: int) -> Optional[int]:
    """Return where that structure is by the executable's DT_DEBUG (<elf.h>), None if unknown."""

def can_be_mapped(space: AddressSpace, elf: Elf, bias: int) -> bool:
    """Tell whether ELF can be what is mapped there: no only where the build-id in memory is another
    one or, of a file without one, its tables are."""

def mapped_modules(
    space: AddressSpace, files: Sequence[tuple[LinkMapEntry, Optional[Elf]]]
) -> list[Optional[Module]]:
    """Return files as they are mapped, with their thread-local storage. FILES are entries of the
    link map, or a static program's executable, each with what its file is; None for one without."""

class MappedHeaders:
    """What the program headers of a mapped file say, as memory has them."""

    @property
    def bias(self) -> int: ...
    @property
    def build_id(self) -> Optional[str]: ...
    @property
    def ranges(self) -> list[tuple[int, int]]:
        """Where the file's parts are in memory."""

def headers_of_file(space: AddressSpace, address: int) -> Optional[MappedHeaders]:
    """Return those of the file whose ELF header is at ADDRESS, None where memory has none."""

def headers_of_program(space: AddressSpace, address: int, count: int) -> Optional[MappedHeaders]:
    """Return those of the file whose COUNT program headers are at ADDRESS, None if unreadable."""

def process_files(process: int, address: int, name: str) -> list[str]:
    """Return names that the kernel has for the file that PROCESS has mapped at ADDRESS and calls
    NAME, likeliest first. What is there need not be that file, or not be there at all."""

class Handle:
    """Base of the handles libompd gives out. A child keeps its process alive.

    A call on a handle that is not valid raises OmpdError (stale handle), and an ICV or tool data
    asked with a scope that is not the handle's raises OmpdError (bad input), both without
    calling libompd. ``compare`` returns what libompd says: LLVM's truncates a 64-bit difference,
    so that its sign and even its equality can be wrong.
    """

    @property
    def valid(self) -> bool:
        """False once released, or once its process handle has ended."""
    def release(self) -> None:
        """Release it now; a second call does nothing."""
    def icv(self, icv_id: int, scope: int) -> int: ...
    def icv_or_incomplete(self, icv_id: int, scope: int) -> tuple[int, bool]:
        """Return the value, and whether libompd called it incomplete (code 11)."""
    def icv_string(self, icv_id: int, scope: int) -> str: ...
    def tool_data(self, scope: int) -> tuple[int, int]: ...

class ThreadHandle(Handle):
    """A thread."""

    def thread_id(self, kind: int, size: int = 8) -> int: ...
    def state(self) -> tuple[int, int]:
        """Return (state, wait id)."""
    def curr_parallel(self) -> ParallelHandle: ...
    def curr_task(self) -> TaskHandle: ...
    def compare(self, other: ThreadHandle) -> int: ...

class ParallelHandle(Handle):
    """A parallel region."""

    def enclosing_parallel(self) -> ParallelHandle: ...
    def thread_in_parallel(self, thread_num: int) -> ThreadHandle: ...
    def task_in_parallel(self, thread_num: int) -> TaskHandle: ...
    def compare(self, other: ParallelHandle) -> int: ...

class TaskHandle(Handle):
    """A task."""

    def task_parallel(self) -> ParallelHandle: ...
    def generating_task(self) -> TaskHandle: ...
    def scheduling_task(self) -> TaskHandle: ...
    def function(self) -> int:
        """Return the address of the task's function, 0 for an initial task."""
    def frame(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return (exit, enter), each an address and its ompd_frame_flag bits."""
    def compare(self, other: TaskHandle) -> int: ...

class ProcessHandle(Handle):
    """An address space handle.

    ``end`` makes it and every handle from it invalid, for good; ``release`` and deleting it do
    so, too. Memory goes back to libompd when each object goes.
    """

    def end(self) -> None: ...
    def device_initialize(
        self, space: AddressSpace, kind: int, device_id: bytes
    ) -> ProcessHandle: ...
    def omp_version(self) -> int: ...
    def omp_version_string(self) -> str: ...
    def thread(self, kind: int, thread_id: int, size: int = 8) -> ThreadHandle: ...
    def display_control_vars(self) -> list[str]:
        """Return ``name=value`` strings, and give them back to libompd."""
    def enumerate_states(self) -> dict[int, str]: ...
    def enumerate_icvs(self) -> list[tuple[int, str, int]]:
        """Return (id, name, scope) of each."""

OMPD_API_VERSIONS: tuple[int, int]
THREAD_ID_PTHREAD: int
THREAD_ID_LWP: int
THREAD_ID_WINTHREAD: int
SCOPE_GLOBAL: int
SCOPE_ADDRESS_SPACE: int
SCOPE_THREAD: int
SCOPE_PARALLEL: int
SCOPE_IMPLICIT_TASK: int
SCOPE_TASK: int

class SpecifiedName:
    """What has a name in some of OMPD's versions."""

    @property
    def name(self) -> str: ...
    @property
    def since(self) -> int:
        """The first version that has it, such as 201811."""
    @property
    def dropped(self) -> int:
        """The first that has it no longer, 0 for none."""

def specified(what: str) -> list[SpecifiedName]:
    """Return the specification's names of WHAT: "icvs", "scopes", "states", "events", "functions"
    or "return codes"."""

def set_call_timeout(seconds: int) -> None:
    """Set how long one call into a library may take, in seconds; 0 is for ever.

    ValueError for a negative number.
    """

class Guarded:
    """A context: signal handlers that end calls into libraries are set just once in it, by the
    first call. Every call sets them by itself where there is no such context; contexts nest."""

    def __init__(self) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, kind: object, error: object, traceback: object) -> None: ...

class Library:
    """A private instance of an OMPD library, initialised with our callbacks.

    The file is copied into memory before it is loaded, so that two instances share nothing. What
    it prints to standard output is caught. Raises OSError if it cannot be loaded, ValueError if
    functions are missing, OmpdError if it speaks no version of OMPD that we do, or
    ompd_initialize refuses.

    Every call is guarded: where the library crashes, takes longer than ``set_call_timeout``
    allows, or writes beyond memory of ours, the call raises errors.LibraryFailed, and so does
    every later one. Ctrl-C raises KeyboardInterrupt.
    """

    def __init__(self, path: str) -> None: ...
    @property
    def path(self) -> str: ...
    @property
    def failure(self) -> Optional[str]:
        """Why it is never called again: what its LibraryFailed said."""
    def api_version(self) -> int: ...
    @property
    def agreed_version(self) -> int:
        """The newest of OMPD's versions that both of us speak."""
    def version_string(self) -> str: ...
    def finalize(self) -> None:
        """End all that was asked of the library; OmpdError if that was done before."""
    def process_initialize(self, space: AddressSpace) -> ProcessHandle: ...
    def take_output(self) -> str:
        """Return and forget what the library printed."""

class Trust:
    """What decides about files that the program names. SAFE_PATH holds the patterns of GDB's
    auto-load safe-path, expanded, FOREIGN the folders whose contents came with the program. NAME
    is the one by which the program has its runtime, UNCONFIRMED says why nothing but the
    program's memory tells that it executes that file. INSTALLED is where this extension is,
    SYSTEM where a distribution, or root, installs libraries."""

    def __init__(
        self,
        safe_path: Sequence[str],
        foreign: Sequence[str],
        name: str,
        unconfirmed: Optional[str],
        installed: str,
        system: Sequence[str],
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class RefusedLibrary:
    """A library that must not be loaded."""

    @property
    def path(self) -> str: ...
    @property
    def file(self) -> str:
        """What the path leads to."""
    @property
    def why(self) -> str: ...

class FoundLibraries:
    """OMPD libraries for a runtime."""

    @property
    def paths(self) -> list[str]:
        """Of those to load, best first."""
    @property
    def refused(self) -> list[RefusedLibrary]: ...

def find_libraries(
    runtime: Optional[str], named: Sequence[str], trust: Trust, places: Sequence[str]
) -> FoundLibraries:
    """Find the OMPD libraries for the RUNTIME's file, which names NAMED, beside it and in the
    system's PLACES."""

def others_hand(path: str) -> Optional[str]:
    """Return how somebody other than root and the user could change what is at PATH, or where it
    leads; None if nobody can. What does not exist is its folder's matter."""

def why_unconfirmed(process: int, path: str) -> Optional[str]:
    """Return why the kernel does not confirm that PROCESS executes code of the file at PATH with
    the rights of the user who runs this debugger, None if it does."""

class NativeThread:
    """A thread as the debugger lists it."""

    def __init__(
        self, gdb_num: int, lwp: int, pthread_id: Optional[int], running: bool, inferior: int
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    @property
    def inferior(self) -> int: ...
    @property
    def gdb_num(self) -> int: ...
    @property
    def lwp(self) -> int:
        """The kernel's number, 0 for none."""
    @property
    def pthread_id(self) -> Optional[int]:
        """Its pthread_t; None where neither libthread_db nor the C library tells it."""
    @property
    def running(self) -> bool: ...

def native_threads(inferior: int, threads: Sequence[object]) -> list[NativeThread]:
    """Return those of an inferior's THREADS, gdb.InferiorThread's, that have not exited, by number."""

def identified(
    space: AddressSpace,
    modules: Sequence[Module],
    threads: Sequence[NativeThread],
    pointers: Callable[[int], Optional[int]],
) -> list[NativeThread]:
    """Return THREADS with the pthread_t that the C library has of those that have none, of glibc's
    list of its threads. POINTERS gives the pointer to its own storage of the thread with a
    number of the kernel's."""

def ask_to_stop(process: int, preferred: int, alone: bool) -> int:
    """Send SIGSTOP to a running thread of PROCESS, which this one traces: PREFERRED or, unless
    ALONE, another one if that does not run or was sent one already. Return its LWP, 0 for none."""

def stop_is_pending(process: int, thread: int) -> bool:
    """Tell whether a SIGSTOP has not reached THREAD, an LWP that this process traces."""

def send_stop(process: int, thread: int) -> bool:
    """Send SIGSTOP to THREAD, whatever it does; return False if it is gone."""

def undo_stop(process: int, thread: int) -> None:
    """Have PROCESS go on, which is not traced any more, if a SIGSTOP for THREAD stops it."""

def hardware_watchpoints_stop() -> Optional[bool]:
    """Tell whether this machine's debug registers stop a program, as a child of this process shows
    once; None where that cannot be tried."""

def pthread_id(thread: object) -> Optional[int]:
    """Return the pthread_t of a gdb.InferiorThread, None where libthread_db cannot tell it."""

def stopped_thread(thread: object) -> NativeThread:
    """Return a gdb.InferiorThread that stands still as the listing has it: in a condition GDB
    counts the thread that it asks about as running."""

def runtime_family(elf: Elf, is_executable: bool) -> Optional[str]:
    """Return whose the OpenMP runtime in a file is, None for a file without one. An executable may
    have it linked into it, and exports nothing then. ValueError for a damaged file."""

def is_stripped_runtime(elf: Elf) -> bool:
    """Tell whether a shared library is LLVM's runtime without what OMPD needs, or GCC's without
    names of where its events are."""

class Versions:
    """What a runtime and its library implement."""

    @property
    def api(self) -> int:
        """OMPD's version, such as 201811."""
    @property
    def library(self) -> str:
        """How the library describes itself."""
    @property
    def omp(self) -> Optional[int]:
        """The runtime's version of OpenMP."""
    @property
    def omp_text(self) -> Optional[str]: ...

class ThreadNumbers:
    """What omp_get_... would return in a thread now."""

    def __init__(self, thread_num: int, team_size: int, level: int, active_level: int) -> None: ...
    @property
    def team_num(self) -> Optional[int]:
        """None where the runtime does not tell."""
    @property
    def num_teams(self) -> Optional[int]: ...
    @property
    def thread_num(self) -> int: ...
    @property
    def team_size(self) -> int: ...
    @property
    def level(self) -> int: ...
    @property
    def active_level(self) -> int: ...

class RuntimeReader:
    """Reads one OpenMP runtime. What is read at a stop is kept until it ends."""

    def versions(self) -> Versions: ...
    def place(self, thread: NativeThread) -> Optional[ThreadNumbers]:
        """Return None in no team."""
    def knows(self, thread: NativeThread) -> bool: ...
    def memberships(self, thread: NativeThread) -> list[Membership]:
        """Return the model's, innermost first."""
    def task_kind(self, thread: NativeThread) -> Optional[TaskKind]: ...
    def state(self, thread: NativeThread) -> Optional[str]:
        """Return the OMPT state's name without ``ompt_state_``."""
    def icv(self, thread: NativeThread, name: str) -> Optional[Icv]: ...

class PrivateFields:
    """Where LLVM's runtime keeps what OMPD does not publish: offset and size in bytes by
    ``record.field``, in bits for a field of bits, of an enumeration's constant its number."""

    def __init__(self, places: Mapping[str, tuple[int, int]]) -> None: ...
    @staticmethod
    def of_debug_information(file: Elf) -> Optional[PrivateFields]:
        """Return those that a file's debug information has, None where it has none."""
    @staticmethod
    def names() -> list[str]:
        """Return the names of all places that are of use."""
    @property
    def places(self) -> dict[str, tuple[int, int]]: ...

class Capabilities:
    """What OMPD has no word for, as a runtime records it, at one stop."""

    def knows(self, gdb_num: int) -> bool:
        """Tell whether a thread is this runtime's."""
    def place(self, gdb_num: int) -> tuple[Optional[int], Optional[tuple[int, int]]]:
        """Return the number of the OpenMP place that a thread is bound to, and the first and the
        last place of its partition; None for what is not known."""

def named_libraries(space: AddressSpace) -> list[str]:
    """List the OMPD libraries that a runtime names by ``ompd_dll_locations``, as it does once it
    has started; nothing where memory cannot be read."""

def environment(space: AddressSpace, variable: int) -> dict[str, str]:
    """Return the environment that the C library's ``environ``, at VARIABLE, leads to; none where
    that cannot be read."""

def prove_symbols(
    space: AddressSpace,
    module: Module,
    constants: Mapping[str, int],
    threads: Sequence[NativeThread],
) -> int:
    """Compare all symbols that were recovered for MODULE with the program. Returns how many
    threads' records proved the table of threads: 0 while the runtime knows none. Raises
    Inconsistent with the first difference."""

class LayoutCheck:
    """What a layout says of a stopped program."""

    @property
    def violations(self) -> list[str]:
        """What cannot be, a line each."""
    @property
    def checked(self) -> int:
        """How many facts were looked at; none while no thread is seen in a team."""

def walk_records(
    space: AddressSpace, layout: Mapping[str, int], threads: Sequence[NativeThread]
) -> LayoutCheck:
    """Return what LAYOUT says about a stopped program that cannot be, a line each, and how many
    facts were looked at; none while no thread is seen in a team. Raises Inconsistent for what
    cannot be a layout at all, NoSymbols without a table of threads."""

def llvm_layout(space: AddressSpace) -> dict[str, int]:
    """Read the layout that LLVM's runtime publishes: the values of META_SYMBOLS by name.

    errors.Inconsistent where they cannot be a layout. Before the runtime's ``ompd_init`` has run
    every value is 0.
    """

class Correction:
    """A rule that puts a fact right."""

    @property
    def name(self) -> str: ...
    @property
    def fault(self) -> str:
        """What the library says that is not so, or does not say."""
    @property
    def right(self) -> str:
        """Where the right value is read."""

def llvm_corrections() -> list[Correction]:
    """List the corrections: a name, what the library says that is not so or does not say, and where
    the right value is read."""

class ThreadStack:
    """The stack of a thread that stands still, unwound as far as anybody has asked."""

    @staticmethod
    def traced(lwps: Sequence[int], process: Optional[int]) -> list[Optional[ThreadStack]]:
        """Return those of threads that this process traces, None for one that it does not.

        The stack of a PROCESS that is named is read from the kernel.
        """
    @staticmethod
    def given(values: Sequence[int]) -> ThreadStack:
        """Return that of a thread with these registers, by DWARF's numbers, 0 to 16."""

class FoundCaller:
    """The caller of a function without unwind information."""

    @property
    def function(self) -> int:
        """An address that stands for the function."""
    @property
    def registers(self) -> list[Optional[int]]:
        """The caller's, by DWARF's numbers, rip last; None for one that is not known."""

class Unwinder:
    """Stacks by the unwind tables of the mapped files, on x86-64 under Linux.

    FOREIGN are the ranges of code that is not the user's, in order; HAS_ALL_FILES tells that no
    mapped file is missing among MODULES.
    """

    def __init__(
        self,
        space: AddressSpace,
        modules: Sequence[Module],
        foreign: Sequence[tuple[int, int]],
        has_all_files: bool = False,
    ) -> None: ...
    def callers(self, pc: int, sp: int, bp: int) -> Optional[list[int]]:
        """Return the program counters of a frame's callers, as memory has them now, up to the first
        of the user's, if there is one; None where a stack is not plain."""
    def is_in_no_file(self, pc: int) -> bool:
        """Return whether PC can be code that was made at run time."""
    def is_unlisted(self, pc: int, is_calling: bool) -> bool:
        """Return whether PC is in a mapped file that has no unwind information for it, or in no
        file at all. IS_CALLING tells that it is a return address."""
    def found_caller(
        self, pc: int, is_calling: bool, registers: Sequence[Optional[int]]
    ) -> Optional[FoundCaller]:
        """Return the caller of a frame that is_unlisted, None where it cannot be told; one at 0
        where the process begins. REGISTERS are by DWARF's numbers, rip last."""
    def listed_caller(
        self, pc: int, is_calling: bool, registers: Sequence[Optional[int]]
    ) -> Optional[FoundCaller]:
        """Return the caller of another frame by the tables of the file that is mapped, which GDB
        may not have; None where they are not plain. It names no function."""
    def pass_over(self, pc: int) -> None:
        """Go on beyond frames at PC, though they are in the user's code."""

class CodeMap:
    """Whose code is where in a process: the user's, an OpenMP runtime's, the system's.

    EXECUTABLE is the program among MODULES, None where its file cannot be read, SYSTEM other
    code of the system's, of no file.
    """

    def __init__(
        self,
        modules: Sequence[Module],
        executable: Optional[Module],
        runtimes: Sequence[Module],
        system: Sequence[tuple[int, int]] = [],
    ) -> None: ...
    def code_at(self, pc: int) -> str:
        """Return ``user``, ``runtime`` or ``system``."""
    def is_user(self, pc: int) -> bool: ...
    @property
    def foreign(self) -> Optional[list[tuple[int, int]]]:
        """The ranges that are not the user's, in order; None where a runtime is linked in."""

class FunctionAround:
    """The function around an address, as far as its file tells: by a symbol whose size covers the
    address, else by the entry of the unwind table."""

    @property
    def module(self) -> str:
        """The file, as the dynamic linker knows it."""
    @property
    def bias(self) -> int:
        """What is added to the file's own addresses where it is mapped."""
    @property
    def name(self) -> str:
        """The function's name by its symbol, as C++ has it; empty where none covers the address."""
    @property
    def start(self) -> Optional[int]:
        """Where the function begins; None where neither tells."""
    @property
    def is_entry(self) -> bool:
        """Whether the program, or the dynamic linker, begins with it."""
    def is_without_line(self, pc: int) -> bool:
        """Return whether the line table says that the code at PC, in this function, is of no source
        line: a compiler may have made one call of two. GDB says the line before it."""
    def is_named_by(self, symbol: int) -> bool:
        """Return whether a symbol at this address, the nearest that a debugger knows before the
        function's code, can be the function's: in a stripped file that is often an exported one
        far before it."""

class CallMade:
    """A call in a function's code."""

    @property
    def address(self) -> int: ...
    @property
    def returns_to(self) -> int: ...
    @property
    def target(self) -> int: ...

class JumpOut:
    """A jump that leaves a function."""

    @property
    def first(self) -> int:
        """The target, or its stub in the linkage table."""
    @property
    def target(self) -> int: ...

class LoopCounter:
    """A variable that a loop of clang's is counted with."""

    @property
    def stored_at(self) -> int:
        """The instruction behind the store."""
    @property
    def loop_ends(self) -> int:
        """The jump to the next iteration."""
    @property
    def offset(self) -> int:
        """Of its place, from the frame pointer."""
    @property
    def width(self) -> int:
        """In bytes; 0 of an iterator that is a class."""

class CodeAt:
    """What the code around an address tells."""

    @property
    def function(self) -> Optional[FunctionAround]:
        """The function; None for code of no file that can be read."""
    @property
    def entry_point(self) -> Optional[str]:
        """The runtime's function that user code calls, if this is its own code."""
    @property
    def calls_made(self) -> list[CallMade]:
        """The calls that the function makes, but for those through registers."""
    @property
    def jumps_out(self) -> list[JumpOut]:
        """The jumps that leave the function."""
    @property
    def ways_inside(self) -> list[tuple[int, int]]:
        """The jumps from one place of the function to another: where they are, and where they lead
        to. Also each instruction that is executed before such a place without a jump."""
    @property
    def sets_up_frame(self) -> bool:
        """Whether a function that begins here begins as unoptimised ones do."""
    @property
    def behind_repeated(self) -> Optional[int]:
        """Where the code goes on behind an instruction here that repeats itself, as in memset; None
        for another one."""
    @property
    def only_giver(self) -> Optional[int]:
        """Where the one function begins whose code takes this function's address: the function in
        which an outlined one's construct is written. None where another one uses it, too."""
    @property
    def pushed_arguments(self) -> Optional[int]:
        """By how many bytes the stack pointer is lower here than elsewhere in the function, for
        arguments that are pushed for the next call, or that the call which returns here leaves.
        None where that is not plain."""
    @property
    def pushes_from(self) -> Optional[tuple[int, int]]:
        """Where the instruction begins and ends from which on the stack pointer is lower for these."""
    def loop_counters(self, iteration: int) -> list[LoopCounter]:
        """Return the variables that a loop of clang's is counted with, in the order in which it
        computes them from the number of the iteration, which is ITERATION bytes from the frame
        pointer."""
    def is_stored(self, name: str, offset: int) -> bool:
        """Return whether each way to here has stored at OFFSET bytes from the register NAME, or has
        made a call behind taking that address."""
    def may_change_in_place(self, name: str) -> bool:
        """Return whether the function may compute what a register holds from what that held itself.
        NAME is GDB's."""
    def is_set_again(self, name: str, start: int, end: int, is_constant: bool) -> bool:
        """Return whether a register may hold what the code from START up to END has put into it
        later than something else, or the caller has. What is computed in place is another value
        of what IS_CONSTANT alone. NAME is GDB's."""
    def times_set(self, name: str, start: int, end: int) -> int:
        """Return how many instructions from START up to END put something else into a register,
        besides those that restore it. NAME is GDB's."""
    def is_callers(self, name: str) -> bool:
        """Return whether a register that is preserved holds what the caller has in it. NAME is
        GDB's."""
    def is_kept(self, name: str, inner: Sequence[int]) -> bool:
        """Return whether the functions that a frame here has called have left a register as it was,
        for certain. NAME is GDB's, INNER the program counters of their frames, the innermost
        first, without inlined ones."""
    def may_stay(self, until: int, names: Sequence[str], slots: Sequence[int]) -> bool:
        """Return whether a way of the function leads from here to UNTIL on which nothing is changed
        that a value is made of: registers, whose NAMES are GDB's, and SLOTS of the frame, as
        offsets from its canonical address."""
    def part_not_stored(
        self, begin: int, size: int, parts: Sequence[tuple[int, int, Sequence[tuple[int, int]]]]
    ) -> Optional[int]:
        """Return which of the PARTS of a variable has bytes that its code stores nothing to, and
        that nothing behind here reads: each part is where it begins, its size, and where its
        code begins and ends. The variable has SIZE bytes of the frame from BEGIN, an offset from
        its canonical address."""

class CallBefore:
    """The call that returns to an address."""

    @property
    def target(self) -> Optional[int]:
        """The function that it names."""
    @property
    def is_instead_of_device(self) -> bool:
        """Whether it is made where a call for a device has done nothing."""
    @property
    def region_line(self) -> Optional[int]:
        """The line of clang's target region that it calls a device for."""
    @property
    def entry_point(self) -> object:
        """The runtime's function that user code calls there."""

class EntryPoint:
    """A runtime's function that user code calls; of another name one that does nothing."""

    def __init__(self, name: Optional[str]) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def waits_for(self) -> str:
        """A word of ``model.waits.Kind``, empty for nothing."""
    @property
    def body(self) -> int:
        """Which argument is the construct's function, -1 for none."""
    @property
    def record(self) -> int:
        """Which argument is the task's record, -1 for none."""
    @property
    def begins_region(self) -> bool:
        """Whether the function begins a parallel region."""
    @property
    def makes_task(self) -> bool:
        """Whether the function makes a task, which it may execute at once."""

class RuntimeFunction:
    """A function of a runtime's, by its name in debug information."""

    def __init__(self, name: Optional[str]) -> None: ...
    @property
    def name(self) -> str:
        """As it is exported."""
    @property
    def role(self) -> str:
        """What it does, empty for what does not matter: ``forks``, ``begins league``, ``ends
        region``, ``calls body``, ``wraps body``, ``executes task``, ``links serialized``,
        ``begins serialized``, ``ends serialized``, ``ends undeferred task``, ``starts
        sections``, ``ends sections``."""
    @property
    def is_entry(self) -> bool:
        """Whether user code calls it."""

def functions_with_role(role: str) -> list[str]:
    """Return the names of the runtimes' functions with a ROLE."""

def entry_points() -> list[EntryPoint]:
    """Return the runtimes' functions that matter."""

def offloading_libraries(modules: Sequence[Module]) -> list[Module]:
    """Return those libraries among MODULES that stand between the program and its devices."""

class MappedObject:
    """What is mapped to a device."""

    @property
    def host(self) -> int:
        """Where it begins there."""
    @property
    def device(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def references(self) -> Optional[int]:
        """None: it is never unmapped."""
    @property
    def name(self) -> str:
        """What the compiler has told the runtime; empty where it told none."""

class OffloadDevice:
    """A device of a runtime for offloading."""

    @property
    def number(self) -> int: ...
    @property
    def plugin(self) -> str:
        """The file that serves it; empty where that is not known."""
    @property
    def kind(self) -> str:
        """As the plugin calls it; empty where that is not known."""
    @property
    def mapped(self) -> list[MappedObject]:
        """By host addresses."""
    @property
    def why_unknown(self) -> str:
        """Why it is not known what is mapped."""

class OffloadDevices:
    """The devices of one runtime."""

    @property
    def library(self) -> str:
        """The runtime's file."""
    @property
    def devices(self) -> list[OffloadDevice]:
        """By number."""
    @property
    def is_late(self) -> bool:
        """Whether it looks for them when the first is needed, and has not."""
    @property
    def why_unknown(self) -> str:
        """Why they are not known."""

def offload_devices(space: AddressSpace, modules: Sequence[Module]) -> list[OffloadDevices]:
    """Return the devices of each runtime for offloading among MODULES."""

def intercepting_libraries(modules: Sequence[Module]) -> list[Module]:
    """Return those libraries of tools among MODULES, which are in link order and begin with the
    executable, that define functions of OpenMP's, of the system's or of MPI's and call what
    these hide."""

class GivenFrame:
    """A frame as the debugger has it: its program counter, whether an instruction of its caller
    called it, and what its callee preserved, in the order of ``WaitReader.registers``; of the
    innermost one then the others. It may be made up for a function that has ended with a jump."""

    def __init__(
        self,
        pc: int,
        is_called: bool,
        registers: Optional[Sequence[Optional[int]]] = None,
        is_tail_call: bool = False,
    ) -> None: ...

class CallPlace:
    """A call whose construct the source line decides."""

    @property
    def address(self) -> int: ...
    @property
    def function(self) -> int:
        """Where the function around it begins."""
    @property
    def starts(self) -> list[int]:
        """The earlier calls in the function that would have begun the construct, if they are on the
        same line."""

class WaitReader:
    """Reads from code and stacks what threads called and wait for, and what they hold."""

    def __init__(
        self,
        space: AddressSpace,
        modules: Sequence[Module],
        code: CodeMap,
        runtimes: Sequence[Module],
    ) -> None: ...
    @property
    def registers(self) -> tuple[list[str], list[str]]:
        """Those that a callee preserves, and the others, by GDB's names; none for code that cannot
        be read."""
    def at(self, pc: int) -> CodeAt:
        """Return what the code around PC tells."""
    def call_before(self, return_address: int) -> CallBefore:
        """Return the call that returns to an address."""
    def body_given(self, frames: Sequence[GivenFrame]) -> Optional[int]:
        """Return the outlined function that the call of the first of FRAMES gave to the runtime.
        The others are that frame's callers."""
    def construct(self, pc: int, entry: str) -> Optional[int]:
        """Return where user code called the runtime's function ENTRY, or jumped there, if the stack
        says that it returns to PC: the last byte of a call, the first of a jump. None where that
        is not known."""
    def end_stop(self) -> None:
        """Read code again when it is next asked for."""

class FunctionName:
    """The name of a function, as a linker or a debugger has it. None is no name."""

    def __init__(self, name: Optional[str]) -> None: ...
    @property
    def is_outlined(self) -> bool:
        """Whether a compiler has made the function of a construct."""
    @property
    def is_task_entry(self) -> bool:
        """Whether the runtime calls the function for a task of clang's."""
    @property
    def is_region_body(self) -> bool:
        """Whether the function is an outlined body, other than what clang calls for a task."""
    @property
    def is_clangs_body(self) -> bool:
        """Whether the function is an outlined body of clang's, or calls one."""
    @property
    def is_gccs_body(self) -> bool:
        """Whether the function is an outlined body of GCC's."""
    @property
    def is_private_map(self) -> bool:
        """Whether a task's body of clang's calls the function to find its private variables."""
    @property
    def made_in(self) -> Optional[str]:
        """The name, as linkers have it, of the function that a compiler made this one in; empty
        where the name does not tell. None for a function that the user wrote. The function of a
        target region is a compiler's, too."""
    def is_wrapper_of(self, callee: Optional[str]) -> bool:
        """Return whether this outlined function only calls the other: a task's entry its body, or
        clang's wrapper the body that it makes for debuggers."""
    @property
    def demangled(self) -> str:
        """The name as C++ has it; of other functions the name itself."""
    @property
    def without_parameters(self) -> str:
        """The name without a parameter list, as in GDB's frame lines."""
    @property
    def without_template_arguments(self) -> str:
        """The name without templates' arguments: ``Box<int>::fill<long>`` is ``Box::fill``."""
    @property
    def without_type(self) -> str:
        """The name without the return type of a function template's demangled name."""
    @property
    def without_clone(self) -> str:
        """The name without what compilers append to the name of a function's copy."""
    @property
    def fortran_name(self) -> Optional[str]:
        """What people call the procedure of Fortran's whose symbol this may be, such as
        ``heat::relax`` for ``__heat_MOD_relax``; None for other symbols."""

class EventTask:
    """An explicit task that begins or ends."""

    @property
    def record(self) -> int:
        """The address of its record."""
    @property
    def routine(self) -> int:
        """The function that the compiler made of it."""

class TaskMaker:
    """The task that generated another."""

    @property
    def kind(self) -> TaskKind: ...
    @property
    def function(self) -> Optional[int]:
        """The function of an explicit task."""
    @property
    def thread_num(self) -> Optional[int]:
        """The number of an implicit task."""

class EventRegion:
    """A parallel region that begins or ends."""

    @property
    def thread(self) -> int:
        """The record of its primary thread."""
    @property
    def team(self) -> int:
        """The record of its team."""
    @property
    def size(self) -> int:
        """The number of threads in the team."""
    @property
    def level(self) -> int: ...
    @property
    def function(self) -> int:
        """The outlined function, 0 where the runtime does not keep it."""
    @property
    def requested(self) -> Optional[int]:
        """How many threads the construct asked for."""

class Announcer:
    """The frame of the function that announces an event."""

    def __init__(
        self, registers: Sequence[int], stack_begin: int, stack_end: int, pcs: Sequence[int]
    ) -> None:
        """REGISTERS are its callee-saved ones, PCS the program counters up to the user's code."""

class EventReader:
    """Reads the records of LLVM's runtime for the region or task that begins or ends where a thread
    has stopped.

    Each question reads memory as it is now, and needs no OMPD library. errors.Inconsistent where
    memory is damaged or cannot be read.
    """

    def read_from_kernel(self, process: Optional[int]) -> None:
        """Say of which process the kernel gives memory that is data, None if of none."""
    def announced_task(self, registers: Sequence[int]) -> Optional[EventTask]:
        """Return the explicit task that a function announces which has these callee-saved
        REGISTERS; None if none or more than one can be it."""
    def executed_task(self, thread: NativeThread) -> Optional[EventTask]:
        """Return the explicit task that a thread executes."""
    def maker(self, task: int) -> Optional[TaskMaker]:
        """Return what generated the task whose record is at TASK."""
    def region(
        self, thread: NativeThread, begins: bool, entry: str, announcer: Optional[Announcer]
    ) -> Optional[EventRegion]:
        """Return the region that begins or ends on a thread.

        ENTRY is the runtime's function that the user's code called. ANNOUNCER is None where the
        thread is in the team already.
        """
    def teams_function(self, thread: NativeThread) -> Optional[int]:
        """Return the function of the ``teams`` construct that a thread executes."""
    def place(self, thread: NativeThread) -> Optional[ThreadNumbers]:
        """Return a thread's place in its team, None in no team."""
    def is_users(self, function: int) -> bool:
        """Return whether a function of the program begins there, and none of the runtime's."""

class GnuEventPlaces:
    """What the places tell at which GCC's runtime begins and ends something."""

    def function(self, pc: int, read: Callable[[str], int]) -> Optional[int]:
        """Return the outlined function that is called at PC, or has returned there. READ returns
        what a register holds now, by its name."""
    def is_leagues(self, pc: int) -> bool: ...
    def is_teams(self, pc: int) -> bool: ...
    def is_target_call(self, pc: int) -> bool:
        """Return whether PC is in the function that user code calls for a device."""
    def executes_target(self, pc: int, sp: int) -> bool:
        """Return whether that call, of a caller whose frame ends at SP, executes the construct, and
        does not only make a task of it."""

class RuntimeTraits:
    """What is so of all runtimes of a vendor."""

    @property
    def kind(self) -> str: ...
    @property
    def has_switch(self) -> bool:
        """For its events, which 'ompd enable' turns."""
    @property
    def has_places(self) -> bool:
        """It announces no events: they are places in its code."""
    @property
    def exported_events(self) -> dict[str, str]:
        """Functions that stand for events in a runtime without symbols, by event."""
    @property
    def own_library(self) -> str:
        """The OMPD library that comes with this package, "" for none."""

class RuntimeVersion:
    """Of which version a runtime is."""

    @property
    def text(self) -> Optional[str]: ...
    @property
    def is_layout_verified(self) -> Optional[bool]: ...

class RecoveredSymbols:
    """What was written down when a runtime's symbols were recovered from its code: CONSTANTS are
    what ``ompd_init()`` stores."""

    def __init__(
        self, build_id: Optional[str], is_layout_verified: bool, constants: Mapping[str, int]
    ) -> None: ...

class MappedRuntime:
    """One mapped runtime of a process: whether it can be asked, what reads it, and its events.

    FAMILY is ``runtime_family``'s. FILE is its name for the user, MODULE None where it cannot be
    read, WHY_UNREAD says why, CODE has its address ranges. CORRECTIONS says whether the known
    faults of libraries are put right. Raises errors.NoSymbols, NotInitialized, Inconsistent or
    OmpdToolError with the cure.
    """

    def __init__(
        self,
        family: str,
        space: AddressSpace,
        file: str,
        module: Optional[Module],
        why_unread: Optional[str],
        code: Sequence[tuple[int, int]],
        host: RuntimeHost,
        corrections: bool,
    ) -> None: ...
    @property
    def traits(self) -> RuntimeTraits: ...
    def reader(self, load: Callable[[], Library]) -> RuntimeReader:
        """Return what reads it by the library that LOAD gives."""
    def check_handles(self) -> None:
        """Raise what forbids that a script has handles of the process."""
    def end_stop(self) -> None:
        """Give back the handles of this stop and forget what was read."""
    def events_enabled(self) -> Optional[bool]:
        """Tell whether events are switched on, None where there is no switch that is known."""
    def keeps_records(self) -> bool:
        """Tell whether it keeps records for tools, as it does while events are on."""
    def set_events(self, on: bool) -> None: ...
    def enable_events_at_start(self) -> None:
        """Switch events on in a runtime that has just started, where it has a switch, unless the
        program was started with OMP_DEBUG, whatever its value."""
    def check_now(self) -> None:
        """Raise what keeps it from being read, by memory as it is now."""
    def set_boundary(self, thread: int, team: int) -> None:
        """Say which thread is at a region's event, and the region's team, by the addresses of their
        records, until the program goes on; 0 for none."""
    def event_reader(self, code: CodeMap, modules: Sequence[Module]) -> Optional[EventReader]:
        """Return what reads its records at an event that it announces, None where they are not
        known."""
    def event_places(self) -> Optional[GnuEventPlaces]:
        """Return the places in its code that are its events, None where it announces them."""
    def is_initialized(self) -> Optional[bool]:
        """Tell whether it names its libraries, as it does once it has started."""
    def source_of_symbols(self) -> Optional[str]:
        """Return "symtab", "debuginfo" or "recovered"; None if OMPD's symbols are nowhere."""
    def version(self, said: Versions) -> RuntimeVersion:
        """Return of which version it is by what its library has SAID."""
    def notes(self) -> list[str]:
        """Return what is to be said of all that is read of it."""
    @property
    def tasks_unknown(self) -> str:
        """Why the tasks that no thread executes are not known, where they are not."""

class SizeOfTeam:
    """Why a region's team has its size."""

    @property
    def region(self) -> int: ...
    @property
    def size(self) -> Optional[int]: ...
    @property
    def nthreads(self) -> Optional[int]:
        """The ICV of the task that began it."""
    @property
    def rule(self) -> str:
        """A word of ``model.teams.SizeRule``."""
    @property
    def certain(self) -> bool: ...
    @property
    def asked(self) -> Optional[int]: ...
    @property
    def limit(self) -> Optional[int]: ...
    @property
    def notable(self) -> bool:
        """Whether the team is smaller than was asked for, or has one thread for want of CPUs."""
    @property
    def variable(self) -> Optional[str]:
        """Which one of the environment it is by."""
    @property
    def others(self) -> int:
        """Threads that other teams have besides those that began them, which the limit is for, too."""

def begins_regions(reader: WaitReader, pc: int) -> Optional[bool]:
    """Return whether the file around PC calls what begins a region; None where it is not known."""

def rejected_settings(environment: Mapping[str, str]) -> list[str]:
    """Return which variables of an environment have values that no runtime takes."""

def icv_of(variable: str) -> str:
    """Return the ICV that an environment variable sets; empty where that is not known."""

class HeldLock:
    """A lock or critical that a thread is inside of."""

    @property
    def kind(self) -> str: ...
    @property
    def object(self) -> Optional[int]:
        """Its address; None for what has no word of its own."""
    @property
    def entered_at(self) -> int:
        """The address of the call."""
    @property
    def pc(self) -> int:
        """Of its function's frame, an inlined one's too."""
    @property
    def certain(self) -> bool:
        """Whether each way through the code to where the thread is enters it, and none leaves it."""

class WaitingRecords:
    """The tasks that no thread executes, as they are recorded."""

    @property
    def tasks(self) -> list[WaitingTask]: ...
    @property
    def notes(self) -> list[str]:
        """What could not be read, or found."""
    @property
    def unknown(self) -> list[int]:
        """The positions of the runtimes of which they are not known."""

class CalledBack:
    """A function that the program gives to be called back, and that may let a lock go."""

    @property
    def lock(self) -> int:
        """The lock's address."""
    @property
    def function(self) -> int:
        """Where the function begins."""

class ThreadsRead:
    """The facts of a stop's threads."""

    @property
    def rows(self) -> tuple[Thread, ...]:
        """Each with its target construct."""
    @property
    def threads(self) -> tuple[At, ...]:
        """One At for each."""
    @property
    def locks(self) -> tuple[tuple[int, LockWord], ...]:
        """What runtimes record of the locks that are waited for, by address."""
    @property
    def called_back(self) -> list[CalledBack]:
        """What may let these go whenever it is called back."""

class SourcePlace:
    """A place in the source as the debugger names it. IN_SYSTEM_HEADER tells that its file came
    with the compiler or the system, IS_PASSED_OVER that its function starts a stack or is
    between the user's code and what that calls."""

    def __init__(
        self, location: Location, in_system_header: bool = False, is_passed_over: bool = False
    ) -> None: ...

class ThreadPlace:
    """What a thread's stack shows."""

    def __eq__(self, other: object) -> bool: ...
    @property
    def wait(self) -> Wait: ...
    @property
    def in_runtime(self) -> bool:
        """Whether it has frames of the runtime and none of the user's, as a worker has that is in
        no task."""
    def state(self, recorded: Optional[str], level: int) -> Optional[str]:
        """Return the OMPT state of the thread, of which its runtime has RECORDED one."""

class FrameFunction:
    """What the debugger tells of a frame's function."""

    def __init__(
        self, name: Optional[str], symbol: Optional[str], start: int, has_line: bool
    ) -> None:
        """NAME is the frame's, SYMBOL as debug information has it, which knows the START: 0 where
        there is none. HAS_LINE tells that it has the frame's place in the source."""

class BegunRegions:
    """The regions that a thread's stack shows it to have begun."""

    @property
    def constructs(self) -> list[Location]:
        """Where their constructs are, outermost first."""
    @property
    def in_last(self) -> bool:
        """Whether the last call has no body on the stack: its region has not begun, or has ended."""

class RegionReturn:
    """How a thread leaves the region that it began by a call."""

    @property
    def home(self) -> int:
        """The debugger's frame to which the region's end returns, counted from the innermost."""
    @property
    def returns_to(self) -> int: ...
    @property
    def is_direct(self) -> bool:
        """Whether the user's code has called the body itself."""

class Stacks:
    """The stacks of one stop's threads: by the unwinder or, where it does not tell them, the
    DEBUGGER's. NAMES is what that calls places on them: see PlaceNames."""

    def __init__(
        self,
        reader: WaitReader,
        unwinder: Optional[Unwinder],
        debugger: DebuggersFrames,
        names: PlaceNames,
    ) -> None: ...
    def places(self, gdb_nums: Sequence[int]) -> dict[int, ThreadPlace]:
        """Return where in the user's code threads are."""
    def begun(self, gdb_num: int) -> BegunRegions:
        """Return where a thread began the regions that it is in."""
    def returns(self, gdb_num: int) -> list[RegionReturn]:
        """Return how it leaves them, outermost first, of those whose code that called has a frame."""
    def unwound(self, gdb_num: int) -> list[tuple[int, Optional[int]]]:
        """Return the program counters and stack pointers of frames that the unwinder tells."""
    def addresses(self, gdb_nums: Sequence[int]) -> dict[int, list[int]]:
        """Return the program counters of frames up to the user's code, as the unwinder tells them,
        innermost first; nothing of threads of which it does not."""
    def executed(self, gdb_nums: Sequence[int]) -> dict[int, Optional[int]]:
        """Return which of the user's code threads execute, of a call its last byte, of those whose
        stacks the unwinder tells; None where there is no such frame."""
    def bodies(self, gdb_num: int) -> list[tuple[int, str]]:
        """Return the functions of the user's that the runtime has called on a thread's stack, 0
        where that is not known, each with the entry point that called it, empty if none has,
        innermost first."""
    def library_call(self, gdb_num: int, pc: int) -> Optional[str]:
        """Return what the user's code called of the library that a thread's frame at PC is in, if
        that knows no source lines."""
    def overflowed(
        self, gdb_num: int, fault: int, start: Optional[int], descriptor: int
    ) -> Optional[int]:
        """Return the size of the stack that a thread has run off with a FAULT, None if it has not.
        START is an address in it, of the initial thread, DESCRIPTOR another's pthread_t."""

class ThreadLoop:
    """What a thread executes of a worksharing loop, in values of what the compiler counts it with:
    of clang's code mostly iterations from 0 on, of GCC's the user's variable. What is not known
    is None."""

    @property
    def pc(self) -> int:
        """Of the frame that is in the loop."""
    @property
    def begun_at(self) -> int:
        """The call that begins it, or by which the thread got what it executes."""
    @property
    def asks(self) -> bool:
        """Whether the thread is in the call by which it gets what it executes."""
    @property
    def is_inferred(self) -> bool:
        """Whether the code alone tells of it: GCC's, which shares it out by itself. Numbers are
        then iterations from 0 on."""
    @property
    def is_unsigned(self) -> bool: ...
    @property
    def is_of_variable(self) -> Optional[bool]:
        """Whether numbers are the user's variable's, and not those of its iterations from 0 on;
        None if that is not known."""
    @property
    def schedule(self) -> str:
        """``static``, ``dynamic`` or ``guided``, empty where it is not known."""
    @property
    def chunk(self) -> Optional[int]:
        """In iterations."""
    @property
    def first(self) -> Optional[int]:
        """Of the loop."""
    @property
    def last(self) -> Optional[int]: ...
    @property
    def step(self) -> Optional[int]: ...
    @property
    def now_first(self) -> Optional[int]:
        """Of what the thread was given."""
    @property
    def now_last(self) -> Optional[int]: ...
    @property
    def stride(self) -> Optional[int]:
        """From each of its chunks to its next one, where they are fixed."""
    @property
    def next(self) -> Optional[int]:
        """The first that no thread was given."""
    @property
    def all_given(self) -> bool:
        """Whether there is none any more."""
    @property
    def iteration(self) -> Optional[int]:
        """Which of the loop the thread executes, from 0 on, in GCC's code."""
    @property
    def kept_first(self) -> Optional[int]:
        """Of what the thread is to execute unless another one steals it."""
    @property
    def kept_last(self) -> Optional[int]: ...

class AllRuntimes:
    """The OpenMP runtimes of a process at one stop, to which the debugger adds them. A runtime is
    named by its position, in the order in which they were added."""

    def add(self, reader: RuntimeReader, file: str, code: Sequence[tuple[int, int]]) -> None:
        """Add another one with this FILE and the addresses of its CODE."""
    def decide(self, stacks: Stacks) -> None:
        """Have the STACKS tell in whose region those threads are that have begun as many regions of
        one runtime as of another."""
    def doubt(self, why: str) -> None:
        """Say why it is not known which threads are not OpenMP's."""

class Stop:
    """What is true of one stop of a PROCESS, by its number, with these THREADS, of all its OpenMP
    runtimes. Each thing is read when it is first asked for. HOST is the debugger's part: see
    StopHost. A library that fails raises errors.LibraryFailed."""

    def __init__(self, threads: Sequence[NativeThread], process: int, host: StopHost) -> None: ...
    def check(self) -> None:
        """Raise what keeps all runtimes from being read."""
    @property
    def threads(self) -> tuple[Thread, ...]:
        """The model's, each from the runtime in whose region it is."""
    def listed(self, locations: bool) -> tuple[Thread, ...]:
        """Return the threads with what they are that execute a target region on the host and, with
        LOCATIONS, with where they are and what they do outside of the user's code."""
    def plain_threads(self, locations: bool) -> tuple[Thread, ...]:
        """Return the threads without what runtimes tell, with LOCATIONS as their stacks show them."""
    @property
    def disagreements(self) -> dict[int, str]:
        """How stack and runtime differ, by GDB number, of threads that were listed with locations."""
    def wait(self, gdb_num: int) -> Wait:
        """Return what a thread's stack shows that it waits for."""
    def waits(self) -> dict[int, Wait]:
        """Return what the threads that stand still wait for, by number."""
    def facts(self) -> ThreadsRead:
        """Return the facts that a verdict on a hang is concluded from."""
    def loops(self, gdb_nums: Sequence[int]) -> dict[int, ThreadLoop]:
        """Return the loops that threads are in for certain, by number."""
    def without_workers(self) -> Optional[int]:
        """Return a thread that keeps workers which fork() has not copied, None without one."""
    @property
    def teams(self) -> tuple[Region, ...]:
        """The model's regions without their constructs, a region before those inside it."""
    @property
    def regions(self) -> tuple[Region, ...]:
        """The same with their constructs' places, and with those of their threads that the
        runtimes' records lack."""
    def region_function(self, region: int) -> Optional[int]:
        """Return the outlined function of a region, None where it is not kept."""
    def team_sizes(
        self, regions: Sequence[int], environment: Mapping[str, str]
    ) -> list[SizeOfTeam]:
        """Return why the teams of regions have their sizes, of those whose threads are known."""
    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> list[Icv]:
        """Return the ICVs of the runtimes, and of those of the threads and regions that each knows."""
    def control_variables(self) -> list[ControlVariable]:
        """Return the control variables of every runtime."""
    def records(self) -> list[Capabilities]:
        """Return what reads the runtimes' records, of those of which it is known where they are."""
    def tasks(self, gdb_nums: Sequence[int]) -> list[Task]:
        """Return the chains of threads, innermost task first."""
    def implicit_tasks(self, region: int) -> list[Task]:
        """Return a region's implicit tasks by thread number; of one that is in no chain the depth
        is -1."""
    def task_functions(self, gdb_num: int) -> list[Optional[int]]:
        """Return the outlined function of each task of a thread's chain."""
    def executes_task(self, gdb_num: int, pc: int, jumps: int) -> bool:
        """Return whether the function around PC is the body of an explicit task of a thread's, or
        one that such a body has gone on in by so many JUMPS at most."""
    def waiting_tasks(self, of_held: bool = False) -> WaitingRecords:
        """Return the explicit tasks that are created and that no thread executes, only those
        OF_HELD ones, detached or blocked, with places if that is asked."""

def held_locks(reader: WaitReader, frames: Sequence[GivenFrame]) -> list[HeldLock]:
    """Return the locks and criticals that a thread with these frames is inside of, the last entered
    first, without those that several may read."""

class Scheduling:
    """What the kernel of this machine knows of a thread; None for what is not known."""

    @property
    def allowed(self) -> Optional[list[int]]:
        """The CPUs that it may run on."""
    @property
    def last_cpu(self) -> Optional[int]: ...
    @property
    def state(self) -> str:
        """The kernel's letter, empty where the thread is gone."""
    @property
    def on_cpu(self) -> Optional[bool]:
        """Whether one that stands still is in no call of the kernel that waits."""
    @property
    def nanoseconds(self) -> Optional[int]:
        """Of processor time so far."""
    @property
    def voluntary(self) -> Optional[int]:
        """Switches when it waited."""
    @property
    def forced(self) -> Optional[int]:
        """Switches when another thread was to run."""

class CpuPlace:
    """Where a CPU is in the machine."""

    @property
    def core(self) -> Optional[int]: ...
    @property
    def socket(self) -> Optional[int]: ...
    @property
    def node(self) -> Optional[int]:
        """The NUMA node."""

def scheduling_of(process: int, thread: int) -> Scheduling:
    """Return what the kernel knows of a thread."""

def scheduling_in(stat: str, status: str, schedstat: str, syscall: str) -> Scheduling:
    """Return what the kernel of another machine knows of a thread, by the texts of its files;
    nothing of one that nobody traces."""

def processor_times(
    process: int, threads: Sequence[int], elsewhere: Optional[Callable[[str], str]] = None
) -> dict[int, tuple[int, int]]:
    """Return by thread how many nanoseconds they have run, and wanted to while others did; nothing
    of those that are gone. ELSEWHERE returns the texts of another machine's files, of which few
    are read."""

class SharedCpus:
    """What the kernel lets threads of a process run on that cannot have a core each; threads by
    GDB's numbers."""

    @property
    def masks(self) -> list[tuple[int, list[int]]]:
        """The CPUs of each thread."""
    @property
    def on_cpu(self) -> list[int]:
        """The threads that want a CPU: they are in no call of the kernel that waits."""
    @property
    def quota(self) -> Optional[int]:
        """How many percent of one CPU's time the process may use."""
    @property
    def of_parent(self) -> list[int]:
        """The CPUs of the process that has started it."""
    @property
    def cores(self) -> list[tuple[int, int]]:
        """CPUs with the numbers of their cores, where threads are bound."""

def shared_cpus(
    process: int,
    threads: Sequence[tuple[int, int]],
    elsewhere: Optional[Callable[[str], str]] = None,
) -> Optional[SharedCpus]:
    """Return what THREADS, GDB's numbers with the kernel's, share; None where each of them can have
    a core. ELSEWHERE returns the texts of another machine's files."""

def place_of_cpu(cpu: int) -> CpuPlace:
    """Return where a CPU of this machine is."""

def cpu_quota(process: int) -> Optional[int]:
    """Return how many percent of one CPU's time the control group of a process may use, None where
    that is not limited."""

MOST_ELSEWHERE: int

def settings_about_cpus(environment: Mapping[str, str]) -> dict[str, str]:
    """Return which variables of an environment say something of the CPUs of threads, and what:
    "binds", "keeps spinning" or "waiting"."""

class NamedFrame:
    """A frame as a debugger has it, inlined ones too."""

    def __init__(self, name: str, code: str, pc: int, has_line: bool) -> None:
        """CODE is ``user``, ``runtime`` or ``system``. HAS_LINE tells that debug information has
        the frame's place in the source."""

class CalledBy:
    """How a segment's outermost frame came to be called. Frames are counted from the innermost."""

    @property
    def kind(self) -> str:
        """A word of ``model.stacks.Construct``."""
    @property
    def begin(self) -> int:
        """The first of the runtime's frames that called it."""
    @property
    def end(self) -> int:
        """The frame after the last of them."""
    @property
    def place(self) -> Optional[int]:
        """The user's frame whose call began the construct."""
    @property
    def bottom(self) -> bool:
        """Whether there is no such code, as on a worker's stack."""
    @property
    def body(self) -> Optional[int]:
        """The frame of the body of what is no region, where that is no longer executed itself."""
    @property
    def call(self) -> Optional[int]:
        """Where the call returns to that began a league inside of a target region, None for others."""
    @property
    def in_creator(self) -> bool:
        """Whether the call executes only tasks that its caller has created."""

class StackSegment:
    """The frames of one task on a stack."""

    @property
    def begin(self) -> int: ...
    @property
    def end(self) -> int:
        """The frame after the last one."""
    @property
    def called_by(self) -> Optional[CalledBy]:
        """None where the stack begins."""

class StackParts:
    """What the frames of a stack are there for."""

    @property
    def inside(self) -> int:
        """How many of the innermost frames the user's innermost function has called."""
    @property
    def system(self) -> int:
        """How many of these are the system's."""
    @property
    def segments(self) -> list[StackSegment]:
        """Innermost first."""
    @property
    def hidden(self) -> list[int]:
        """The frames of segments that are the runtime's or a compiler's."""

class ConstructReader:
    """Finds the constructs on a thread's stack.

    IS_LEFT_BY_JUMP is ``SourceMap``'s. IS_OF_TASK tells whether an explicit task of the thread
    has jumped to the function at a pc.
    """

    def __init__(
        self,
        waits: WaitReader,
        is_left_by_jump: Callable[[int, str], bool],
        is_of_task: Callable[[int, int], bool],
    ) -> None: ...
    def read(self, frames: Sequence[NamedFrame]) -> StackParts:
        """Return the parts of a stack with these FRAMES, innermost first."""
    def kind(
        self, body: NamedFrame, between: Sequence[NamedFrame], caller: Optional[NamedFrame]
    ) -> str:
        """Return what the runtime, whose frames are BETWEEN, has called BODY for."""

class EventFrame:
    """A frame at an event as the debugger has it, inlined ones too."""

    def __init__(self, pc: int, name: Optional[str]) -> None: ...

class EventPath:
    """A thread's stack, from the function that announced an event to the innermost user code, where
    the thread has any. Frames are counted from the announcer's."""

    @property
    def pcs(self) -> list[int]:
        """The program counters of all."""
    @property
    def own(self) -> int:
        """How many frames are the runtime's."""
    @property
    def has_user(self) -> bool:
        """Whether the user's code is what these return to."""
    @property
    def pc(self) -> int:
        """Where the user's code goes on, 0 without."""
    @property
    def entry(self) -> str:
        """The runtime's function that the user's code called or jumped to, empty if there is none."""
    @property
    def begins_league(self) -> bool:
        """Whether that begins a league of teams."""
    @property
    def body_has_frame(self) -> bool:
        """Whether the user's code is what called the runtime for this event."""
    @property
    def entry_without_body(self) -> Optional[int]:
        """The frame of the runtime's that a body without a frame jumped to."""
    @property
    def is_entry_points_own(self) -> bool:
        """Whether an entry point for GCC's code announces, and not what it calls."""
    @property
    def links_serialized(self) -> bool:
        """Whether the event is of a serialized region, whose team the thread is in already."""
    @property
    def caller_of_gcc(self) -> Optional[int]:
        """The frame to which a call of GCC's code returns; None for other code."""
    def is_team_of_league(self, begins: bool) -> bool:
        """Return whether it is the event of one team of a league, and not the league's or a
        region's."""

class EventWays:
    """What is known of one inferior's stacks at events. UNWINDER is None where only the debugger
    unwinds."""

    def __init__(self, reader: WaitReader, unwinder: Optional[Unwinder]) -> None: ...
    def at(self, pc: int, sp: int, bp: int, ask: Callable[[], Sequence[EventFrame]]) -> EventPath:
        """Return the stack of the thread whose innermost frame has these registers. ASK returns the
        debugger's frames from that one's caller on, up to the user's code."""
    def counts_end(self, thread: int, is_own: bool, sp: int, pc: int) -> bool:
        """Return whether the end of a region on a THREAD is announced for the first time, by the
        call of GCC's code that returns to PC in a frame at SP. IS_OWN tells that the entry point
        itself announces it, which comes last."""
    @property
    def saved_registers(self) -> list[str]:
        """The registers that a function leaves as it found them, but for the stack pointer, by
        GDB's names."""

def unbroken(listener: _Function) -> _Function:
    """Return LISTENER, or the method of a class, so that Ctrl-C does not end it.

    GDB prints what a listener raises, and the program runs on. This one is called again until it
    is done, so that what it does must bear being done twice; then Python has the Ctrl-C again,
    for GDB to ask for.
    """
