# SPDX-License-Identifier: Apache-2.0
"""What GDB calls the places that native code finds on threads' stacks, and the user's objects."""

from __future__ import annotations

from os.path import basename
from typing import TYPE_CHECKING, Callable, Iterable, Optional, Sequence

import gdb

from ..._native import CallPlace, CodeMap, FrameFunction, HeldLock, SourcePlace, WaitReader
from ..directives import directive_at
from ..expressions import calls_forbidden, changes
from ..inlined import executes, may_begin_inlined
from ..locations import REFERENCES, WHOLE_NUMBERS
from ..selection import setting
from ..source import SourceMap, is_stub, is_system_header, line_at
from ..thread_frames import ThreadFrames
from ...model import Location
from ...model.waits import Kind, LOCKS, RWLOCK, SPIN_LOCK
from .wait_kinds import kind_by_lines

if TYPE_CHECKING:
    from ...explain.facts import Held

# Criticals that clang makes for reductions.
REDUCTION_WORDS = frozenset({".reduction", ".atomic_reduction"})


class GdbPlaceNames:
    """The names of places of one inferior's threads at one stop."""

    def __init__(
        self, frames: ThreadFrames, sources: SourceMap, reader: WaitReader, code: CodeMap
    ) -> None:
        self._frames = frames
        self._sources = sources
        self._reader = reader
        self._code = code
        self._given: dict[Location, SourcePlace] = {}
        self._objects: dict[tuple[int, int], Optional[str]] = {}
        self._kinds: dict[int, Kind] = {}
        self._variables: dict[int, Optional[str]] = {}

    def at(self, points: Sequence[tuple[int, bool]]) -> list[Optional[SourcePlace]]:
        """Return the place at each program counter, which is an innermost frame's or not; None
        where only the thread's frames tell it."""
        return [
            None
            if innermost and may_begin_inlined(pc)
            else self._place(self._sources.location_at(pc, innermost))
            for pc, innermost in points
        ]

    def chain(self, gdb_num: int, pc: int) -> list[SourcePlace]:
        """Return the places of a thread's frames at PC, those of inlined functions first. Leaves
        the thread selected."""
        found: list[SourcePlace] = []
        for frame in self._frames.of(gdb_num):
            if found or frame.pc() == pc:
                found.append(self._place(self._sources.location_of(frame)))
                if frame.type() != gdb.INLINE_FRAME:
                    break
        return found

    def _place(self, location: Location) -> SourcePlace:
        if location not in self._given:
            in_header = is_system_header(location.file)
            is_passed = self._sources.starts_stack(location) or is_stub(location)
            self._given[location] = SourcePlace(location, in_header, is_passed)
        return self._given[location]

    def outermost_called(self, gdb_num: int) -> Optional[str]:
        """Name the outermost frame below the user's code; see ThreadFrames."""
        return self._frames.outermost_called(gdb_num)

    def is_unreadable(self, gdb_num: int) -> bool:
        """Tell whether GDB cannot tell a thread's frames."""
        return gdb_num in self._frames.unreadable

    def left(self, jumps: Sequence[int], function: Optional[int]) -> Optional[SourcePlace]:
        """Return where a FUNCTION of the user's was left by JUMPS, which has no frame."""
        if len({line_at(jump) for jump in jumps}) == 1:
            place = self._sources.construct_at_call(jumps[0] + 1)
            return self._place(self._sources.without_shared_line(place, jumps[0]))
        if function is None:
            return None
        return self._place(self.begins(function)._replace(file=None, line=None))

    def begins(self, function: int) -> Location:
        """Return where the user's function that begins at FUNCTION is in the source."""
        return self._sources.construct_of_function(function)

    def kind_by_lines(self, kind: str, places: Sequence[CallPlace]) -> Kind:
        """Return what is waited for in one of the calls at PLACES, KIND or a like one."""
        key = places[0].address
        if key not in self._kinds:
            self._kinds[key] = kind_by_lines(Kind(kind), places)
        return self._kinds[key]

    def object(self, kind: str, address: int, gdb_num: int, pc: int) -> Optional[str]:
        """Return what the user calls the object at ADDRESS in a thread's frame at PC."""
        return self._object(Kind(kind), address, pc, lambda: self._frames.at(gdb_num, pc))

    def mutex(self, address: int, gdb_num: int, pc: int) -> Optional[str]:
        """Return what the user calls a lock of the C library's in his innermost frame, at PC."""
        return self._object(Kind.LOCK, address, pc, lambda: self._frames.users(gdb_num))

    def _object(
        self, kind: Kind, address: int, pc: int, frame: Callable[[], Optional[gdb.Frame]]
    ) -> Optional[str]:
        """Return the same, asked of GDB once for all threads that came there with it."""
        key = pc, address
        if key not in self._objects:
            from .. import object_names

            if kind is Kind.CRITICAL:
                self._objects[key] = object_names.critical_name(address)
            elif kind in LOCKS:
                self._objects[key] = object_names.variable_name(address, frame())
            else:
                return None
        return self._objects[key]

    def waits_for_others(self, function: str) -> bool:
        """Tell whether a function of MPI's waits for what other processes do."""
        from ...explain.job import waits_for_others

        return waits_for_others(function)

    def held(self, gdb_num: int, found: Sequence[HeldLock]) -> tuple[Held, ...]:
        """Return the locks that native code has FOUND a thread to be inside of, with names."""
        return self.named(found, lambda: self._frames.of(gdb_num))

    def named(
        self, found: Sequence[HeldLock], frames: Callable[[], Iterable[gdb.Frame]]
    ) -> tuple[Held, ...]:
        """Return the same of a thread with these FRAMES."""
        from ...explain.facts import Held

        held: list[Held] = []
        for lock in found:
            said = lock.kind
            kind = Kind.LOCK if said in (RWLOCK, SPIN_LOCK) else Kind(said)
            name: Optional[str] = ""  # without a word of its own it is the unnamed one
            if lock.object is not None:

                def frame(pc: int = lock.pc) -> Optional[gdb.Frame]:
                    return next((one for one in frames() if one.pc() == pc), None)

                name = self._object(kind, lock.object, lock.pc, frame)
            if kind is Kind.CRITICAL and name in REDUCTION_WORDS:
                said, name = Kind.REDUCTION.value, ""
            is_shared = self._sources.is_without_line(lock.entered_at)
            place = None if is_shared else line_at(lock.entered_at)
            where = None if place is None else Location(None, *place, lock.entered_at)
            held.append(Held(said, lock.object, name, where, lock.certain))
        return tuple(held)

    def variables(self, gdb_num: int, addresses: Sequence[int]) -> tuple[str, ...]:
        """Return what the user calls the variables at ADDRESSES, which a thread reads."""
        from ..object_names import variable_name

        for each in addresses:
            # A name that another thread's frames tell is this one's, too.
            if self._variables.get(each) is None:
                self._variables[each] = variable_name(each, self._frames.users(gdb_num))
        return tuple(self._variables[each] or f"0x{each:x}" for each in addresses)

    def construct(self, pc: int, function: int) -> Optional[Location]:
        """Return where the construct is whose call returns to PC and whose FUNCTION begins there; 0
        where one is not known. None where neither is."""
        if pc:
            call = self._sources.construct_at_call(pc)
            return self._sources.construct_called(call, function or None)
        return self._sources.construct_of_function(function) if function else None

    def functions_at(self, pc: int, start: int) -> Optional[Sequence[str]]:
        """Return the names of the functions whose code is at PC; see SourceMap."""
        return self._sources.functions_at(pc, start)

    def function(self, gdb_num: int, frame: int) -> FrameFunction:
        """Return what is known of the function of a thread's FRAME, counted from the innermost.
        Leaves the thread selected."""
        found = self._frames.numbered(gdb_num, frame)
        symbol, has_line = found.function(), found.find_sal().line != 0
        if symbol is None:
            return FrameFunction(found.name(), None, 0, has_line)
        return FrameFunction(found.name(), symbol.name, int(symbol.value().address), has_line)

    def frame_place(self, gdb_num: int, frame: int) -> Location:
        """Return where a thread's FRAME is, counted from the innermost. Leaves the thread
        selected."""
        return self._sources.location_of(self._frames.numbered(gdb_num, frame))

    def call_place(self, pc: int) -> Location:
        """Return where the call is that returns to PC."""
        return self._sources.location_at(pc, False)

    def construct_called(self, call: Location, body: Optional[int]) -> Location:
        """Return where the construct is that is begun at a CALL with the outlined BODY."""
        return self._sources.construct_called(call, body)

    def directive(self, pc: int, construct: Optional[Location]) -> Optional[str]:
        """Return the text of the directive of a parallel CONSTRUCT that the function around PC has
        begun; None where it is not known."""
        symtab = gdb.find_pc_line(pc).symtab
        if symtab is None or construct is None or construct.line is None:
            return None
        if basename(symtab.filename) != basename(construct.file or ""):
            return None
        return directive_at(symtab, construct.line)

    def value(self, gdb_num: int, pc: int, expression: str) -> Optional[int]:
        """Return the value of an EXPRESSION in a thread's frame at PC, of a condition 0 or not; None
        where it would do something, or is not known. Leaves the frame selected."""
        frame = self._frames.at(gdb_num, pc)
        if frame is None or changes(expression):
            return None
        frame.select()
        try:
            # A directive's text is in the language of its code, whichever the user has set.
            with setting("language", "auto"), calls_forbidden():
                value = gdb.parse_and_eval(expression)
                if value.type.code in REFERENCES:
                    value = value.referenced_value()
                is_number = value.type.strip_typedefs().code in WHOLE_NUMBERS
                return int(value) if is_number else int(bool(value))
        except (gdb.error, ValueError):
            return None

    def is_left_by_jump(self, called: int, inside: str) -> bool:
        """Tell whether a region's body that was CALLED has ended with a jump; see SourceMap."""
        return self._sources.is_left_by_jump(called, inside)

    def is_in_body(self, gdb_num: int, function: int) -> bool:
        """Tell whether the task with the outlined FUNCTION is one of the user's innermost
        frames: it called what the thread waits in, and is not just beginning. The user's
        own code may have called it: that of an undeferred task with a false "if"."""
        below = False
        for frame in self._frames.of(gdb_num):
            is_user = self._code.is_user(frame.pc())
            if is_user and self._executes(frame, function):
                return True
            if below and not is_user:
                break
            below = below or is_user
        return False

    def _executes(self, frame: gdb.Frame, function: int) -> bool:
        try:
            return executes(frame, function)
        except RuntimeError:  # it has no debug information
            from ..locations import executed_by

            around = self._reader.at(executed_by(frame)).function
            return around is not None and around.start == function
