# SPDX-License-Identifier: Apache-2.0
"""Which entry point of the runtime a thread's user code called: by the call in a user
frame, or through functions of the user's that left no frame, because they tail-called.

What depends on the code alone is kept by the call's address.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Optional, Sequence

import gdb

from .code_reader import FunctionCode, line_at
from .entry_table import ENTRIES, MICROTASK
from .user_code import UserCode

MAX_TAIL_CALLS = 3


@dataclass(frozen=True, slots=True)
class Called:
    """What a call in the user's code leads to. THROUGH are the user's functions that
    tail-called on the way: their first instructions. LOST tells that there is such a
    function, and that which one is not known."""

    entry_point: str
    through: tuple[int, ...] = ()
    lost: bool = False


class UserCalls:
    """Reads the calls of one inferior's user code; holds until files change."""

    def __init__(self, code: UserCode) -> None:
        self._code = code.map
        self._modules = code.modules
        self._calls = code.calls
        self._entries = code.entry_points(ENTRIES)
        self._reader = code.functions
        self._ranges = sorted(r for module in code.modules for r in module.ranges)
        self._direct: dict[int, bool] = {}
        self._called: dict[int, Optional[Called]] = {}
        self.thread_reads = 0  # how often an answer has hung on a thread's registers

    def end_stop(self) -> None:
        """Forget what memory said, and doubt the code that was read."""
        self._direct.clear()
        self._called.clear()
        self._reader.end_stop()

    def of_call(self, pc: int) -> Optional[Called]:
        """Return what the call that returns to PC calls, None if it is no entry point, or
        that cannot be told."""
        if pc not in self._called:
            self._called[pc] = self._decoded(pc)
        return self._called[pc]

    def _decoded(self, pc: int) -> Optional[Called]:
        targets = self._calls.targets(pc)
        for target in targets:
            name = self._entries.at(target)
            if name is not None:
                return Called(name)
        for target in targets:
            if self._code.is_user(target):
                return self._tail_call(target, (), None)
        return None

    def _tail_call(
        self, function: int, through: tuple[int, ...], known: Optional[str]
    ) -> Optional[Called]:
        """Return the one entry point that a user function without a frame can be in. Of
        several it is the KNOWN one, which has a frame itself."""
        code = self._reader.function(function)
        if code is None or code.start != function or len(through) == MAX_TAIL_CALLS:
            return None
        found: set[Called] = set()
        for target in _tail_targets(code):
            final = self._calls.final(target)
            name = self._entries.at(final)
            if name is not None:
                found.add(Called(name, (*through, function)))
            elif self._code.is_user(final):
                further = self._tail_call(final, (*through, function), known)
                if further is not None:
                    found.add(further)
        if len(found) > 1:
            found = {called for called in found if called.entry_point == known}
        return found.pop() if len(found) == 1 else None

    def around(self, pc: int) -> Optional[Called]:
        """Return the entry point whose own code PC is in."""
        name = self._entries.around(pc)
        return Called(name) if name is not None else None

    def name_called(self, return_address: int) -> Optional[str]:
        """Return the exported name of the function that the call before RETURN_ADDRESS
        names: GDB's name of a stripped runtime's frame is the nearest one's."""
        for target in self._calls.targets(return_address):
            for mapped in self._modules:
                if mapped.module is not None and any(a <= target < b for a, b in mapped.ranges):
                    symbol = mapped.module.elf.function_at(target - mapped.bias)
                    if symbol is not None and symbol.value == target - mapped.bias:
                        return symbol.name
        return None

    def names_around(self, pcs: Sequence[int]) -> list[str]:
        """Return the entry points that these addresses are in."""
        return [name for name in map(self._entries.around, pcs) if name is not None]

    def without_frame(
        self, below: Sequence[gdb.Frame], body: Callable[[], Optional[int]]
    ) -> Optional[tuple[Called, Sequence[gdb.Frame]]]:
        """Find the innermost place where the runtime called a function of the user's that
        has no frame, and return what that is in, with the frames below it. BODY tells
        which body of a region the runtime was given, where its own frames do not."""
        for position in range(1, len(below)):
            caller = below[position]
            if below[position - 1].type() == gdb.INLINE_FRAME or self.is_direct(caller.pc()):
                continue  # a function inlined into the next is called by no instruction
            name = self._entries.around(below[position - 1].pc())
            waits = name is not None and ENTRIES[name].kind is not None
            self.thread_reads += 1
            function = self._calls.indirect(caller.pc(), preserved(caller))
            found = self._left(function, name)
            if found is None and waits and self._entries.around(caller.pc()) == MICROTASK:
                found = self._left(body(), name)
            if found is not None:
                return found, below[:position]
            if waits and name is not None:
                return Called(name, lost=True), below[:position]
        return None

    def _left(self, function: Optional[int], known: Optional[str]) -> Optional[Called]:
        if function is None or not self._code.is_user(function):
            return None
        return self._tail_call(function, (), known)

    def is_direct(self, return_address: int) -> bool:
        """Tell whether the call that returns there names its function."""
        if return_address not in self._direct:
            targets = self._calls.targets(return_address)
            self._direct[return_address] = any(map(self._is_code, targets))
        return self._direct[return_address]

    def _is_code(self, address: int) -> bool:
        return any(start <= address < end for start, end in self._ranges)

    def sites(self, called: Called, user: Optional[gdb.Frame]) -> list[tuple[FunctionCode, int]]:
        """Return the instructions that may be the one by which the entry point was
        called: the user frame's call, or the jumps of the last function without a frame."""
        if called.through:
            code = self._reader.function(called.through[-1])
            jumps = [] if code is None else self.jumps_to(code, None, called.entry_point)
            return [] if code is None else [(code, jump) for jump in jumps]
        code = None if user is None else self._reader.function(user.pc() - 1)
        index = None if code is None or user is None else code.call_before(user.pc())
        return [] if code is None or index is None else [(code, index)]

    def tail_place(self, called: Called) -> Optional[int]:
        """Return where the last function without a frame left, if that is one line."""
        code = self._reader.function(called.through[-1])
        if code is None:
            return None
        jumps = self.jumps_to(code, None, called.entry_point)
        addresses = [code.instructions[jump].address for jump in jumps]
        return addresses[0] if len(set(map(line_at, addresses))) == 1 else None

    def jumps_to(self, code: FunctionCode, function: Optional[int], name: str) -> list[int]:
        """Return the indices of the tail calls of a function, or of an entry point."""
        found = []
        for index, instruction in enumerate(code.instructions):
            if instruction.is_jump and instruction.target in _tail_targets(code):
                final = self._calls.final(instruction.target or 0)
                if final == function or (function is None and self._entries.at(final) == name):
                    found.append(index)
        return found

    def function(self, pc: int) -> Optional[FunctionCode]:
        """Return the code of the function around PC, None where it is not known."""
        return self._reader.function(pc)

    def calls_function(self, return_address: int, function: int) -> bool:
        """Tell whether the call that returns there names that function."""
        return function in self._calls.targets(return_address)

    def entry_at(self, target: int) -> Optional[str]:
        """Return the entry point that a call or a jump to TARGET leads to."""
        return self._entries.at(self._calls.final(target))

    def is_user(self, pc: int) -> bool:
        """Tell whether PC is in the user's code."""
        return self._code.is_user(pc)


def preserved(frame: gdb.Frame) -> Callable[[str], Optional[int]]:
    """Return what reads the registers that FRAME's callee preserved."""

    def read(name: str) -> Optional[int]:
        try:
            return int(frame.read_register(name)) & ((1 << 64) - 1)
        except (gdb.error, ValueError):
            return None

    return read


def _tail_targets(code: FunctionCode) -> list[int]:
    """Return where a function's jumps lead outside of it."""
    return [
        instruction.target
        for instruction in code.instructions
        if instruction.is_jump
        and instruction.target is not None
        and not code.start <= instruction.target < code.end
    ]
