# SPDX-License-Identifier: Apache-2.0
"""Reads whole stacks as values: whose code each frame is, and where the runtime
called the user's, which native code tells of the frames as GDB has them.

A debugger names and places a frame at some cost; what it says depends on the code
alone, so it is kept by address until files change.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Callable, NamedTuple, Optional, Sequence

import gdb

from ..._native import (
    CalledBy,
    CodeMap,
    ConstructReader,
    FunctionName,
    GivenFrame,
    NamedFrame,
    StackSegment,
    WaitReader,
)
from ...model import Location
from ..found_frames import has_found
from ..inlined import InlineDepths, begin_of, function_around, functions_around
from ..selection import setting
from ..source import STARTERS, SourceMap
from ...model.stacks import Boundary, Construct, SIGNAL, Segment, Stack, StackFrame

# A recursion deeper than this is shown cut off, and said so.
MAX_FRAMES = 10_000
# GDB 12 writes no value as "print frame-arguments scalars" asks; what does came with these options.
HAS_SUMMARY = hasattr(gdb, "print_options")


def _never(_: int, __: int) -> bool:
    return False


class FrameFacts(NamedTuple):
    """What a frame's address tells: its name as the compiler has it, and its place."""

    name: str
    code: str  # "user", "runtime" or "system"
    location: Location
    named: NamedFrame  # the same for native code


class StackReader:
    """Reads the stacks of one inferior's threads."""

    def __init__(
        self,
        code: CodeMap,
        sources: SourceMap,
        waits: WaitReader,
    ) -> None:
        self._code = code
        self._sources = sources
        self._waits = waits
        self._known: dict[tuple[int, int, bool], FrameFacts] = {}

    def read(
        self,
        thread: gdb.InferiorThread,
        arguments: bool = False,
        is_of_task: Callable[[int, int], bool] = _never,
    ) -> Stack:
        """Return the thread's stack, with its functions' ARGUMENTS if wanted. IS_OF_TASK tells
        whether the function at a pc is the body of an explicit task of the thread's, or what one
        has gone on in by so many jumps.

        Leaves the thread selected: the caller restores the selection.
        """
        # A pretty-printer that fails is not the stack's, nor a word of it.
        with setting("python print-stack", "none") if arguments else nullcontext():
            frames, facts, complete, is_lost = self._frames(thread, arguments)
        parts = self._constructs(is_of_task).read([each.named for each in facts])
        for number in (*range(parts.inside), *parts.hidden):
            frames[number] = frames[number]._replace(hidden=True)

        def segment(one: StackSegment) -> Segment:
            called = one.called_by
            own = None if called is None else self._boundary(frames, facts, called)
            return Segment(tuple(frames[one.begin : one.end]), own)

        inside, segments = tuple(frames[: parts.inside]), tuple(map(segment, parts.segments))
        return Stack(thread.num, inside, segments, complete, parts.system, is_lost)

    def _constructs(self, is_of_task: Callable[[int, int], bool] = _never) -> ConstructReader:
        """It is made for each use: Python does not see that it leads back here, and would free
        neither."""
        left = self._sources.is_left_by_jump
        return ConstructReader(self._waits, left, is_of_task)

    def _frames(
        self, thread: gdb.InferiorThread, arguments: bool
    ) -> tuple[list[StackFrame], list[FrameFacts], bool, bool]:
        """Return the frames, what is known of each, whether these are all, and whether the last
        one's caller was searched for in vain."""
        found: list[StackFrame] = []
        known: list[FrameFacts] = []
        try:
            thread.switch()
            frame: Optional[gdb.Frame] = gdb.newest_frame()
            facts_of = FactsInOrder(self)
            is_searched: Optional[bool] = None
            while frame is not None and len(found) < MAX_FRAMES:
                facts = facts_of.next(frame)
                shown = _shown(frame, len(found), facts, arguments)
                found.append(shown._replace(found_by_search=True) if is_searched else shown)
                known.append(facts)
                older = frame.older()
                is_searched = has_found(frame)
                # So begins a thread that is just made, and what is known to have no caller.
                begins = is_searched is not False or facts.name in STARTERS
                if older is not None and older.pc() == 0 and begins:
                    return found, known, True, False
                if is_searched is False:
                    return found, known, False, True
                frame = older
        except gdb.error:
            return found, known, False, False
        return found, known, frame is None, False

    def facts(self, frame: gdb.Frame, pc: int, inlined: int, called: bool) -> FrameFacts:
        """Return what is known of the frame at PC with the depth INLINED (see InlineDepths).
        CALLED tells that PC is a return address, which may be in the next line."""
        key = (pc, inlined, called)
        if key not in self._known:
            location = self._sources.location_of(frame)
            code = "system" if self._sources.starts_stack(location) else self._code.code_at(pc)
            name = frame.name() or ""
            named = NamedFrame(name, code, location.pc, location.line is not None)
            self._known[key] = FrameFacts(name, code, location, named)
        return self._known[key]

    def kind(
        self, body: FrameFacts, between: Sequence[FrameFacts], caller: Optional[FrameFacts]
    ) -> Construct:
        """Tell what the runtime, whose frames are BETWEEN, has called BODY for."""
        runtime = [each.named for each in between]
        by = caller.named if caller is not None else None
        return Construct(self._constructs().kind(body.named, runtime, by))

    def _boundary(
        self, frames: Sequence[StackFrame], facts: Sequence[FrameFacts], called: CalledBy
    ) -> Boundary:
        kind, place = Construct(called.kind), called.place
        body = None if called.body is None else self._function_of(facts[called.body])
        begun_at = None if place is None else self._begun_at(kind, facts[place].location, body)
        if called.call is not None:
            call = self._sources.location_at(called.call, False)
            begun_at = self._begun_at(kind, call, None)
        construct = None if body is None else self._sources.construct_of_function(body)
        between = frames[called.begin : called.end]
        runtime = tuple(each._replace(hidden=True) for each in between)
        return Boundary(kind, runtime, begun_at, called.bottom, construct, called.in_creator)

    def _begun_at(self, kind: Construct, call: Location, body: Optional[int]) -> Location:
        """Return where a construct with a BODY was begun by a CALL. A league is no region, of which
        the snapshot has the construct's own line."""
        if kind is not Construct.LEAGUE:
            return call
        given = body or self._waits.body_given([GivenFrame(call.pc, True)])
        return self._sources.construct_called(call, given)

    def _function_of(self, body: FrameFacts) -> Optional[int]:
        """Return where the function of a BODY begins, which GDB can tell by its frame."""
        around = functions_around(gdb.block_for_pc(body.location.pc - 1))
        block = next((each for each in around if each.function.name == body.name), None)
        return None if block is None else begin_of(block)


