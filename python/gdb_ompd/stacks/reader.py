# SPDX-License-Identifier: Apache-2.0
"""Reads whole stacks as values: whose code each frame is, and where the runtime
called the user's.

A debugger names and places a frame at some cost; what it says depends on the code
alone, so it is kept by address until files change.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Callable, Iterator, NamedTuple, Optional, Sequence

import gdb

from .._native import (
    CodeMap,
    WaitReader,
    begins_region,
    executes_tasks,
    is_clangs_body,
    is_gccs_body,
    is_helper,
    is_outlined,
    is_region_body,
    is_task_entry,
    is_wrapper_of,
    makes_task,
)
from ..model import Location
from ..host.inlined import InlineDepths, begin_of, functions_around
from ..host.selection import setting
from ..host.source import SourceMap, starts_stack
from ..providers.facts import TASKWAIT
from ..model.stacks import Boundary, Construct, Segment, Stack, StackFrame
from .arguments import arguments_of

# A recursion deeper than this is shown cut off, and said so.
MAX_FRAMES = 10_000
# By which a task's part has the next one executed, and a function a task that it creates.
GOES_ON = "__kmpc_omp_task"
# What calls a region's body in every thread of the team.
MICROTASK = "__kmp_invoke_microtask"
# In which a thread is at the end of a region, and of which begins_region does not tell it.
ENDS_REGION = "GOMP_parallel_end"
# The name of a body that has ended with a jump to the call that begins a region.
GONE = "(gone)"
# Calls for a whole league, of which there is no region.
LEAGUES = frozenset({"__kmpc_fork_teams", "GOMP_teams_reg"})
# Calls by which the host executes a target region: in no task and no team that is known.
TARGETS = frozenset({"GOMP_target", "GOMP_target_ext"})
# The runtime's functions that call a body, where its debug information names them.
CALLS_TASK = frozenset({"__kmp_invoke_task"})
CALLS_REGION = frozenset(
    {
        "__kmp_invoke_microtask",
        "__kmp_GOMP_microtask_wrapper",
        "__kmp_GOMP_parallel_microtask_wrapper",
    }
)


def _never(_: int) -> bool:
    return False


class FrameFacts(NamedTuple):
    """What a frame's address tells: its name as the compiler has it, and its place."""

    name: str
    code: str  # "user", "runtime" or "system"
    location: Location


class _Frame(NamedTuple):
    """A frame while its stack is taken apart."""

    shown: StackFrame
    facts: FrameFacts

    @property
    def is_user(self) -> bool:
        return self.facts.code == "user"


