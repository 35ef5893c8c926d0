# SPDX-License-Identifier: Apache-2.0
"""The arguments of a call that has not returned, worked out from the code before it.

Argument registers are not preserved across a call, but what set them is in the
caller's code, and made of what is still there: constants, the caller's stack and the
registers that a callee preserves. Where control flow leaves more than one answer,
there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Optional, Sequence

from .instructions import ARGUMENTS, CALLEE_SAVED, Instruction, REGISTERS, memory

MASK = (1 << 64) - 1
MAX_STEPS = 4000
_NO_WRITE = ("cmp", "test", "push", "nop", "endbr", "bt", "comis", "ucomis", "leave", "ret", "ud2")
# Instructions that write registers which they do not name.
_HIDDEN = {
    "cltq": ("rax",),
    "cwtl": ("rax",),
    "cqto": ("rdx",),
    "cltd": ("rdx",),
    "cmpxchg": ("rax",),
    "div": ("rax", "rdx"),
    "idiv": ("rax", "rdx"),
    "mul": ("rax", "rdx"),
    "rdtsc": ("rax", "rdx"),
    "cpuid": ("rax", "rbx", "rcx", "rdx"),
    "movs": ("rsi", "rdi", "rcx"),
    "stos": ("rdi", "rcx"),
    "leave": ("rbp",),
}

ReadRegister = Callable[[str], Optional[int]]
ReadMemory = Callable[[int, int], Optional[int]]


class _Unknown(Exception):
    """The value cannot be told."""


@dataclass(frozen=True, slots=True)
class _Path:
    """What lies between an instruction and the call: the preserved registers that are
    CHANGED there, and the registers and joints of control flow that were MET."""

    changed: frozenset[str] = frozenset()
    met: frozenset[tuple[str, int]] = frozenset()


class Flow:
    """A function's code, and how control flows through it."""

    def __init__(self, code: Sequence[Instruction]) -> None:
        self.code = code
        self.sources = _jump_sources(code)
        self.changed: dict[int, frozenset[str]] = {}  # preserved registers, by instruction
        self.indirect = any(i.is_jump and i.operands[:1] and "*" in i.operands[0] for i in code)


