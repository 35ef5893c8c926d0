# SPDX-License-Identifier: Apache-2.0
"""Callers of functions that no unwind table describes, as hand-written assembly and code that is
made at run time have none, and of code whose file GDB has not read, as it was removed or replaced.

GDB guesses there, and its frames are often none of the program's. Native code searches for the
caller, and GDB goes on from that: so its own commands have the same frames as ours.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence

import gdb
from gdb.unwinder import Unwinder

from .. import _native

NAME = "ompd functions without unwind information"
# By DWARF's numbers.
REGISTERS = ("rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp") + tuple(
    f"r{number}" for number in range(8, 16)
)
PC, SP = "rip", "rsp"
WORD = (1 << 64) - 1


class _FrameId:
    def __init__(self, sp: int, pc: int) -> None:
        self.sp = gdb.Value(sp)
        self.pc = gdb.Value(pc)


class FoundFrames(Unwinder):
    """Unwinds the frames of the process PID by NATIVE, and none of what is run after it. Where
    files are UNREAD, or others, their tables tell."""

    def __init__(
        self, native: _native.Unwinder, pid: int, unread: Sequence[tuple[int, int]]
    ) -> None:
        super().__init__(NAME)
        self._native = native
        self._pid = pid
        self._unread = unread
        self._listed: set[int] = set()  # what is executed where tables tell the caller
        # By a frame's program counter and stack pointer, whether its caller was found.
        self._searched: dict[int, dict[int, bool]] = {}

    def __call__(self, pending: Any) -> Any:
        """Return the caller's registers of a PENDING frame; None where GDB is to tell them."""
        pc = _register(pending, PC)
        if pc is None or gdb.selected_inferior().pid != self._pid:
            return None
        is_calling = pending.level() > 0
        if pc - is_calling in self._listed:
            return None
        held = [*(_register(pending, name) for name in REGISTERS), pc]
        if any(start <= pc < end for start, end in self._unread):
            listed = self._native.listed_caller(pc, is_calling, held)
            return None if listed is None else _unwound(pending, listed)
        if self._is_listed(pc, is_calling) or self._is_described(pc):
            self._listed.add(pc - is_calling)
            return None
        found = self._native.found_caller(pc, is_calling, held)
        self._searched.setdefault(pc, {})[_register(pending, SP) or 0] = found is not None
        return None if found is None else _unwound(pending, found)

    def has_found(self, frame: gdb.Frame) -> Optional[bool]:
        """Return whether the caller of FRAME, whose caller GDB has been asked for, was found by
        search; None where there was no need to search."""
        known = self._searched.get(frame.pc())
        return None if known is None else known.get(_register(frame, SP) or 0)

    def _is_listed(self, pc: int, is_calling: bool) -> bool:
        """Tell whether tables tell the caller. At a function's first instruction no call returns:
        the frame's callee is one that was inlined there, or a signal's."""
        unlisted = self._native.is_unlisted
        return not unlisted(pc, is_calling) or (is_calling and not unlisted(pc, False))

    def _is_described(self, pc: int) -> bool:
        """Tell whether GDB knows what is at PC: a program that makes code at run time may describe
        that, and a library may have been loaded since."""
        is_gdbs = gdb.block_for_pc(pc) is not None or gdb.solib_name(pc) is not None
        return is_gdbs and self._native.is_in_no_file(pc)


def _unwound(pending: Any, caller: _native.FoundCaller) -> Any:
    by_name = dict(zip((*REGISTERS, PC), caller.registers))
    info = pending.create_unwind_info(_FrameId(by_name[SP] or 0, caller.function))
    for name, value in by_name.items():
        if value is not None:
            info.add_saved_register(name, gdb.Value(value))
    return info


def _register(frame: Any, name: str) -> Optional[int]:
    try:
        return int(frame.read_register(name)) & WORD
    except (gdb.error, ValueError):
        return None


def find_frames(
    inferior: gdb.Inferior, native: Optional[_native.Unwinder], unread: Sequence[tuple[int, int]]
) -> None:
    """Have GDB unwind an inferior's frames with NATIVE, by itself alone where that is None. UNREAD
    is where files are mapped that GDB has not read. What it has unwound before is forgotten; the
    selected frame stays. GDB 10 does not tell the callee's
    frame from a caller's: it goes on guessing."""
    if not hasattr(gdb.PendingFrame, "level"):
        return
    unwinders = inferior.progspace.frame_unwinders
    others = [each for each in unwinders if each.name != NAME]
    inferior.progspace.frame_unwinders = (
        others if native is None else [FoundFrames(native, inferior.pid, unread), *others]
    )
    try:
        selected: Optional[gdb.Frame] = gdb.selected_frame()
    except gdb.error:
        selected = None
    gdb.invalidate_cached_frames()
    if selected is not None and selected.is_valid():
        selected.select()


def has_found(frame: gdb.Frame) -> Optional[bool]:
    """Return FoundFrames.has_found of the selected program's."""
    for each in gdb.current_progspace().frame_unwinders:
        if isinstance(each, FoundFrames):
            return each.has_found(frame)
    return None
