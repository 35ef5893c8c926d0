# SPDX-License-Identifier: Apache-2.0
"""What the runtime keeps of a thread: its frames and the words on the thread's stack, and who
reads its records."""

from __future__ import annotations

from itertools import islice
from struct import unpack
from typing import Iterator, NamedTuple, Optional, Sequence

import gdb

from .. import _native
from ..errors import OmpdToolError
from ..host.protocols import READ_ERRORS
from ..providers.provider import Provider
from .places import Stacks, Unwound

MAX_RUNTIME_FRAMES = 24
MAX_BODY_FRAMES = 200
MAX_RUNTIME_STACK = 1 << 14  # bytes
WORD = 8
WORDS = (1 << 64) - 1
# What called the region's body, which leaves no frame where it ends in a tail call.
CALLER = "__kmp_invoke_microtask"
MADE_UP = (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME)  # they share the frame that is further out


def capabilities_of(provider: Provider) -> Optional[_native.Capabilities]:
    """Return what reads a runtime's own records, None where they are not known."""
    try:
        return provider.capabilities()
    except (*READ_ERRORS, OmpdToolError):
        return None


class Frame(NamedTuple):
    """A frame and its stack POINTER. DESCRIBED tells that debug information has its function."""

    pc: int
    name: Optional[str]
    described: bool
    pointer: Optional[int]


# The same of all stacks with the same program counters: with the frame's place among these.
_Named = tuple[int, Optional[str], bool, int]


class RuntimeStacks:
    """Reads what is the runtime's on the stacks of one inferior's threads at one stop."""

    def __init__(self, space: _native.AddressSpace, code: _native.CodeMap, stacks: Stacks) -> None:
        self._space = space
        self._code = code
        self._stacks = stacks
        self._unwound: dict[int, Unwound] = {}
        self._named: dict[tuple[int, ...], Optional[list[_Named]]] = {}  # by program counters

    def prepare(self, gdb_nums: Sequence[int]) -> None:
        """Have native code unwind these threads' stacks; GDB unwinds one of those with the same
        program counters, for the names. Of 1,000 threads at a barrier it unwinds 3."""
        self._unwound = self._stacks.unwound(gdb_nums)

    def frames(self, gdb_num: int) -> Iterator[Frame]:
        """Yield a thread's frames, innermost first."""
        unwound = self._unwound.get(gdb_num)
        named = self._named_as(gdb_num, unwound.pcs) if unwound is not None else None
        if unwound is None or named is None:
            yield from map(_of_gdb, self._stacks.frames(gdb_num))
            return
        for pc, name, described, place in named:
            yield Frame(pc, name, described, unwound.pointers[place])

    def _named_as(self, gdb_num: int, pcs: tuple[int, ...]) -> Optional[list[_Named]]:
        if pcs not in self._named:
            self._named[pcs] = self._by_place(gdb_num, pcs)
        return self._named[pcs]

    def _by_place(self, gdb_num: int, pcs: tuple[int, ...]) -> Optional[list[_Named]]:
        """Return GDB's frames of a thread by their places among PCS, None if they are others."""
        found: list[_Named] = []
        place = 0
        for frame in self._stacks.frames(gdb_num):
            if place == len(pcs):
                break
            made_up = frame.type() in MADE_UP
            if not made_up and frame.pc() != pcs[place]:
                return None
            found.append((*_of_gdb(frame)[:3], place))
            place += not made_up
        return found or None

    def names(self, gdb_num: int) -> list[Optional[str]]:
        """Return the names of the frames below the user's innermost."""
        found: list[Optional[str]] = []
        for frame in islice(self.frames(gdb_num), MAX_RUNTIME_FRAMES):
            if self._code.is_user(frame.pc) or frame.name == CALLER:
                break
            found.append(frame.name)
        return found

    def below_task(self, gdb_num: int) -> tuple[list[Optional[str]], list[int]]:
        """Return the names of the runtime's frames that have called the user's innermost
        function, and the words that the stack holds there."""
        names: list[Optional[str]] = []
        runtimes: list[Frame] = []
        was_user = False
        for frame in islice(self.frames(gdb_num), MAX_BODY_FRAMES):
            is_user = self._code.is_user(frame.pc)
            if was_user and not is_user:
                names.append(frame.name)
                runtimes.append(frame)
            elif names:
                runtimes.append(frame)
                break
            was_user = was_user or is_user
            if names and (names[-1] == CALLER or len(names) == MAX_RUNTIME_FRAMES):
                break
        return names, self._words_of(runtimes)

    def words(self, gdb_num: int) -> list[int]:
        """Return the words on a thread's stack that are the runtime's, above the user's
        innermost frame if there is one; none where they cannot be read."""
        own: list[Frame] = []
        for frame in islice(self.frames(gdb_num), MAX_RUNTIME_FRAMES):
            own.append(frame)
            if self._code.is_user(frame.pc) or frame.name == CALLER:
                break
        return self._words_of(own)

    def _words_of(self, frames: Sequence[Frame]) -> list[int]:
        """Return the words of a stack from the first to the last of its FRAMES, as many as are
        the runtime's at most; none where they cannot be read."""
        begin, end = (frames[0].pointer, frames[-1].pointer) if frames else (None, None)
        if begin is None or end is None:
            return []
        size = max(0, min(end - begin, MAX_RUNTIME_STACK)) // WORD * WORD
        form = "<" if self._space.byte_order == "little" else ">"
        try:
            return list(unpack(f"{form}{size // WORD}Q", self._space.read(begin, size)))
        except READ_ERRORS:
            return []

    def pcs(self, gdb_num: int) -> Iterator[int]:
        """Yield the program counters of a thread's frames, innermost first."""
        unwound = self._unwound.get(gdb_num)
        if unwound is not None:
            return iter(unwound.pcs)
        return (frame.pc() for frame in self._stacks.frames(gdb_num))

    def futex(self, gdb_num: int) -> Optional[tuple[int, int]]:
        """Return the address and the value that a thread gave to the kernel to sleep until that
        value changes, if it is in a call of the kernel that can be this one."""
        given = self.given_to_kernel(gdb_num)
        return None if given is None else (given[0], given[1] & 0xFFFFFFFF)

    def given_to_kernel(self, gdb_num: int) -> Optional[tuple[int, int]]:
        """Return the first and the third argument of the call of the kernel that a thread is in,
        None if it is in none, or its registers cannot be read."""
        unwound = self._unwound.get(gdb_num)
        try:
            pc = next(self.pcs(gdb_num), None)
            if pc is None or not _native.is_behind_system_call(self._space, pc):
                return None
            if unwound is not None:
                return unwound.arguments
            return _arguments(next(self._stacks.frames(gdb_num)))
        except (*READ_ERRORS, ValueError):
            return None


def _arguments(frame: gdb.Frame) -> tuple[int, int]:
    registers = ("rdi", "rdx") if "x86-64" in frame.architecture().name() else ("x0", "x2")
    first, third = (int(frame.read_register(name)) & WORDS for name in registers)
    return first, third


def _of_gdb(frame: gdb.Frame) -> Frame:
    try:
        pointer: Optional[int] = int(frame.read_register("sp"))
    except READ_ERRORS:
        pointer = None
    return Frame(frame.pc(), frame.name(), frame.function() is not None, pointer)