class CallSite:
    """The state of a frame's code at a call.

    FLOW runs from the function's start to past the call at index CALL. REGISTER reads
    what the callee preserved, ENTRY an argument register at the function's start.
    """

    def __init__(
        self, flow: Flow, call: int, register: ReadRegister, read: ReadMemory, entry: ReadRegister
    ) -> None:
        self._flow = flow
        self._code = flow.code
        self._call = call
        self._register = register
        self._read = read
        self._entry = entry
        self._steps = 0

    def argument(self, number: int) -> Optional[int]:
        """Return an integer argument of the call, None if it cannot be told."""
        self._steps = 0
        try:
            if number < len(ARGUMENTS):
                return self._value(ARGUMENTS[number], self._call, _Path())
            stack = self._frame_register("rsp")
            return self._load(stack + 8 * (number - len(ARGUMENTS)), 8)
        except (_Unknown, RecursionError):
            return None

    def _frame_register(self, name: str) -> int:
        value = self._register(name)
        if value is None:
            raise _Unknown
        return value

    def _load(self, address: int, size: int) -> int:
        value = self._read(address & MASK, size)
        if value is None:
            raise _Unknown
        return value

    def _value(self, name: str, before: int, path: _Path) -> int:
        """Return the value of a 64-bit register before the instruction BEFORE."""
        position = before
        while True:
            if name in CALLEE_SAVED and name not in path.changed:
                return self._frame_register(name)
            self._steps += 1
            if self._steps > MAX_STEPS:
                raise _Unknown
            sources = self._flow.sources.get(self._code[position].address, ())
            if sources:
                return self._merged(name, position, sources, path)
            if position == 0:
                return self._at_entry(name)
            position -= 1
            if self._code[position].ends_flow:
                raise _Unknown  # an unknown jump leads here
            if self._writes(self._code[position], name):
                return self._result(position, name, path)
            copy = _copy_of(name, self._code[position])
            kept = copy is not None and copy not in path.changed
            path = self._beyond(position, path)
            if copy is not None and kept:
                try:
                    return self._value(name, position, path)
                except _Unknown:
                    return self._frame_register(copy)

    def _merged(self, name: str, position: int, sources: Sequence[int], path: _Path) -> int:
        """Return the value at a place to which several ways lead, if they agree."""
        if self._flow.indirect or (name, position) in path.met:
            raise _Unknown
        ways = list(sources)
        if position > 0 and not self._code[position - 1].ends_flow:
            ways.append(position - 1)
        path = _Path(path.changed, path.met | {(name, position)})
        values = {self._at_entry(name)} if position == 0 else set()
        for way in ways:
            if self._writes(self._code[way], name):
                values.add(self._result(way, name, path))
            else:
                values.add(self._value(name, way, self._beyond(way, path)))
        if len(values) != 1:
            raise _Unknown
        return values.pop()

    def _beyond(self, position: int, path: _Path) -> _Path:
        """Return the path lengthened by an instruction."""
        changed = self._flow.changed.get(position)
        if changed is None:
            instruction = self._code[position]
            changed = frozenset(name for name in CALLEE_SAVED if self._writes(instruction, name))
            self._flow.changed[position] = changed
        return _Path(path.changed | changed, path.met) if changed else path

    def _at_entry(self, name: str) -> int:
        value = self._entry(name)
        if value is None:
            raise _Unknown
        return value

    @staticmethod
    def _writes(instruction: Instruction, name: str) -> bool:
        """Tell whether an instruction changes a 64-bit register."""
        mnemonic = instruction.mnemonic
        if name == "rsp" and mnemonic.startswith(("push", "pop", "leave")):
            return True
        for start, hidden in _HIDDEN.items():
            if mnemonic.startswith(start) and name in hidden:
                if not (mnemonic.startswith("mul") and len(instruction.operands) > 1):
                    return True
        if instruction.is_call:
            return name not in CALLEE_SAVED
        if instruction.is_jump or mnemonic.startswith(_NO_WRITE):
            return False
        written = instruction.operands[-1:]
        if mnemonic.startswith(("xchg", "xadd")):
            written = instruction.operands
        return any(REGISTERS.get(o.lstrip("%"), ("", 0))[0] == name for o in written)

    def _result(self, position: int, name: str, path: _Path) -> int:
        """Return what an instruction leaves in the register that it writes."""
        instruction = self._code[position]
        path = self._beyond(position, path)
        operands, mnemonic = instruction.operands, instruction.mnemonic
        if instruction.is_call or not operands:
            if mnemonic == "cltq":
                return _extended(self._value("rax", position, path), 4)
            raise _Unknown
        target, size = REGISTERS.get(operands[-1].lstrip("%"), ("", 0))
        if target != name or size < 4:
            raise _Unknown
        mask = (1 << 8 * size) - 1
        following = instruction.address + instruction.length

        def source(width: int = size) -> int:
            return self._operand(operands[0], width, position, following, path)

        def old() -> int:
            return self._value(name, position, path)

        if mnemonic in ("mov", "movq", "movl", "movabs"):
            return source() & mask
        if mnemonic.startswith("lea"):
            return self._address(operands[0], position, following, path) & mask
        if mnemonic in ("movslq", "movsxd"):
            return _extended(source(4), 4) & mask
        if mnemonic in ("movzbl", "movzbq", "movzwl", "movzwq"):
            return source(1 if mnemonic[4] == "b" else 2)
        if mnemonic in ("movsbl", "movsbq", "movswl", "movswq"):
            width = 1 if mnemonic[4] == "b" else 2
            return _extended(source(width), width) & mask
        if mnemonic.startswith("xor") and operands[0] == operands[-1]:
            return 0
        if mnemonic in ("imul", "imulq", "imull") and len(operands) == 3:
            factor = self._operand(operands[1], size, position, following, path)
            return source() * factor & mask
        return self._arithmetic(mnemonic, len(operands), source, old) & mask

    @staticmethod
    def _arithmetic(
        mnemonic: str, operands: int, source: Callable[[], int], old: Callable[[], int]
    ) -> int:
        one = operands == 1
        if mnemonic in ("add", "addq", "addl"):
            return old() + source()
        if mnemonic in ("sub", "subq", "subl"):
            return old() - source()
        if mnemonic in ("shl", "shlq", "shll", "sal"):
            return old() << (1 if one else source() & 63)
        if mnemonic in ("and", "andq", "andl"):
            return old() & source()
        if mnemonic in ("imul", "imulq", "imull") and operands == 2:
            return old() * source()
        raise _Unknown

    def _operand(self, operand: str, size: int, position: int, following: int, path: _Path) -> int:
        if operand.startswith("$"):
            return int(operand[1:], 16)
        if operand.startswith("%"):
            name = REGISTERS.get(operand[1:], ("", 0))[0]
            if not name:
                raise _Unknown
            return self._value(name, position, path) & ((1 << 8 * size) - 1)
        return self._load(self._address(operand, position, following, path), size)

    def _address(self, operand: str, position: int, following: int, path: _Path) -> int:
        where = memory(operand, following)
        if where is None:
            raise _Unknown
        address = where.displacement
        for register, scale in ((where.base, 1), (where.index, where.scale)):
            if register is not None:
                name = REGISTERS.get(register, ("", 0))[0]
                if not name:
                    raise _Unknown
                address += self._value(name, position, path) * scale
        return address & MASK


def _copy_of(name: str, instruction: Instruction) -> Optional[str]:
    """Return the preserved register that an instruction makes a copy of NAME."""
    if instruction.mnemonic not in ("mov", "movq") or instruction.operands[:1] != (f"%{name}",):
        return None
    copy = instruction.operands[-1].lstrip("%")
    return copy if copy in CALLEE_SAVED else None


def _jump_sources(code: Sequence[Instruction]) -> dict[int, list[int]]:
    """Return which jumps lead to an address."""
    found: dict[int, list[int]] = {}
    for position, instruction in enumerate(code):
        if instruction.is_jump and instruction.target is not None:
            found.setdefault(instruction.target, []).append(position)
    return found


def _extended(value: int, size: int) -> int:
    """Extend the sign of a number of SIZE bytes to 64 bits."""
    value &= (1 << 8 * size) - 1
    return (value - (1 << 8 * size) if value >> (8 * size - 1) else value) & MASK
