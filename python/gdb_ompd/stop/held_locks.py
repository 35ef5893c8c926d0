# SPDX-License-Identifier: Apache-2.0
"""Which locks and criticals a thread's place in the code is inside of.

By the calls that enter and leave them, followed through each of the thread's user
functions from its start to where the thread is in it. A lock that a function returns
with is not seen: the function's frame is gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterator, Optional, Sequence

import gdb

from ..host import object_names
from ..code.code_reader import FunctionCode, line_at
from ..code.arguments import CallSite
from ..code.instructions import Instruction, REGISTERS, memory
from ..model.waits import Kind
from ..model import Location
from ..host.protocols import READ_ERRORS
from ..code.user_code import UserCode
from .waiting import REDUCTION_WORDS
from ..explain.facts import Held


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry point that enters (or leaves) a lock, and the argument that is its word."""

    kind: Kind
    enters: bool
    object: Optional[int] = None


_CALLS = {
    "__kmpc_critical": _Entry(Kind.CRITICAL, True, 2),
    "__kmpc_critical_with_hint": _Entry(Kind.CRITICAL, True, 2),
    "__kmpc_end_critical": _Entry(Kind.CRITICAL, False, 2),
    "GOMP_critical_start": _Entry(Kind.CRITICAL, True),
    "GOMP_critical_end": _Entry(Kind.CRITICAL, False),
    "GOMP_critical_name_start": _Entry(Kind.CRITICAL, True, 0),
    "GOMP_critical_name_end": _Entry(Kind.CRITICAL, False, 0),
    "omp_set_lock": _Entry(Kind.LOCK, True, 0),
    "omp_unset_lock": _Entry(Kind.LOCK, False, 0),
    "omp_set_nest_lock": _Entry(Kind.NEST_LOCK, True, 0),
    "omp_unset_nest_lock": _Entry(Kind.NEST_LOCK, False, 0),
    "omp_set_lock_": _Entry(Kind.LOCK, True, 0),
    "omp_unset_lock_": _Entry(Kind.LOCK, False, 0),
    "GOMP_atomic_start": _Entry(Kind.ATOMIC, True),
    "GOMP_atomic_end": _Entry(Kind.ATOMIC, False),
}
_MOVES_NOTHING = ("push", "pop", "cmp", "test", "nop")


@dataclass(frozen=True, slots=True)
class _Site:
    """A call that enters or leaves a lock, and which one where that is known. STABLE
    tells that it cannot have been another when the call was made."""

    index: int
    entry: _Entry
    address: Optional[int]
    stable: bool

    def may_be(self, other: "_Site") -> bool:
        """Tell whether both can mean the same lock."""
        if self.entry.kind is not other.entry.kind:
            return False
        if self.entry.object is None or other.entry.object is None:
            return self.entry.object is other.entry.object
        return not (self.stable and other.stable) or self.address == other.address


class HeldLocks:
    """Reads them for one inferior; holds until files change."""

    def __init__(self, code: UserCode) -> None:
        self._space = code.space
        self._code = code.map
        self._calls = code.calls
        self._entries = code.entry_points(_CALLS)
        self._reader = code.functions
        self._has_calls: dict[int, dict[int, _Entry]] = {}

    def end_stop(self) -> None:
        """Forget what memory said."""
        self._has_calls.clear()

    def of(self, frames: Iterator[gdb.Frame]) -> tuple[Held, ...]:
        """Return what a thread with these FRAMES is inside of, innermost first."""
        found: list[Held] = []
        seen: set[int] = set()
        innermost = True
        for frame in frames:
            pc = frame.pc()
            if self._code.is_user(pc) and pc not in seen:
                found.extend(self._in_frame(frame, pc, innermost))
                seen.add(pc)  # functions inlined there share it
            innermost = False
        return tuple(found)

    def _in_frame(self, frame: gdb.Frame, pc: int, innermost: bool) -> Iterator[Held]:
        code = self._reader.function(pc if innermost else pc - 1)
        if code is None:
            return
        calls = self._calls_of(code)
        here = _index(code, pc) if innermost else code.call_before(pc)
        if here is None or not any(entry.enters for entry in calls.values()):
            return
        sites = {i: self._site(code, i, entry, frame) for i, entry in calls.items()}
        surely, perhaps = _flow(code.instructions, sites, here)
        for index in sorted(perhaps, reverse=True):
            site = sites[index]
            if site.address is not None or site.entry.object is None:
                held = self._held(site, code, frame, site.stable and index in surely)
                if held is not None:
                    yield held

    def _calls_of(self, code: FunctionCode) -> dict[int, _Entry]:
        if code.start not in self._has_calls:
            found: dict[int, _Entry] = {}
            for index, instruction in enumerate(code.instructions):
                if instruction.is_call:
                    name = self._called(instruction)
                    if name is not None:
                        found[index] = _CALLS[name]
            self._has_calls[code.start] = found
        return self._has_calls[code.start]

    def _called(self, instruction: Instruction) -> Optional[str]:
        targets = self._calls.targets(instruction.address + instruction.length)
        return next((n for n in map(self._entries.at, targets) if n is not None), None)

    def _site(self, code: FunctionCode, index: int, entry: _Entry, frame: gdb.Frame) -> _Site:
        """Return which lock a call of the frame's function enters or leaves."""
        if entry.object is None:
            return _Site(index, entry, None, True)
        stable = True

        def register(name: str) -> Optional[int]:
            """Return a register that the function sets once, or to one constant only: then
            it is the same now."""
            writes = _writes(code, name)
            if name != "rsp" and len(writes) > 1:
                constants = {each.rip_target for each in writes if each.mnemonic == "lea"}
                alike = len(constants) == 1 and all(each.mnemonic == "lea" for each in writes)
                return constants.pop() if alike else None
            try:
                return int(frame.read_register(name)) & ((1 << 64) - 1)
            except (gdb.error, ValueError):
                return None

        def memory_at(address: int, size: int) -> Optional[int]:
            nonlocal stable
            stable = stable and _is_set_once(code, address, register)
            return self._memory(address, size)

        site = CallSite(code.flow, index, register, memory_at, lambda _: None)
        address = site.argument(entry.object)
        return _Site(index, entry, address, stable and address is not None)

    def _memory(self, address: int, size: int) -> Optional[int]:
        try:
            return self._space.read_uint(address, size)
        except READ_ERRORS:
            return None

    def _held(
        self, site: _Site, code: FunctionCode, frame: gdb.Frame, certain: bool
    ) -> Optional[Held]:
        kind, address = site.entry.kind, site.address
        name: Optional[str] = ""
        if address is not None and kind is Kind.CRITICAL:
            name = object_names.critical_name(address)
            if name in REDUCTION_WORDS:
                return None
        elif address is not None:
            name = object_names.variable_name(address, frame)
        pc = code.instructions[site.index].address
        place = line_at(pc)
        where = None if place is None else Location(None, place[0], place[1], pc)
        return Held(kind.value, address, name, where, certain)


