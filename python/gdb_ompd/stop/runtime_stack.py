# SPDX-License-Identifier: Apache-2.0
"""What the runtime keeps of a thread: the words on its stack that are the runtime's, and
who reads its records."""

from __future__ import annotations

from itertools import islice
from struct import unpack
from typing import Callable, Iterable, Iterator, Optional, Sequence

import gdb

from .. import _native
from ..errors import OmpdToolError
from ..host.protocols import READ_ERRORS
from ..providers.provider import Provider

Frames = Callable[[int], Iterator[gdb.Frame]]
MAX_RUNTIME_FRAMES = 24
MAX_RUNTIME_STACK = 1 << 14  # bytes
WORD = 8
WORDS = (1 << 64) - 1
# What called the region's body, which leaves no frame where it ends in a tail call.
CALLER = "__kmp_invoke_microtask"


def capabilities_of(provider: Provider) -> Optional[_native.Capabilities]:
    """Return what reads a runtime's own records, None where they are not known."""
    try:
        return provider.capabilities()
    except (*READ_ERRORS, OmpdToolError):
        return None


def runtime_words(
    space: _native.AddressSpace, code: _native.CodeMap, frames: Iterable[gdb.Frame]
) -> list[int]:
    """Return the words on a thread's stack that are the runtime's, above the user's
    innermost frame if there is one; none where they cannot be read."""
    own: list[gdb.Frame] = []
    for frame in islice(frames, MAX_RUNTIME_FRAMES):
        own.append(frame)
        if code.is_user(frame.pc()) or frame.name() == CALLER:
            break
    return words_of(space, own)


def words_of(space: _native.AddressSpace, frames: Sequence[gdb.Frame]) -> list[int]:
    """Return the words of a stack from the first to the last of its FRAMES, as many as are
    the runtime's at most; none where they cannot be read."""
    if not frames:
        return []
    try:
        begin, end = (int(frame.read_register("sp")) for frame in (frames[0], frames[-1]))
        return _words_between(space, begin, end)
    except READ_ERRORS:
        return []


def futex_of(space: _native.AddressSpace, frame: Optional[gdb.Frame]) -> Optional[tuple[int, int]]:
    """Return the address and the value that a thread gave to the kernel to sleep until that
    value changes, if its innermost FRAME is in a call of the kernel that can be this one."""
    try:
        if frame is None or not _native.is_behind_system_call(space, frame.pc()):
            return None
        registers = ("rdi", "rdx") if "x86-64" in frame.architecture().name() else ("x0", "x2")
        address, value = (int(frame.read_register(name)) for name in registers)
    except (*READ_ERRORS, ValueError):
        return None
    return address & WORDS, value & 0xFFFFFFFF


def _words_between(space: _native.AddressSpace, begin: int, end: int) -> list[int]:
    """Return the words of a stack from BEGIN to END, as many as are the runtime's at most."""
    size = max(0, min(end - begin, MAX_RUNTIME_STACK)) // WORD * WORD
    form = "<" if space.byte_order == "little" else ">"
    return list(unpack(f"{form}{size // WORD}Q", space.read(begin, size)))
