# SPDX-License-Identifier: Apache-2.0
"""Where a construct's call is that left no frame, since a compiler made it a jump.

A function that ends with a region jumps into the runtime: the stack then shows
its caller, which contains no construct. What that one calls, and where that
jumps to, tells the place. x86-64 only; elsewhere such a place is not known.
"""

from __future__ import annotations

from typing import Iterator, Optional

import gdb

from ..code.entry_points import OWN_PREFIX
from ..host.modules import MappedModule
from ..host.remote_memory import reader

MAX_CHAIN = 8  # functions that jump to one another before the runtime
MAX_FUNCTION = 1 << 20
CALL, JUMP = b"\xe8", b"\xe9"
CALL_THROUGH, JUMP_THROUGH = b"\xff\x15", b"\xff\x25"  # a word in memory, by its distance
MARKS = (b"\xf3\x0f\x1e\xfa", b"\xf2")  # endbr64 and bnd, which stubs begin with


class CallSites:
    """Looks into the code of one process's files; it does not change while they stay."""

    def __init__(self, modules: list[MappedModule]) -> None:
        self._modules = modules

    def construct(self, pc: int, entry: str) -> Optional[int]:
        """Return the address of the instruction by which user code came to the
        runtime's function ENTRY, where the stack says that it returns to PC.

        None where it cannot be told: more than one can be it, or the call goes
        through a pointer.
        """
        called = self._called_before(pc)
        if called is None:
            return None
        if self._name(called) == entry:
            return pc - 1
        return self.jump_from(called, entry)

    def jump_from(self, function: int, entry: str) -> Optional[int]:
        """Return the one jump to ENTRY that FUNCTION, or what it jumps to, contains."""
        found = set(self._jumps(function, entry, MAX_CHAIN))
        return found.pop() if len(found) == 1 else None

    def _jumps(self, function: int, entry: str, depth: int) -> Iterator[int]:
        direct: list[tuple[int, int]] = []
        others: list[tuple[int, int]] = []
        for at, destination in self._leaving(function):
            (direct if self._name(destination) == entry else others).append((at, destination))
        yield from (at for at, _ in direct)
        if not direct and depth:
            for _, destination in others:
                if self._begins(destination):
                    yield from self._jumps(destination, entry, depth - 1)

    def _leaving(self, function: int) -> Iterator[tuple[int, int]]:
        """Yield the address and destination of what may be jumps out of a function:
        of bytes that only look like one the destination is hardly ever a function."""
        size = self._size(function)
        code = _read(function, min(size, MAX_FUNCTION))
        for opcode in (JUMP, JUMP_THROUGH):
            offset = code.find(opcode)
            while 0 <= offset <= len(code) - len(opcode) - 4:
                destination = self._destination(function + offset, opcode)
                if destination is not None and not function <= destination < function + size:
                    yield function + offset, destination
                offset = code.find(opcode, offset + 1)

    def _called_before(self, pc: int) -> Optional[int]:
        # A debugger that knows of the jump shows it as a call that returns behind it.
        for opcode in (CALL, CALL_THROUGH, JUMP, JUMP_THROUGH):
            at = pc - len(opcode) - 4
            if _read(at, len(opcode)) == opcode:
                return self._destination(at, opcode)
        return None

    def _destination(self, at: int, opcode: bytes) -> Optional[int]:
        """Return where a call or jump goes, through the stub of another file's function."""
        after = at + len(opcode) + 4
        address = after + int.from_bytes(_read(after - 4, 4), "little", signed=True)
        if opcode in (CALL_THROUGH, JUMP_THROUGH):
            return int.from_bytes(_read(address, 8), "little") or None
        return self._behind_stub(address)

    def _behind_stub(self, address: int) -> Optional[int]:
        if self._begins(address):
            return address
        code = _read(address, 16)
        for mark in MARKS:
            if code.startswith(mark):
                address, code = address + len(mark), code[len(mark) :]
        if code.startswith(JUMP_THROUGH):
            return self._destination(address, JUMP_THROUGH)
        return address

    def _module(self, address: int) -> Optional[MappedModule]:
        for mapped in self._modules:
            if any(start <= address < end for start, end in mapped.ranges):
                return mapped if mapped.module is not None else None
        return None

    def _name(self, address: int) -> Optional[str]:
        """Return the name of the function that begins at ADDRESS."""
        mapped = self._module(address)
        if mapped is None or mapped.module is None:
            return None
        function = mapped.module.elf.function_at(address - mapped.bias)
        if function is None:
            return None
        # A versioned name is written NAME@VERSION in a file's own table.
        return function.name.partition("@")[0].removeprefix(OWN_PREFIX)

    def _begins(self, address: int) -> bool:
        mapped = self._module(address)
        if mapped is None or mapped.module is None:
            return False
        function = mapped.module.elf.function_at(address - mapped.bias)
        return function is not None and mapped.bias + function.value == address

    def _size(self, function: int) -> int:
        mapped = self._module(function)
        if mapped is None or mapped.module is None:
            return 0
        symbol = mapped.module.elf.function_at(function - mapped.bias)
        return symbol.size if symbol is not None else 0


def _read(address: int, size: int) -> bytes:
    """Read code; empty where nothing is mapped."""
    try:
        return bytes(reader()(address, size)) if size else b""
    except (gdb.MemoryError, OverflowError):
        return b""
