# SPDX-License-Identifier: Apache-2.0
"""Which function a call instruction calls, and which entry point an address is in.

A frame's name cannot be trusted for this: in a stripped runtime GDB names the
nearest exported symbol, and tail calls leave no frame of the entry point.
"""

from __future__ import annotations

import bisect
from typing import Callable, Iterable, Optional, Sequence

from .. import _native
from ..host.modules import MappedModule
from ..host.protocols import READ_ERRORS

_ENDBR64 = b"\xf3\x0f\x1e\xfa"
_BND = b"\xf2"
_JUMP_THROUGH = b"\xff\x25"  # jmp *disp32(%rip)
_CALL_THROUGH = b"\xff\x15"  # call *disp32(%rip)
_CALL = b"\xe8"
# Preserved registers by their numbers in an instruction; 12 is in memory operands another form.
_PRESERVED = {3: "rbx", 5: "rbp", 12: "r12", 13: "r13", 14: "r14", 15: "r15"}


class EntryPoints:
    """The entry points that NAMES names, as they are mapped."""

    def __init__(self, runtimes: Iterable[MappedModule], names: Iterable[str]) -> None:
        self._by_address: dict[int, str] = {}
        ranges: list[tuple[int, int]] = []
        names = list(names)
        for runtime in runtimes:
            module = runtime.module
            for name in names if module is not None else ():
                symbol = module.elf.symbol(name) if module is not None else None
                if symbol is not None and symbol.kind == "function":
                    start = runtime.bias + symbol.value
                    self._by_address.setdefault(start, name)
                    ranges.append((start, start + symbol.size))
        self._ranges = sorted(set(ranges))
        self._starts = [start for start, _ in self._ranges]

    def at(self, address: int) -> Optional[str]:
        """Return the entry point that begins at ADDRESS."""
        return self._by_address.get(address)

    def around(self, pc: int) -> Optional[str]:
        """Return the entry point whose own code PC is in."""
        position = bisect.bisect_right(self._starts, pc) - 1
        if position < 0 or pc >= self._ranges[position][1]:
            return None
        return self._by_address[self._starts[position]]


class Calls:
    """Reads the call and jump instructions of one inferior's code."""

    def __init__(self, space: _native.AddressSpace, machine: str) -> None:
        self._space = space
        self._machine = machine

    def targets(self, return_address: int) -> Sequence[int]:
        """Return what the call before RETURN_ADDRESS may call: nothing for a call
        through a register, more than one where its bytes can be read in two ways."""
        if self._machine == "aarch64":
            return self._a64_target(return_address)
        if self._machine != "x86-64":
            return ()
        code = self._read(return_address - 6, 6)
        found = []
        if code[1:2] == _CALL:
            found.append(self.final(return_address + _signed(code[2:])))
        if code[:2] == _CALL_THROUGH:
            slot = self._pointer(return_address + _signed(code[2:]))
            if slot is not None:
                found.append(slot)
        return found

    def indirect(
        self, return_address: int, register: Callable[[str], Optional[int]]
    ) -> Optional[int]:
        """Return what the call through a register or through memory before
        RETURN_ADDRESS called, if that hangs on registers alone that a callee preserves;
        REGISTER reads them."""
        if self._machine != "x86-64":
            return None
        code = self._read(return_address - 8, 8)
        for length in (2, 3, 4, 6, 7):
            found = _indirect_operand(code[-length:])
            if found is None:
                continue
            base, displacement = register(found[0]), found[1]
            if base is None or displacement is None:
                return base
            return self._pointer((base + displacement) & ((1 << 64) - 1))
        return None

    def final(self, target: int) -> int:
        """Return where a jump to TARGET ends: beyond its stub in the linkage table."""
        if self._machine == "aarch64":
            return self._a64_final(target)
        code = self._read(target, 16)
        skipped = 0
        for prefix in (_ENDBR64, _BND):
            if code[skipped:].startswith(prefix):
                skipped += len(prefix)
        if code[skipped : skipped + 2] != _JUMP_THROUGH:
            return target
        after = target + skipped + 6
        slot = self._pointer(after + _signed(code[skipped + 2 : skipped + 6]))
        return target if slot is None else slot

    def _a64_target(self, return_address: int) -> Sequence[int]:
        word = int.from_bytes(self._read(return_address - 4, 4), "little")
        if word >> 26 != 0b100101:  # bl imm26
            return ()
        return (self.final(return_address - 4 + 4 * _sign_extended(word & 0x3FFFFFF, 26)),)

    def _a64_final(self, target: int) -> int:
        """Follow ``adrp x16; ldr x17, [x16, #n]``, after a ``bti c`` if there is one."""
        code = self._read(target, 12)
        words = [int.from_bytes(code[i : i + 4], "little") for i in range(0, len(code), 4)]
        if words and words[0] == 0xD503245F:
            words, target_page = words[1:], target + 4
        else:
            target_page = target
        if len(words) < 2 or words[0] & 0x9F00001F != 0x90000010:
            return target
        if words[1] & 0xFFC003FF != 0xF9400211:
            return target
        pages = _sign_extended((words[0] >> 5 & 0x7FFFF) << 2 | words[0] >> 29 & 3, 21)
        slot = self._pointer((target_page & ~0xFFF) + (pages << 12) + (words[1] >> 10 & 0xFFF) * 8)
        return target if slot is None else slot

    def _read(self, address: int, size: int) -> bytes:
        try:
            return self._space.read(address, size)
        except READ_ERRORS:
            return b""

    def _pointer(self, address: int) -> Optional[int]:
        try:
            return self._space.read_pointer(address)
        except READ_ERRORS:
            return None


def _indirect_operand(code: bytes) -> Optional[tuple[str, Optional[int]]]:
    """Take ``call *%reg`` (displacement None) or ``call *disp(%reg)`` apart, where CODE
    is exactly that and the register is one that a callee preserves."""
    high = code[:1] == b"\x41"
    code = code[1:] if high else code
    if len(code) < 2 or code[0] != 0xFF or code[1] >> 3 & 7 != 2:
        return None
    mode, number = code[1] >> 6, (code[1] & 7) + (8 if high else 0)
    name = _PRESERVED.get(number)
    if name is None or len(code) != {0: 2, 1: 3, 2: 6, 3: 2}[mode]:
        return None
    if mode == 3:
        return name, None
    if number == 12 or (number in (5, 13) and mode == 0):
        return None  # with an index, or relative to rip
    return name, int.from_bytes(code[2:], "little", signed=True)


def _signed(code: bytes) -> int:
    return int.from_bytes(code[:4], "little", signed=True)


def _sign_extended(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value
