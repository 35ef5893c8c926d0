# SPDX-License-Identifier: Apache-2.0
"""What a stopped thread waits for in the runtime: which kind of waiting it is, and for
which of the user's objects.

What depends on the code alone is kept by the call's address; only an object that is
not a constant costs anything more in the next thread.
"""

from __future__ import annotations

import linecache
import re
from dataclasses import dataclass, replace
from typing import Optional, Sequence

import gdb

from ..host import object_names
from ..code.call_arguments import CallArguments
from ..code.code_reader import FunctionCode, line_at
from ..code.entry_table import (
    BEGINS_REGION,
    BODY_ARGUMENT,
    ENTRIES,
    FORKING,
    MAKES_TASK,
    MICROTASK,
    PLACE_FLAGS_OFFSET,
    SINGLE_STARTS,
    TASKGROUP_END,
    TASKLOOPS,
    barrier_kind,
)
from ..model.waits import Kind
from ..host.protocols import READ_ERRORS
from ..code.user_calls import Called, UserCalls
from ..code.user_code import UserCode

# GCC's code for reductions calls what atomics do, at some line of the construct.
_REDUCTION = re.compile(r"\bomp\b.*\breduction\s*\(", re.IGNORECASE)
_ATOMIC_PRAGMA = re.compile(r"\bomp\s+atomic\b", re.IGNORECASE)
MAX_LINES = 2000  # of a construct
_BARRIER_PRAGMA = re.compile(r"\bomp\s+barrier\b", re.IGNORECASE)
# Criticals that clang makes for reductions.
REDUCTION_WORDS = frozenset({".reduction", ".atomic_reduction"})
# What stands for a function of the runtime that is not an entry point known here.
UNNAMED = "?"
_VARIABLES = frozenset({Kind.LOCK, Kind.NEST_LOCK})


@dataclass(frozen=True, slots=True)
class Waiting:
    """An entry point, what is waited for in it, and the user's object. FRAMELESS tells
    that a function of the user's called it that left no frame: its first instruction is
    FUNCTION, and where it left TAIL_CALL, where these are known. UNDEFERRED is as in Wait."""

    entry_point: Optional[str]
    kind: Optional[Kind] = None
    address: Optional[int] = None
    name: Optional[str] = None
    frameless: bool = False
    function: Optional[int] = None
    tail_call: Optional[int] = None
    undeferred: bool = False