class StackReader:
    """Reads the stacks of one inferior's threads."""

    def __init__(
        self,
        code: CodeMap,
        sources: SourceMap,
        waits: WaitReader,
        is_gnus: Callable[[int], bool],
    ) -> None:
        self._code = code
        self._sources = sources
        self._waits = waits
        self._is_gnus = is_gnus
        self._is_of_task: Callable[[int], bool] = _never  # of the thread that is read
        self._known: dict[tuple[int, int, bool], FrameFacts] = {}

    def read(
        self,
        thread: gdb.InferiorThread,
        arguments: bool = False,
        is_of_task: Callable[[int], bool] = _never,
    ) -> Stack:
        """Return the thread's stack, with its functions' ARGUMENTS if wanted. IS_OF_TASK tells
        whether an explicit task of the thread's has gone on by a jump to the function at a pc.

        Leaves the thread selected: the caller restores the selection.
        """
        self._is_of_task = is_of_task
        # A pretty-printer that fails is not the stack's, nor a word of it.
        with setting("python print-stack", "none") if arguments else nullcontext():
            frames, complete = self._frames(thread, arguments)
        runs = _runs(frames)
        if not (runs and _is_runtime(runs[0])):
            return Stack(thread.num, (), tuple(self._segments(runs)), complete)
        run, around = runs[0], runs[1:]
        system = [frame.facts.code for frame in run].index("runtime")
        inside, segments = _hidden(run), self._segments(around)
        jumped = self._until_jump(run)
        if jumped:
            inside, begins = _hidden(run[:jumped]), self._begins_region(run[jumped - 1])
            first = (Segment((), Boundary(Construct.REGION)),) if begins else ()
            outer = self._left_by_jump(run, jumped, around[0] if around else ())
            by = run[system].facts.location.pc
            system = 0 if by is None or self._waits.names_its_function(by) else system
            return Stack(thread.num, inside, (*first, *outer, *segments), complete, system)
        if not around:
            return Stack(thread.num, inside, (), complete, system)
        caller = around[0][0].facts
        begun = self._without_frame(run, caller)
        own = [] if begun is None else [Boundary(begun, (), self._begun_at(begun, caller))]
        bodies = (*(Segment((), boundary) for boundary in own), *self._left_body(caller, ""))
        return Stack(thread.num, inside, (*bodies, *segments), complete, system)

    # Frames

    def _frames(self, thread: gdb.InferiorThread, arguments: bool) -> tuple[list[_Frame], bool]:
        found: list[_Frame] = []
        try:
            thread.switch()
            frame: Optional[gdb.Frame] = gdb.newest_frame()
            facts_of = FactsInOrder(self)
            while frame is not None and len(found) < MAX_FRAMES:
                if found and frame.pc() == 0:
                    return found, True  # what a thread that is just made has below its start
                facts = facts_of.next(frame)
                found.append(_Frame(_shown(frame, len(found), facts, arguments), facts))
                frame = frame.older()
        except gdb.error:
            return found, False
        return found, frame is None

    def facts(self, frame: gdb.Frame, pc: int, inlined: int, called: bool) -> FrameFacts:
        """Return what is known of the frame at PC with the depth INLINED (see InlineDepths).
        CALLED tells that PC is a return address, which may be in the next line."""
        key = (pc, inlined, called)
        if key not in self._known:
            location = self._sources.location_of(frame)
            code = "system" if starts_stack(location) else self._code.code_at(pc)
            self._known[key] = FrameFacts(frame.name() or "", code, location)
        return self._known[key]

    # Segments

    def kind(
        self, body: FrameFacts, between: Sequence[FrameFacts], caller: Optional[FrameFacts]
    ) -> Construct:
        """Tell what the runtime, whose frames are BETWEEN, has called BODY for."""
        if caller is not None and self._waits.called(caller.location.pc) in TARGETS:
            return Construct.UNKNOWN
        begun = self._begun(between, caller)
        kind = self._kind(body, between, begun is not None)
        return begun if kind is Construct.REGION and begun is not None else kind

    def _kind(self, body: FrameFacts, between: Sequence[FrameFacts], begins: bool) -> Construct:
        """Tell what the runtime executes: by the body's name, as clang makes it, else by
        the function of the runtime that calls bodies of one kind only."""
        name, caller = body.name, between[0]
        if is_task_entry(name):
            return Construct.TASK
        if is_clangs_body(name):
            return Construct.REGION
        # Without debug information a name may be that of the nearest exported function.
        if caller.name in CALLS_TASK and caller.location.line is not None:
            return Construct.TASK
        if caller.name in CALLS_REGION and caller.location.line is not None:
            return Construct.REGION
        knows = self._waits.has_microtask(caller.location.pc)
        microtask = knows and self._is_microtask(between)
        if not is_gccs_body(name):  # a callback, a helper, or what a body ended with a jump to
            if microtask or begins and (is_outlined(name) or len(between) == 1):
                return Construct.REGION
            if not self._is_body(body, caller):
                return Construct.UNKNOWN
            if not self._is_gnus(caller.location.pc):
                return Construct.TASK
        if len(between) == 1:
            return Construct.REGION if begins else Construct.TASK
        if self._is_gnus(caller.location.pc):
            # Its threads call the body of a region themselves, and tasks from a barrier.
            own = [facts for facts in between if facts.code == "runtime"]
            return Construct.REGION if len(own) == 1 else Construct.TASK
        if not knows:
            return Construct.UNKNOWN
        return Construct.REGION if microtask else Construct.TASK

    def _is_body(self, body: FrameFacts, caller: FrameFacts) -> bool:
        """Tell whether a function that is named like none is what a body has jumped to: CALLER,
        the runtime's frame, called it through a pointer. GCC's calls nothing else of the user's
        so but what copies variables."""
        if self._waits.names_its_function(caller.location.pc):
            return False
        if self._is_gnus(caller.location.pc):
            by = self._waits.entry_point_at(caller.location.pc) or ""
            return body.name == GONE or not makes_task(by)
        return self._is_of_task(body.location.pc)

    def _is_microtask(self, between: Sequence[FrameFacts]) -> bool:
        """Tell whether the runtime calls the body of a region in each thread of its team:
        directly, or through the one function that it has for GCC's bodies. What the user's
        code calls is no such function."""
        entries = [self._waits.entry_point_at(facts.location.pc) for facts in between[:2]]
        return entries[0] == MICROTASK or entries == [None, MICROTASK]

    def _segments(self, runs: Sequence[list[_Frame]]) -> Iterator[Segment]:
        """Yield the segments of a stack that begins with user code."""
        runs = self._with_parts_joined(runs)
        for position in range(0, len(runs), 2):
            yield from self._split(runs[position], runs[position + 1 : position + 3])

    def _with_parts_joined(self, runs: Sequence[list[_Frame]]) -> list[list[_Frame]]:
        """Return RUNS with the parts of each task in one. clang cuts an untied task into
        parts, of which each has the runtime execute the next, at once where the task is
        undeferred; and the runtime calls what combines or copies variables in the task that
        comes to the end of a construct."""
        found: list[list[_Frame]] = []
        for run in runs:
            parts = (found[-2], found[-1], run) if len(found) > 1 else None
            if parts is None or not (self._is_earlier_part(*parts) or self._is_help(*parts)):
                found.append(list(run))
                continue
            between = found.pop()
            hidden = [_Frame(shown, f.facts) for shown, f in zip(_hidden(between), between)]
            found[-1] += [*hidden, *run]
        return found

    def _is_earlier_part(
        self, body: Sequence[_Frame], between: Sequence[_Frame], caller: Sequence[_Frame]
    ) -> bool:
        """Tell whether CALLER is nothing but the task whose later part is BODY: a task that
        a function of the same task creates has that function's frame in between."""
        name = body[-1].facts.name
        if not is_task_entry(name) or caller[-1].facts.name != name:
            return False
        pc = caller[0].facts.location.pc
        called = (self._waits.called(pc) if pc is not None else None) or between[-1].facts.name
        return called == GOES_ON and all(frame.shown.outlined for frame in caller)

    def _is_help(
        self, called: Sequence[_Frame], between: Sequence[_Frame], caller: Sequence[_Frame]
    ) -> bool:
        """Tell whether the compiler has made what the runtime CALLED for the variables of CALLER's
        construct, and not for a body which has no frame."""
        begun = self._begun(_facts(between), caller[0].facts)
        return is_helper(called[-1].facts.name) and begun is None

    def _split(self, run: list[_Frame], outer: Sequence[list[_Frame]]) -> Iterator[Segment]:
        """Cut user frames where one is the body of a construct that the one around it
        called itself: a region of one thread, a task that was executed at once."""
        frames: list[StackFrame] = []
        for index, frame in enumerate(run):
            caller = run[index + 1] if index + 1 < len(run) else None
            inner = run[index - 1] if index else None
            wraps = inner is not None and is_wrapper_of(frame.facts.name, inner.facts.name)
            frames.append(frame.shown._replace(hidden=True) if wraps else frame.shown)
            kind = self._called_directly(frame, caller)
            if kind is not None and caller is not None:
                yield Segment(tuple(frames), Boundary(kind, (), caller.facts.location))
                frames = []
        if not outer:
            yield Segment(tuple(frames), None)
            return
        yield from self._called_by_runtime(tuple(frames), run[-1].facts, *outer)

    def _called_directly(self, frame: _Frame, caller: Optional[_Frame]) -> Optional[Construct]:
        """Tell what the user's function CALLER has called that goes on in FRAME, itself a body or
        what one has jumped to."""
        if caller is None or not (frame.is_user and caller.is_user):
            return None
        name, by = frame.facts.name, caller.facts.name
        if is_task_entry(name):
            return Construct.TASK
        if is_region_body(name):
            return None if is_wrapper_of(by, name) else Construct.REGION
        is_inlined = caller.facts.location.pc == frame.facts.location.pc
        gone = not is_inlined and any(self._left_body(caller.facts, name))
        return Construct.REGION if gone else None

    def _begun_at(self, kind: Construct, caller: FrameFacts) -> Location:
        """Return where CALLER began a construct. A league is no region, of which the snapshot has
        the construct's own line."""
        call = caller.location
        if kind is not Construct.LEAGUE or call.pc is None:
            return call
        return self._sources.construct_called(call, self._waits.body_given([(call.pc, True, None)]))

    def _left_body(self, caller: FrameFacts, inside: str) -> Iterator[Segment]:
        """Yield the segment of a region's body that CALLER has called itself, and that has ended
        with a jump to the function INSIDE, or to the runtime's."""
        pc = caller.location.pc
        if pc is not None and self._sources.is_left_by_jump(self._waits.call_target(pc), inside):
            yield Segment((), Boundary(Construct.REGION, (), caller.location))

    def _called_by_runtime(
        self,
        frames: tuple[StackFrame, ...],
        body: FrameFacts,
        between: list[_Frame],
        calling: Sequence[_Frame] = (),
    ) -> Iterator[Segment]:
        in_system = [frame.facts.code for frame in between].index("runtime")
        if in_system:  # a function of the system's that a body has ended with a jump to
            called, between = between[:in_system], between[in_system:]
            frames, body = (*frames, *(frame.shown for frame in called)), called[-1].facts
        inner = self._until_jump(between)
        if inner:
            runtime, begins = _hidden(between[:inner]), self._begins_region(between[inner - 1])
            kind = self._kind(body, _facts(between[:inner]), begins)
            in_creator = self._is_in_creator(kind, between[inner - 1])
            yield Segment(frames, Boundary(kind, runtime, in_creator=in_creator))
            if begins and kind is Construct.TASK:  # from the barrier at the region's end
                yield Segment((), Boundary(Construct.REGION))
            yield from self._left_by_jump(between, inner, calling)
            return
        caller = calling[0] if calling else None
        begun = self._begun(_facts(between), caller.facts if caller else None)
        kind = self.kind(body, _facts(between), caller.facts if caller else None)
        place = self._begun_at(kind, caller.facts) if caller is not None else None
        bottom = caller is None
        at_end = kind is Construct.TASK and (bottom or begun is not None)
        runtime = _hidden(between)
        own = self._construct_of(body) if kind is Construct.TASK else None
        in_creator = self._is_in_creator(kind, between[-1])
        yield Segment(
            frames, Boundary(kind, runtime, place, bottom and not at_end, own, in_creator)
        )
        if at_end:  # at the end of its region a thread takes tasks; its own has no frame left
            yield Segment((), Boundary(begun or Construct.REGION, (), place, bottom))
        if caller is not None:
            yield from self._left_body(caller.facts, "")

    def _is_in_creator(self, kind: Construct, outermost: _Frame) -> bool:
        """Tell whether a task is executed in a call of the task that has created it: GCC's runtime
        executes no others in the call that makes one, nor in a taskwait."""
        pc = outermost.facts.location.pc
        if kind is not Construct.TASK or pc is None or not self._is_gnus(pc):
            return False
        called = self._waits.entry_point_at(pc) or ""
        return called == TASKWAIT or makes_task(called)

    def _construct_of(self, body: FrameFacts) -> Optional[Location]:
        """Return the construct that a task's BODY was made of, which GDB can tell by its frame."""
        pc = body.location.pc
        if pc is None or not is_outlined(body.name):
            return None
        around = functions_around(gdb.block_for_pc(pc - 1))
        block = next((each for each in around if each.function.name == body.name), None)
        return None if block is None else self._sources.construct_of_function(begin_of(block))

    def _left_by_jump(
        self, between: list[_Frame], inner: int, calling: Sequence[_Frame]
    ) -> Iterator[Segment]:
        """Yield the segments of a body that has no frame, as it ended with a jump to the call
        that the first INNER frames are in."""
        gone = FrameFacts(GONE, "user", between[inner - 1].facts.location)
        yield from self._called_by_runtime((), gone, between[inner:], calling)

    def _until_jump(self, between: Sequence[_Frame]) -> int:
        """Count the frames up to that of a call which begins a region, of GCC's runtime any, and
        which another of the runtime's frames seems to have made through a pointer: the body that
        it called has ended with a jump, and left no frame. 0 if there is none."""
        for place, (frame, outer) in enumerate(zip(between, between[1:])):
            pc, by = frame.facts.location.pc, outer.facts.location.pc
            inlined = pc == by and frame.facts.name != outer.facts.name
            if pc is None or by is None or inlined or outer.facts.code != "runtime":
                continue
            if not self._waits.names_its_function(by):
                if self._begins_region(frame) or (self._is_gnus(pc) and self._is_gnus(by)):
                    return place + 1
            elif begins_region(self._waits.entry_point_at(pc) or ""):
                return 0
        return 0

    def _begins_region(self, frame: _Frame) -> bool:
        pc = frame.facts.location.pc
        return pc is not None and self._waits.is_in_region_call(pc)

    def _without_frame(self, between: list[_Frame], caller: FrameFacts) -> Optional[Construct]:
        """Return what a thread executes whose innermost frames are the runtime's, and whose
        body may have ended with a jump: then the call of it is one through a pointer."""
        begun, pc = self._begun(_facts(between), caller), between[-1].facts.location.pc
        name = self._waits.called(caller.location.pc) if caller.location.pc is not None else None
        if begun is not None or len(between) == 1 or pc is None or name is None:
            return begun
        calls = executes_tasks(name) and not self._waits.names_its_function(pc)
        return Construct.TASK if calls else None

    def _begun(
        self, between: Sequence[FrameFacts], caller: Optional[FrameFacts]
    ) -> Optional[Construct]:
        """Return what begins in the call that the runtime's frames are in, a region or a league."""
        if caller is None:
            return None
        called, pc = self._waits.called(caller.location.pc), between[-1].location.pc
        name = called or (self._waits.entry_point_at(pc) if pc else None) or between[-1].name
        if name in LEAGUES:
            return Construct.LEAGUE
        return Construct.REGION if begins_region(name) or name == ENDS_REGION else None


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


