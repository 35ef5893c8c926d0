# SPDX-License-Identifier: Apache-2.0
"""What stopped threads wait for and hold: native code reads it from their stacks, GDB adds
the source lines and the names of the user's objects."""

from __future__ import annotations

import linecache
import re
from typing import TYPE_CHECKING, Callable, Iterable, Optional, Sequence

import gdb

from .. import _native
from .._native import CallPlace
from ..model.waits import Kind, LOCKS
from ..model import Location
from ..host.source import SourceMap, line_at
from ..host.thread_frames import given_frames, with_callers

if TYPE_CHECKING:
    from ..explain.facts import Held

# Criticals that clang makes for reductions.
REDUCTION_WORDS = frozenset({".reduction", ".atomic_reduction"})

# GCC's code for reductions calls what atomics do, at some line of the construct.
_REDUCTION = re.compile(r"\bomp\b.*\breduction\s*\(", re.IGNORECASE)
_ATOMIC_PRAGMA = re.compile(r"\bomp\s+atomic\b", re.IGNORECASE)
_BARRIER_PRAGMA = re.compile(r"\bomp\s+barrier\b", re.IGNORECASE)
MAX_LINES = 2000  # of a construct


class Waits:
    """The waits of one inferior's threads at one stop."""

    def __init__(
        self, reader: _native.WaitReader, code: _native.CodeMap, sources: SourceMap
    ) -> None:
        self.reader = reader
        self._registers = reader.preserved_registers
        self.code = code
        self._sources = sources
        self._names: dict[tuple[int, int], Optional[str]] = {}
        self._kinds: dict[int, Kind] = {}

    def body_given(self, user: gdb.Frame) -> Optional[int]:
        """Return the outlined function that a frame's call handed over to the runtime."""
        return self.reader.body_given(given_frames(with_callers(user), self._registers))

    def kind_at(self, kind: Kind, places: Sequence[CallPlace]) -> Kind:
        """Return what is waited for at PLACES; see kind_by_lines."""
        key = places[0].address
        if key not in self._kinds:
            self._kinds[key] = kind_by_lines(kind, places)
        return self._kinds[key]

    def left(self, jumps: Sequence[int], function: Optional[int]) -> Optional[Location]:
        """Return where a FUNCTION of the user's was left by JUMPS, which has no frame."""
        lines = {line_at(jump) for jump in jumps}
        if len(lines) == 1:
            return self._sources.construct_at_call(jumps[0] + 1)
        if function is None:
            return None
        return Location(self.begins(function).function, None, None, function)

    def begins(self, function: int) -> Location:
        """Return where the user's function that begins at FUNCTION is in the source."""
        return self._sources.construct_of_function(function)

    def object_name(
        self, kind: Kind, address: int, pc: int, frame: Callable[[], Optional[gdb.Frame]]
    ) -> Optional[str]:
        """Return what the user calls the object at ADDRESS in the FRAME at PC: asked of GDB once
        for all threads that came there with it."""
        key = pc, address
        if key not in self._names:
            from ..host import object_names

            if kind is Kind.CRITICAL:
                self._names[key] = object_names.critical_name(address)
            elif kind in LOCKS:
                self._names[key] = object_names.variable_name(address, frame())
            else:
                return None
        return self._names[key]

    def held(self, frames: Sequence[gdb.Frame]) -> tuple[Held, ...]:
        """Return which locks and criticals a thread with these FRAMES is inside of by its place
        in the code, innermost first."""
        found = _native.held_locks(self.reader, given_frames(frames, self._registers))
        return self.named(found, lambda: frames)

    def named(
        self, found: Sequence[_native.HeldLock], frames: Callable[[], Iterable[gdb.Frame]]
    ) -> tuple[Held, ...]:
        """Return such locks that native code has FOUND with their names. FRAMES are the
        thread's."""
        from ..explain.facts import Held

        held: list[Held] = []
        for lock in found:
            kind = Kind(lock.kind)
            name: Optional[str] = ""  # without a word of its own it is the unnamed one
            if lock.object is not None:

                def frame(pc: int = lock.pc) -> Optional[gdb.Frame]:
                    return next((one for one in frames() if one.pc() == pc), None)

                name = self.object_name(kind, lock.object, lock.pc, frame)
            if kind is not Kind.CRITICAL or name not in REDUCTION_WORDS:
                place = line_at(lock.entered_at)
                where = None if place is None else Location(None, *place, lock.entered_at)
                held.append(Held(lock.kind, lock.object, name, where, lock.certain))
        return tuple(held)


# Constructs that wait in the same function of the runtime are told apart by source lines


def kind_by_lines(kind: Kind, places: Sequence[CallPlace]) -> Kind:
    """Return what is waited for in a function that the runtime has for several kinds, of
    which KIND is one. PLACES are the calls that may have been made."""
    if not places:
        return kind
    if kind is Kind.ATOMIC:
        return Kind.REDUCTION if all(map(_is_of_reduction, places)) else kind
    begun = all(map(_is_begun_on_its_line, places))
    if kind is Kind.TASKGROUP:
        return Kind.TASKLOOP if begun else kind
    if begun:
        return Kind.SINGLE_BARRIER
    return Kind.EXPLICIT_BARRIER if all(map(_is_at_barrier, places)) else kind


def _is_begun_on_its_line(place: CallPlace) -> bool:
    line = line_at(place.address)
    return line is not None and any(line_at(start) == line for start in place.starts)


def _is_at_barrier(place: CallPlace) -> bool:
    line = line_at(place.address)
    return line is not None and bool(_BARRIER_PRAGMA.search(linecache.getline(*line)))


def _is_of_reduction(place: CallPlace) -> bool:
    """Tell whether a call for an atomic update is made by a reduction: no atomic construct
    is written there, and a reduction clause between it and the function's beginning."""
    line, begin = line_at(place.address), line_at(place.function)
    if line is None or begin is None or line[0] != begin[0]:
        return False
    file, number = line
    if any(_ATOMIC_PRAGMA.search(linecache.getline(file, n)) for n in (number - 1, number)):
        return False
    lines = range(max(begin[1], number - MAX_LINES), number + 1)
    return any(_REDUCTION.search(linecache.getline(file, n)) for n in lines)