class FactsInOrder:
    """Tells the facts of one stack's frames, asked for from the inside outwards."""

    def __init__(self, reader: StackReader) -> None:
        self._reader = reader
        self._depths = InlineDepths()
        self._called = False

    def next(self, frame: gdb.Frame) -> FrameFacts:
        """Return the facts of the next frame; gdb.error where it cannot be read."""
        pc = frame.pc()
        facts = self._reader.facts(frame, pc, self._depths.next(frame, pc), self._called)
        if frame.type() != gdb.INLINE_FRAME:
            self._called = frame.type() != gdb.SIGTRAMP_FRAME
        return facts


def _shown(frame: gdb.Frame, number: int, facts: FrameFacts, arguments: bool) -> StackFrame:
    place = facts.location
    if frame.type() == gdb.SIGTRAMP_FRAME:
        return StackFrame(number, SIGNAL, None, None, frame.pc())
    outlined = FunctionName(facts.name).is_outlined
    wanted = arguments and facts.code == "user" and not outlined
    return StackFrame(
        number,
        place.function if facts.code == "user" else facts.name or None,
        place.file,
        place.line,
        frame.pc(),
        outlined,
        arguments=_arguments_of(frame) if wanted else (),
        code=place.code,
    )


def _arguments_of(frame: gdb.Frame) -> tuple[tuple[str, str], ...]:
    """Return a function's arguments with their values, as ``print frame-arguments`` asks."""
    how = gdb.parameter("print frame-arguments")
    try:
        block = function_around(frame.block())
    except RuntimeError:
        return ()
    if block is None or how == "presence":
        return ()
    named = (symbol for symbol in block if symbol.is_argument and symbol.name)
    return tuple((symbol.name, _argument(frame, symbol, how)) for symbol in named)


def _argument(frame: gdb.Frame, symbol: gdb.Symbol, how: object) -> str:
    if how == "none":
        return "..."
    try:
        value = frame.read_var(symbol)
        if how == "all":
            return str(value.format_string(max_elements=20))
        if HAS_SUMMARY:
            return str(value.format_string(summary=True, max_elements=20))
        from ..expressions import AGGREGATES, type_code

        whole = type_code(value) in AGGREGATES
        return "..." if whole else str(value.format_string(max_elements=20))
    except gdb.error:
        return "?"