class WaitReader:
    """Reads waits of one inferior's threads; holds until files change."""

    def __init__(self, code: UserCode) -> None:
        self._space = code.space
        self._calls = UserCalls(code)
        self._arguments = CallArguments(code.space, code.machine, self._calls)
        self._with_microtask = code.ranges_of_runtimes_with(MICROTASK)
        self._kinds_by_place: dict[int, Kind] = {}
        self._names: dict[tuple[int, int], Optional[str]] = {}

    def end_stop(self) -> None:
        """Forget what memory said: slots of the linkage table are filled while the
        program runs, and a damaged one may be mended."""
        self._calls.end_stop()
        self._arguments.end_stop()
        self._kinds_by_place.clear()
        self._names.clear()

    def read(self, user: Optional[gdb.Frame], below: Sequence[gdb.Frame]) -> Waiting:
        """Return what the innermost user frame waits for in the runtime's frames BELOW it,
        which are given innermost first. Without a user frame, or above it, a function
        of the user's may be in the runtime that left no frame: it tail-called."""
        gone = self._calls.without_frame(below, lambda: self.body_given(user))
        if gone is None:
            return self._with_frame(user, below)
        called, frames = gone
        found = self._waiting(called, frames, None)
        if called.lost:
            return replace(found, frameless=True)
        place, function = self._calls.tail_place(called), called.through[-1]
        return replace(found, frameless=True, function=function, tail_call=place)

    def _with_frame(self, user: Optional[gdb.Frame], below: Sequence[gdb.Frame]) -> Waiting:
        if user is None:
            return Waiting(None)
        called = self._calls.of_call(user.pc()) or self._calls.around(below[-1].pc())
        if called is None:
            return Waiting(self._calls.name_called(user.pc()) or UNNAMED)
        found = self._waiting(called, below, user)
        if not called.through:
            return found
        place, function = self._calls.tail_place(called), called.through[-1]
        return replace(found, frameless=True, function=function, tail_call=place)

    def body_given(self, user: Optional[gdb.Frame]) -> Optional[int]:
        """Return the body of the region that a user frame began, from its call's argument."""
        called = None if user is None else self._calls.of_call(user.pc())
        if called is None or called.entry_point not in BODY_ARGUMENT:
            return None
        return self._arguments.read(BODY_ARGUMENT[called.entry_point], called, user)

    def _waiting(
        self, called: Called, below: Sequence[gdb.Frame], user: Optional[gdb.Frame]
    ) -> Waiting:
        kind, entry_point = self._kind(called, [frame.pc() for frame in reversed(below)], user)
        if kind is None:
            return Waiting(called.entry_point)
        if kind is Kind.CRITICAL and ENTRIES[entry_point].object is None:
            return Waiting(called.entry_point, kind, None, "")
        if kind is Kind.DEPENDENCE:
            undeferred = self._is_undeferred(called, user)
            return Waiting(called.entry_point, kind, undeferred=undeferred)
        address = self._object(entry_point, called, user)
        name = self._name(kind, address, user)
        if kind is Kind.CRITICAL and name in REDUCTION_WORDS:
            return Waiting(called.entry_point, Kind.REDUCTION, address)
        return Waiting(called.entry_point, kind, address, name)

    @property
    def thread_reads(self) -> int:
        """How often an answer so far has hung on a thread's registers or memory."""
        return self._calls.thread_reads + self._arguments.thread_reads

    def called(self, return_address: int) -> Optional[str]:
        """Return the entry point that the call before RETURN_ADDRESS calls, None if it
        calls another function, or that cannot be told."""
        called = self._calls.of_call(return_address)
        return called.entry_point if called is not None else None

    def names_its_function(self, return_address: int) -> bool:
        """Tell whether the call before RETURN_ADDRESS is not one through a pointer."""
        return self._calls.is_direct(return_address)

    def entry_point_at(self, pc: int) -> Optional[str]:
        """Return the entry point whose own code PC is in."""
        found = self._calls.around(pc)
        return found.entry_point if found is not None else None

    def has_microtask(self, pc: int) -> bool:
        """Tell whether PC is in a runtime that calls the bodies of regions by the function
        of that name only: LLVM's."""
        return any(start <= pc < end for start, end in self._with_microtask)

    def _kind(
        self, called: Called, pcs: Sequence[int], user: Optional[gdb.Frame]
    ) -> tuple[Optional[Kind], str]:
        """Return the kind, and the entry point whose arguments tell the object."""
        name = called.entry_point
        entry = ENTRIES[name]
        inside = self._calls.names_around(pcs)
        if name in BEGINS_REGION:
            return (None if FORKING in inside else Kind.REGION_BARRIER), name
        if entry.kind is None:
            waits = [n for n in inside if ENTRIES[n].kind is not None]
            if not waits:
                return None, name
            return (Kind.TASKLOOP if name in TASKLOOPS else ENTRIES[waits[0]].kind), name
        if entry.kind in (Kind.BARRIER, Kind.ATOMIC) or name == TASKGROUP_END:
            # The call is what tells, or the last jump.
            place = called.through[-1:] or ((user.pc(),) if user is not None else ())
            if not place:
                return entry.kind, name
            if place[0] not in self._kinds_by_place:
                self._kinds_by_place[place[0]] = self._by_code(called, user)
            return self._kinds_by_place[place[0]], name
        return entry.kind, name

    def _by_code(self, called: Called, user: Optional[gdb.Frame]) -> Kind:
        """Tell constructs apart that wait in the same entry point."""
        sites = self._calls.sites(called, user)
        if ENTRIES[called.entry_point].kind is Kind.ATOMIC:
            reduces = bool(sites) and all(_is_of_reduction(*site) for site in sites)
            return Kind.REDUCTION if reduces else Kind.ATOMIC
        if called.entry_point == TASKGROUP_END:
            taskloop = bool(sites) and all(self._follows(s, TASKLOOPS, True) for s in sites)
            return Kind.TASKLOOP if taskloop else Kind.TASKGROUP
        flagged = self._flagged(called, user)
        if flagged is not None:
            return flagged
        if sites and all(self._follows(site, SINGLE_STARTS, False) for site in sites):
            return Kind.SINGLE_BARRIER
        return Kind.EXPLICIT_BARRIER if self._reads(sites, _BARRIER_PRAGMA) else Kind.BARRIER

    @staticmethod
    def _reads(sites: Sequence[tuple[FunctionCode, int]], pragma: re.Pattern[str]) -> bool:
        """Tell whether the source line of every one of SITES is such a pragma."""
        places = [line_at(code.instructions[index].address) for code, index in sites]
        return bool(places) and all(p and pragma.search(linecache.getline(*p)) for p in places)

    def _is_undeferred(self, called: Called, user: Optional[gdb.Frame]) -> bool:
        """Tell whether the call waits for the dependences of a task that was made for it: the
        same entry point serves a taskwait with dependences. What is called afterwards
        would tell as well, but its slot in the linkage table may not be filled yet."""
        sites = () if called.through else self._calls.sites(called, user)
        makers = [code.call_leading_to(index) for code, index in sites]
        names = [None if end is None else self._calls.name_called(end) for end in makers]
        return bool(names) and all(name == MAKES_TASK for name in names)

    def _flagged(self, called: Called, user: Optional[gdb.Frame]) -> Optional[Kind]:
        number = ENTRIES[called.entry_point].place
        place = self._arguments.read(number, called, user) if number is not None else None
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
            name = self._calls.entry_at(target) if target is not None else None
            if name in names and line_at(instruction.address) == place:
                return True
            if adjacent:
                return False
        return False

    def _object(self, entry_point: str, called: Called, user: Optional[gdb.Frame]) -> Optional[int]:
        number = ENTRIES[entry_point].object
        return None if number is None else self._arguments.read(number, called, user)

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


def _is_of_reduction(code: FunctionCode, index: int) -> bool:
    """Tell whether a call for an atomic update is made by a reduction: no atomic construct
    is written there, and a reduction clause between it and the function's beginning."""
    place, begin = line_at(code.instructions[index].address), line_at(code.start)
    if place is None or begin is None or place[0] != begin[0]:
        return False
    file, line = place
    if any(_ATOMIC_PRAGMA.search(linecache.getline(file, n)) for n in (line - 1, line)):
        return False
    lines = range(max(begin[1], line - MAX_LINES), line + 1)
    return any(_REDUCTION.search(linecache.getline(file, n)) for n in lines)
