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
from typing import Optional, Sequence

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
        self._called: dict[int, Optional[_Called]] = {}
        self._barriers: dict[int, Kind] = {}
        self._names: dict[tuple[int, int], Optional[str]] = {}

    def read(self, user: gdb.Frame, below: Sequence[gdb.Frame]) -> Waiting:
        """Return what the user's frame waits for in the runtime's frames BELOW it, which
        are given innermost first."""
        pcs = [frame.pc() for frame in reversed(below)]
        called = self._call(user.pc()) or self._around(pcs)
        if called is None:
            return Waiting(below[-1].name())
        kind, entry_point = self._kind(called, pcs, user)
        if kind is None:
            return Waiting(called.entry_point)
        address = self._object(entry_point, called, user)
        if kind is Kind.CRITICAL and ENTRIES[entry_point].object is None:
            return Waiting(called.entry_point, kind, None, "")
        name = self._name(kind, address, user)
        if kind is Kind.CRITICAL and name in REDUCTION_WORDS:
            return Waiting(called.entry_point, Kind.REDUCTION, address)
        return Waiting(called.entry_point, kind, address, name)

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
                return self._tail_call(target, ())
        return None

    def _tail_call(self, function: int, through: tuple[int, ...]) -> Optional[_Called]:
        """Return the one entry point that a user function without a frame can be in."""
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
                further = self._tail_call(final, (*through, function))
                if further is not None:
                    found.add(further)
        return found.pop() if len(found) == 1 else None

    def _around(self, pcs: Sequence[int]) -> Optional[_Called]:
        name = self._entries.around(pcs[0])
        return _Called(name) if name is not None else None

    # Which kind

    def _kind(
        self, called: _Called, pcs: Sequence[int], user: gdb.Frame
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
        if called.through:
            return self._of_tail_call(called, user), name
        if entry.kind is Kind.BARRIER or name == TASKGROUP_END:
            pc = user.pc()
            if pc not in self._barriers:
                self._barriers[pc] = self._by_code(called, user)
            return self._barriers[pc], name
        return entry.kind, name

    def _of_tail_call(self, called: _Called, user: gdb.Frame) -> Optional[Kind]:
        kind = ENTRIES[called.entry_point].kind
        if kind is Kind.BARRIER:
            return self._flagged(called, user) or kind
        return kind

    def _by_code(self, called: _Called, user: gdb.Frame) -> Kind:
        """Tell constructs apart that wait in the same entry point."""
        pc = user.pc()
        if called.entry_point == TASKGROUP_END:
            taskloop = self._previous_call(pc, TASKLOOPS, adjacent=True)
            return Kind.TASKLOOP if taskloop else Kind.TASKGROUP
        flagged = self._flagged(called, user)
        if flagged is not None:
            return flagged
        if self._previous_call(pc, SINGLE_STARTS, adjacent=False):
            return Kind.SINGLE_BARRIER
        place = line_at(pc - 1)
        if place is not None and _BARRIER_PRAGMA.search(linecache.getline(*place)):
            return Kind.EXPLICIT_BARRIER
        return Kind.BARRIER

    def _flagged(self, called: _Called, user: gdb.Frame) -> Optional[Kind]:
        number = ENTRIES[called.entry_point].place
        place = self._argument(number, called, user) if number is not None else None
        if place is None:
            return None
        try:
            return barrier_kind(self._space.read_uint(place + PLACE_FLAGS_OFFSET, 4))
        except READ_ERRORS:
            return None

    def _previous_call(self, pc: int, names: frozenset[str], adjacent: bool) -> bool:
        """Tell whether one of these entry points is called before this call for the same
        source line: as the last call before it if ADJACENT."""
        code, place = self._reader.function(pc - 1), line_at(pc - 1)
        index = code.call_before(pc) if code is not None else None
        if code is None or index is None or place is None:
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

    def _object(self, entry_point: str, called: _Called, user: gdb.Frame) -> Optional[int]:
        number = ENTRIES[entry_point].object
        return None if number is None else self._argument(number, called, user)

    def _argument(self, number: int, called: _Called, user: gdb.Frame) -> Optional[int]:
        if self._machine != "x86-64":
            return None
        if not called.through:
            return self._argument_of_call(number, user, 0)
        if number >= len(ARGUMENTS):
            return None

        def passed(position: int, register: str) -> Optional[int]:
            """Return a register as the function at POSITION of the chain got it."""
            if register in CALLEE_SAVED:
                return None
            if position < 0:
                if register not in ARGUMENTS:
                    return None
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

        def preserved(name: str) -> Optional[int]:
            try:
                return int(frame.read_register(name)) & ((1 << 64) - 1)
            except (gdb.error, ValueError):
                return None

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

    def _name(self, kind: Kind, address: Optional[int], user: gdb.Frame) -> Optional[str]:
        if address is None:
            return None
        key = user.pc(), address
        if key not in self._names:
            if kind is Kind.CRITICAL:
                self._names[key] = object_names.critical_name(address)
            elif kind in _VARIABLES:
                self._names[key] = object_names.variable_name(address, user)
            else:
                return None
        return self._names[key]


def _tail_targets(code: FunctionCode) -> list[int]:
    """Return where a function's jumps lead outside of it."""
    return [
        instruction.target
        for instruction in code.instructions
        if instruction.is_jump
        and instruction.target is not None
        and not code.start <= instruction.target < code.end
    ]
