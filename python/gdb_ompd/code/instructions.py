# SPDX-License-Identifier: Apache-2.0
"""x86-64 instructions, from GDB's text in AT&T's syntax."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

_WIDE = "ax bx cx dx si di bp sp".split()
# Each name of an integer register, with the 64-bit register and its size in bytes.
REGISTERS: dict[str, tuple[str, int]] = {}
for _name in _WIDE:
    REGISTERS |= {f"r{_name}": (f"r{_name}", 8), f"e{_name}": (f"r{_name}", 4)}
    REGISTERS[_name] = (f"r{_name}", 2)
    REGISTERS[f"{_name[0]}l" if _name[1] == "x" else f"{_name}l"] = (f"r{_name}", 1)
for _number in range(8, 16):
    for _suffix, _size in (("", 8), ("d", 4), ("w", 2), ("b", 1)):
        REGISTERS[f"r{_number}{_suffix}"] = (f"r{_number}", _size)
REGISTERS |= {f"{_letter}h": (f"r{_letter}x", 1) for _letter in "abcd"}
CALLEE_SAVED = frozenset({"rbx", "rbp", "rsp", "r12", "r13", "r14", "r15"})
ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")

_MEMORY = re.compile(
    r"^(?P<displacement>-?0x[0-9a-f]+)?"
    r"(?:\((?:%(?P<base>\w+))?(?:,%(?P<index>\w+),(?P<scale>\d))?\))?$"
)
_PREFIXES = frozenset({"bnd", "notrack", "lock", "rep", "repz", "repnz", "data16", "cs", "addr32"})


@dataclass(frozen=True, slots=True)
class Memory:
    """An operand in memory; ADDRESS is what GDB works out where it is relative to rip."""

    displacement: int
    base: Optional[str]
    index: Optional[str]
    scale: int


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. OPERANDS as written, TARGET where a direct jump or call goes."""

    address: int
    length: int
    mnemonic: str
    operands: tuple[str, ...]
    target: Optional[int]
    rip_target: Optional[int]  # the address of an operand relative to rip

    @property
    def is_call(self) -> bool:
        return self.mnemonic.startswith("call")

    @property
    def is_jump(self) -> bool:
        """Tell whether it may go on elsewhere."""
        return self.mnemonic.startswith("j")

    @property
    def ends_flow(self) -> bool:
        """Tell whether the next instruction is never what is executed after it."""
        return self.mnemonic in ("jmp", "jmpq", "ret", "retq", "ud2", "hlt")


def parse(address: int, length: int, text: str) -> Instruction:
    """Take GDB's text of one instruction apart."""
    code, _, comment = text.partition("#")
    words = code.split()
    while len(words) > 1 and words[0] in _PREFIXES:
        words = words[1:]
    mnemonic = words[0] if words else ""
    rest = "".join(words[1:])
    target = None
    if mnemonic.startswith(("call", "j")) and rest.startswith("0x"):
        target = int(rest.partition("<")[0], 16)
    rip_target = int(comment.split()[0], 16) if comment.strip().startswith("0x") else None
    return Instruction(address, length, mnemonic, _split(rest), target, rip_target)


def memory(operand: str, following: int) -> Optional[Memory]:
    """Take a memory operand apart; FOLLOWING is the address of the next instruction."""
    match = _MEMORY.match(operand)
    if match is None:
        return None
    displacement = int(match["displacement"] or "0", 16)
    if match["base"] == "rip":
        return Memory(displacement + following, None, None, 1)
    return Memory(displacement, match["base"], match["index"], int(match["scale"] or "1"))


def _split(operands: str) -> tuple[str, ...]:
    """Split at the commas outside of parentheses."""
    found, depth, start = [], 0, 0
    for position, character in enumerate(operands):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            found.append(operands[start:position])
            start = position + 1
    return tuple(found + [operands[start:]]) if operands else ()
