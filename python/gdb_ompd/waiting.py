# SPDX-License-Identifier: Apache-2.0
"""What a stopped thread waits for: the runtime's entry point that its user code
called, which kind of waiting that is, and for which object.

What depends on the code alone is kept by the call's address; only an object that is
not a constant costs anything more in the next thread.
"""

from __future__ import annotations

import linecache
import re
from dataclasses import dataclass
from typing import Callable, Optional, Sequence

import gdb

from . import _native, object_names
from .code_map import CodeMap
from .code_reader import CodeReader, FunctionCode, line_at
from .frames.arguments import CallSite
from .frames.entry_call import Calls, EntryPoints
from .frames.entry_table import (
    BEGINS_REGION,
    ENTRIES,
    FORKING,
    PLACE_FLAGS_OFFSET,
    SINGLE_STARTS,
    TASKGROUP_END,
    TASKLOOPS,
    barrier_kind,
)
from .frames.instructions import ARGUMENTS, CALLEE_SAVED
from .frames.waits import Kind
from .modules import MappedModule
from .protocols import READ_ERRORS

MAX_TAIL_CALLS = 3
_BARRIER_PRAGMA = re.compile(r"\bomp\s+barrier\b", re.IGNORECASE)
# Criticals that clang makes for reductions.
REDUCTION_WORDS = frozenset({".reduction", ".atomic_reduction"})
_VARIABLES = frozenset({Kind.LOCK, Kind.NEST_LOCK})


@dataclass(frozen=True, slots=True)
class _Called:
    """What a call in the user's code leads to. THROUGH are the user's functions that
    tail-called on the way: their first instructions."""

    entry_point: str
    through: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Waiting:
    """An entry point, what is waited for in it, and the user's object."""

    entry_point: Optional[str]
    kind: Optional[Kind] = None
    address: Optional[int] = None
    name: Optional[str] = None
    tail_call: Optional[int] = None  # the jump into it of a function without a frame