def _facts(run: Sequence[_Frame]) -> list[FrameFacts]:
    return [frame.facts for frame in run]


def _shown(frame: gdb.Frame, number: int, facts: FrameFacts, arguments: bool) -> StackFrame:
    place = facts.location
    outlined = is_outlined(facts.name)
    wanted = arguments and facts.code == "user" and not outlined
    return StackFrame(
        number,
        place.function if facts.code == "user" else facts.name or None,
        place.file,
        place.line,
        frame.pc(),
        outlined,
        arguments=arguments_of(frame) if wanted else (),
    )


def _runs(frames: Sequence[_Frame]) -> list[list[_Frame]]:
    """Cut a stack where it goes from the user's code to the runtime's and back.

    The system's code belongs to the one who called it: the runtime, if one of its
    frames is in the same row of frames that are not the user's.
    """
    runs: list[list[_Frame]] = []
    rows: list[list[_Frame]] = []
    for frame in frames:
        if rows and rows[-1][0].is_user == frame.is_user:
            rows[-1].append(frame)
        else:
            rows.append([frame])
    for row in rows:
        if runs and _is_runtime(runs[-1]) == _is_runtime(row):
            runs[-1].extend(row)
        else:
            runs.append(list(row))
    return runs


def _is_runtime(run: Sequence[_Frame]) -> bool:
    return any(frame.facts.code == "runtime" for frame in run)


def _hidden(run: Sequence[_Frame]) -> tuple[StackFrame, ...]:
    return tuple(frame.shown._replace(hidden=True) for frame in run)
