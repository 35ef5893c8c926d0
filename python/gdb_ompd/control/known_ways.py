# SPDX-License-Identifier: Apache-2.0
"""The ways by which events came before, recognised without unwinding the stack.

Unwinding is most of what a condition costs. At a function's first instruction the
stack pointer and the frame pointer are the caller's, and the return addresses lie
where they lay before if the announcing function's frame has the size it had: then
comparing them says that the whole way is the same. x86-64 only.
"""

from __future__ import annotations

from typing import NamedTuple, Optional

import gdb

from ..host.remote_memory import reader
from ..host.setting import setting

WORD = 8
WORDS = 0xFFFFFFFFFFFFFFFF
MAX_WAYS = 32  # for each announcing call; a program has a few
MAX_DEPTH = 1024  # how far up the stack the user's code may be


class Way(NamedTuple):
    """Return addresses by their distance from the stack pointer, outermost last. SIZE
    is the distance of the frame pointer: the announcing function's frame may grow."""

    size: int
    slots: tuple[tuple[int, int], ...]

    def fits(self, size: int, stack: bytes) -> bool:
        """Tell whether these return addresses lie on a STACK."""
        return size == self.size and all(
            stack[at : at + WORD] == value.to_bytes(WORD, "little") for at, value in self.slots
        )


class KnownWays:
    """Ways of one inferior, by what the first return address is."""

    def __init__(self) -> None:
        self._ways: dict[int, dict[Way, tuple[int, ...]]] = {}
        self._entries: dict[int, bool] = {}

    def find(self, frame: gdb.Frame) -> Optional[tuple[int, ...]]:
        """Return the program counters above FRAME, None if it came another way."""
        if not self.is_at_entry(frame):
            return None
        sp, size = _pointers(frame)
        try:
            stack = reader()(sp, MAX_DEPTH).tobytes()
        except gdb.MemoryError:
            return None
        ways = self._ways.get(int.from_bytes(stack[:WORD], "little"), {})
        return next((pcs for way, pcs in ways.items() if way.fits(size, stack)), None)

    def learn(self, frame: gdb.Frame, above: list[gdb.Frame]) -> None:
        """Remember the way from FRAME through the frames ABOVE it."""
        if not above or not self.is_at_entry(frame):
            return
        sp, size = _pointers(frame)
        slots = []
        for each in above:
            if each.type() == gdb.INLINE_FRAME:
                continue  # a part of the next one: it has no return address
            if each.type() != gdb.NORMAL_FRAME:
                return
            slots.append(((int(each.read_register("sp")) & WORDS) - WORD - sp, each.pc()))
        if above[-1].type() == gdb.NORMAL_FRAME and slots[-1][0] <= MAX_DEPTH - WORD:
            ways = self._ways.setdefault(slots[0][1], {})
            if len(ways) < MAX_WAYS:
                ways[Way(size, tuple(slots))] = tuple(each.pc() for each in above)

    def is_at_entry(self, frame: gdb.Frame) -> bool:
        """Tell whether FRAME's function has not executed an instruction yet."""
        pc = frame.pc()
        if pc not in self._entries:
            self._entries[pc] = _begins_function(frame)
        return self._entries[pc]


def _begins_function(frame: gdb.Frame) -> bool:
    """Tell whether a function has not executed an instruction yet."""
    if frame.architecture().name() != "i386:x86-64":
        return False
    function = frame.function()
    if function is not None:
        return bool(int(function.value().address) == frame.pc())
    name = frame.name()  # without debug information, by the symbol alone
    return name is not None and _address_of(name) == frame.pc()


def _address_of(name: str) -> Optional[int]:
    if "'" in name:
        return None  # the program must not write what is evaluated here
    try:
        with setting("language", "c"):
            return int(gdb.parse_and_eval(f"(unsigned long) &'{name}'"))
    except gdb.error:
        return None


def _pointers(frame: gdb.Frame) -> tuple[int, int]:
    sp = int(frame.read_register("rsp")) & WORDS
    return sp, (int(frame.read_register("rbp")) & WORDS) - sp