class WaitReader:
    """Reads waits of one inferior's threads; holds until files change."""

    def __init__(
        self,
        space: _native.AddressSpace,
        machine: str,
        code: CodeMap,
        modules: Sequence[MappedModule],
        runtimes: Sequence[MappedModule],
    ) -> None:
        self._space = space
        self._machine = machine
        self._code = code
        self._calls = Calls(space, machine)
        self._entries = EntryPoints(runtimes, ENTRIES)
        self._reader = CodeReader(modules)
        self._ranges = sorted(r for module in modules for r in module.ranges)
        self._direct: dict[int, bool] = {}
        self._called: dict[int, Optional[_Called]] = {}
        self._barriers: dict[int, Kind] = {}
        self._names: dict[tuple[int, int], Optional[str]] = {}

    def read(self, user: Optional[gdb.Frame], below: Sequence[gdb.Frame]) -> Waiting:
        """Return what the innermost user frame waits for in the runtime's frames BELOW it,
        which are given innermost first. Without a user frame, or above it, a function
        of the user's may be in the runtime that left no frame: it tail-called."""
        gone = self._without_frame(below)
        if gone is not None:
            called, frames, user = gone[0], gone[1], None
        elif user is None:
            return Waiting(None)
        else:
            frames = below
            found = self._call(user.pc()) or self._around(frames[-1].pc())
            if found is None:
                return Waiting(frames[-1].name())
            called = found
        kind, entry_point = self._kind(called, [frame.pc() for frame in reversed(frames)], user)
        place = self._tail_place(called) if called.through else None
        if kind is None:
            return Waiting(called.entry_point, tail_call=place)
        if kind is Kind.CRITICAL and ENTRIES[entry_point].object is None:
            return Waiting(called.entry_point, kind, None, "", place)
        address = self._object(entry_point, called, user)
        name = self._name(kind, address, user)
        if kind is Kind.CRITICAL and name in REDUCTION_WORDS:
            return Waiting(called.entry_point, Kind.REDUCTION, address, None, place)
        return Waiting(called.entry_point, kind, address, name, place)

    def _without_frame(
        self, below: Sequence[gdb.Frame]
    ) -> Optional[tuple[_Called, Sequence[gdb.Frame]]]:
        """Find the innermost place where the runtime called a function of the user's that
        has no frame, and return what that is in, with the frames below it."""
        for position in range(1, len(below)):
            caller = below[position]
            if self._is_direct(caller.pc()):
                continue
            name = self._entries.around(below[position - 1].pc())
            function = self._calls.indirect(caller.pc(), _preserved(caller))
            if function is not None and self._code.is_user(function):
                found = self._tail_call(function, (), name)
                if found is not None:
                    return found, below[:position]
            if name is not None and ENTRIES[name].kind is not None:
                return _Called(name), below[:position]
        return None

    def _is_direct(self, return_address: int) -> bool:
        """Tell whether the call that returns there names its function."""
        if return_address not in self._direct:
            targets = self._calls.targets(return_address)
            self._direct[return_address] = any(map(self._is_code, targets))
        return self._direct[return_address]

    def _is_code(self, address: int) -> bool:
        return any(start <= address < end for start, end in self._ranges)

    def _tail_place(self, called: _Called) -> Optional[int]:
        """Return where the last function without a frame left, if that is one line."""
        code = self._reader.function(called.through[-1])
        if code is None:
            return None
        jumps = self._jumps_to(code, None, called.entry_point)
        addresses = [code.instructions[jump].address for jump in jumps]
        return addresses[0] if len(set(map(line_at, addresses))) == 1 else None

    def called(self, return_address: int) -> Optional[str]:
        """Return the entry point that the call before RETURN_ADDRESS calls, None if it
        calls another function, or that cannot be told."""
        called = self._call(return_address)
        return called.entry_point if called is not None else None

    # Which entry point

    def _call(self, pc: int) -> Optional[_Called]:
        if pc not in self._called:
            self._called[pc] = self._decoded(pc)
        return self._called[pc]

    def _decoded(self, pc: int) -> Optional[_Called]:
        targets = self._calls.targets(pc)
        for target in targets:
            name = self._entries.at(target)
            if name is not None:
                return _Called(name)
        for target in targets:
            if self._code.is_user(target):
                return self._tail_call(target, (), None)
        return None

    def _tail_call(
        self, function: int, through: tuple[int, ...], known: Optional[str]
    ) -> Optional[_Called]:
        """Return the one entry point that a user function without a frame can be in. Of
        several it is the KNOWN one, which has a frame itself."""
        code = self._reader.function(function)
        if code is None or code.start != function or len(through) == MAX_TAIL_CALLS:
            return None
        found: set[_Called] = set()
        for target in _tail_targets(code):
            final = self._calls.final(target)
            name = self._entries.at(final)
            if name is not None:
                found.add(_Called(name, (*through, function)))
            elif self._code.is_user(final):
                further = self._tail_call(final, (*through, function), known)
                if further is not None:
                    found.add(further)
        if len(found) > 1:
            found = {called for called in found if called.entry_point == known}
        return found.pop() if len(found) == 1 else None

    def _around(self, pc: int) -> Optional[_Called]:
        name = self._entries.around(pc)
        return _Called(name) if name is not None else None

    # Which kind

    def _kind(
        self, called: _Called, pcs: Sequence[int], user: Optional[gdb.Frame]
    ) -> tuple[Optional[Kind], str]:
        """Return the kind, and the entry point whose arguments tell the object."""
        name = called.entry_point
        entry = ENTRIES[name]
        inside = [found for found in map(self._entries.around, pcs) if found is not None]
        if name in BEGINS_REGION:
            return (None if FORKING in inside else Kind.REGION_BARRIER), name
        if entry.kind is None:
            waits = [n for n in inside if ENTRIES[n].kind is not None]
            if not waits:
                return None, name
            return (Kind.TASKLOOP if name in TASKLOOPS else ENTRIES[waits[0]].kind), name
        if entry.kind is Kind.BARRIER or name == TASKGROUP_END:
            # The call is what tells, or the last jump.
            place = called.through[-1:] or ((user.pc(),) if user is not None else ())
            if not place:
                return entry.kind, name
            if place[0] not in self._barriers:
                self._barriers[place[0]] = self._by_code(called, user)
            return self._barriers[place[0]], name
        return entry.kind, name

    def _by_code(self, called: _Called, user: Optional[gdb.Frame]) -> Kind:
        """Tell constructs apart that wait in the same entry point."""
        sites = self._sites(called, user)
        if called.entry_point == TASKGROUP_END:
            taskloop = bool(sites) and all(self._follows(s, TASKLOOPS, True) for s in sites)
            return Kind.TASKLOOP if taskloop else Kind.TASKGROUP
        flagged = self._flagged(called, user)
        if flagged is not None:
            return flagged
        if sites and all(self._follows(site, SINGLE_STARTS, False) for site in sites):
            return Kind.SINGLE_BARRIER
        places = [line_at(code.instructions[index].address) for code, index in sites]
        if places and all(p and _BARRIER_PRAGMA.search(linecache.getline(*p)) for p in places):
            return Kind.EXPLICIT_BARRIER
        return Kind.BARRIER

    def _sites(self, called: _Called, user: Optional[gdb.Frame]) -> list[tuple[FunctionCode, int]]:
        """Return the instructions that may be the one by which the entry point was
        called: the user frame's call, or the jumps of the last function without a frame."""
        if called.through:
            code = self._reader.function(called.through[-1])
            jumps = [] if code is None else self._jumps_to(code, None, called.entry_point)
            return [] if code is None else [(code, jump) for jump in jumps]
        code = None if user is None else self._reader.function(user.pc() - 1)
        index = None if code is None or user is None else code.call_before(user.pc())
        return [] if code is None or index is None else [(code, index)]

    def _flagged(self, called: _Called, user: Optional[gdb.Frame]) -> Optional[Kind]:
        number = ENTRIES[called.entry_point].place
        place = self._argument(number, called, user) if number is not None else None
        if place is None:
            return None
        try:
            return barrier_kind(self._space.read_uint(place + PLACE_FLAGS_OFFSET, 4))
        except READ_ERRORS:
            return None

    def _follows(
        self, site: tuple[FunctionCode, int], names: frozenset[str], adjacent: bool
    ) -> bool:
        """Tell whether one of these entry points is called before SITE for the same source
        line: as the last call before it if ADJACENT."""
        code, index = site
        place = line_at(code.instructions[index].address)
        if place is None:
            return False
        for instruction in reversed(code.instructions[:index]):
            if not instruction.is_call:
                continue
            target = instruction.target
            name = self._entries.at(self._calls.final(target)) if target is not None else None
            if name in names and line_at(instruction.address) == place:
                return True
            if adjacent:
                return False
        return False

    # Which object

    def _object(
        self, entry_point: str, called: _Called, user: Optional[gdb.Frame]
    ) -> Optional[int]:
        number = ENTRIES[entry_point].object
        return None if number is None else self._argument(number, called, user)

    def _argument(self, number: int, called: _Called, user: Optional[gdb.Frame]) -> Optional[int]:
        if self._machine != "x86-64":
            return None
        if not called.through:
            return None if user is None else self._argument_of_call(number, user, 0)
        if number >= len(ARGUMENTS):
            return None

        def passed(position: int, register: str) -> Optional[int]:
            """Return a register as the function at POSITION of the chain got it."""
            if register in CALLEE_SAVED:
                return None
            if position < 0:
                if register not in ARGUMENTS or user is None:
                    return None  # the runtime called it
                return self._argument_of_call(ARGUMENTS.index(register), user, 0)
            following = (*called.through, None)[position + 1]
            code = self._reader.function(called.through[position])
            if code is None or register not in ARGUMENTS:
                return None
            values = {
                CallSite(
                    code.instructions,
                    index,
                    lambda _: None,
                    self._memory,
                    lambda name: passed(position - 1, name),
                ).argument(ARGUMENTS.index(register))
                for index in self._jumps_to(code, following, called.entry_point)
            }
            return values.pop() if len(values) == 1 else None

        return passed(len(called.through) - 1, ARGUMENTS[number])

    def _jumps_to(self, code: FunctionCode, function: Optional[int], name: str) -> list[int]:
        """Return the indices of the tail calls of a function, or of an entry point."""
        found = []
        for index, instruction in enumerate(code.instructions):
            if instruction.is_jump and instruction.target in _tail_targets(code):
                final = self._calls.final(instruction.target or 0)
                if final == function or (function is None and self._entries.at(final) == name):
                    found.append(index)
        return found

    def _argument_of_call(self, number: int, frame: gdb.Frame, depth: int) -> Optional[int]:
        code = self._reader.function(frame.pc() - 1)
        index = code.call_before(frame.pc()) if code is not None else None
        if code is None or index is None:
            return None
        start = code.start

        preserved = _preserved(frame)

        def at_entry(name: str) -> Optional[int]:
            """Return an argument of this function, from the call in its caller."""
            caller = frame.older()
            while caller is not None and caller.pc() == frame.pc():
                caller = caller.older()  # it is inlined there
            if caller is None or name not in ARGUMENTS or depth == MAX_TAIL_CALLS:
                return None
            if not self._code.is_user(caller.pc()):
                return None
            if start not in self._calls.targets(caller.pc()):
                return None
            return self._argument_of_call(ARGUMENTS.index(name), caller, depth + 1)

        site = CallSite(code.instructions, index, preserved, self._memory, at_entry)
        return site.argument(number)

    def _memory(self, address: int, size: int) -> Optional[int]:
        try:
            return self._space.read_uint(address, size)
        except READ_ERRORS:
            return None

    def _name(self, kind: Kind, address: Optional[int], user: Optional[gdb.Frame]) -> Optional[str]:
        if address is None:
            return None
        key = (0 if user is None else user.pc()), address
        if key not in self._names:
            if kind is Kind.CRITICAL:
                self._names[key] = object_names.critical_name(address)
            elif kind in _VARIABLES:
                self._names[key] = object_names.variable_name(address, user)
            else:
                return None
        return self._names[key]


def _preserved(frame: gdb.Frame) -> Callable[[str], Optional[int]]:
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