def _writes(code: FunctionCode, name: str) -> list[Instruction]:
    """Return the instructions that set a register, the saving and restoring of the
    caller's value left out."""
    return [
        instruction
        for instruction in code.instructions
        if instruction.operands
        and not instruction.mnemonic.startswith(_MOVES_NOTHING)
        and not instruction.is_call
        and not instruction.is_jump
        and REGISTERS.get(instruction.operands[-1].lstrip("%"), ("", 0))[0] == name
    ]


def _is_set_once(
    code: FunctionCode, address: int, register: Callable[[str], Optional[int]]
) -> bool:
    """Tell whether a variable of the function's frame is set at one place, and its address
    is given to nobody: what it is now, it was at every call."""
    places = [
        (instruction, operand)
        for instruction in code.instructions
        for operand in instruction.operands[-1:]
        if _slot(operand, instruction, register) == address
    ]
    writes = sum(not i.mnemonic.startswith(_MOVES_NOTHING) and not i.is_call for i, _ in places)
    escapes = any(
        instruction.mnemonic.startswith("lea")
        and _slot(instruction.operands[0], instruction, register) == address
        for instruction in code.instructions
        if instruction.operands
    )
    return writes == 1 and not escapes


def _slot(
    operand: str, instruction: Instruction, register: Callable[[str], Optional[int]]
) -> Optional[int]:
    """Return the address of an operand in the function's frame."""
    where = memory(operand, instruction.address + instruction.length)
    if where is None or where.index is not None or where.base not in ("rbp", "rsp"):
        return None
    base = register(where.base)
    return None if base is None else base + where.displacement


def _index(code: FunctionCode, pc: int) -> Optional[int]:
    return next((i for i, one in enumerate(code.instructions) if one.address == pc), None)


def _flow(
    code: Sequence[Instruction], sites: dict[int, _Site], here: int
) -> tuple[frozenset[int], frozenset[int]]:
    """Return the entering calls that are open before the instruction HERE: on every way
    from the function's start, and on some way."""
    position = {instruction.address: index for index, instruction in enumerate(code)}
    surely: dict[int, frozenset[int]] = {0: frozenset()}
    perhaps: dict[int, frozenset[int]] = {0: frozenset()}
    todo = [0]
    while todo:
        index = todo.pop()
        for following in _successors(code, index, position):
            sure = _after(surely[index], sites, index, sure=True)
            maybe = _after(perhaps[index], sites, index, sure=False)
            if following in surely:
                sure &= surely[following]
                maybe |= perhaps[following]
                if (sure, maybe) == (surely[following], perhaps[following]):
                    continue
            surely[following], perhaps[following] = sure, maybe
            todo.append(following)
    jumps_anywhere = any(i.is_jump and i.operands[:1] and "*" in i.operands[0] for i in code)
    if jumps_anywhere:
        return frozenset(), perhaps.get(here, frozenset())
    return surely.get(here, frozenset()), perhaps.get(here, frozenset())


def _after(
    open_calls: frozenset[int], sites: dict[int, _Site], index: int, sure: bool
) -> frozenset[int]:
    """Return the open calls behind an instruction. A call that leaves a lock which is
    not known closes all of them where SURE is wanted, none where not."""
    site = sites.get(index)
    if site is None:
        return open_calls
    if site.entry.enters:
        return open_calls | {index}
    if sure:
        return frozenset(o for o in open_calls if not sites[o].may_be(site))
    return frozenset(
        o for o in open_calls if not (sites[o].may_be(site) and (sites[o].address == site.address))
    )


def _successors(code: Sequence[Instruction], index: int, position: dict[int, int]) -> Iterator[int]:
    instruction = code[index]
    if instruction.is_jump and instruction.target in position:
        yield position[instruction.target]
    if not instruction.ends_flow and index + 1 < len(code):
        yield index + 1
