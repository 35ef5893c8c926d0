# SPDX-License-Identifier: Apache-2.0
"""What the user's code on a thread's stack has begun: the calls that begin parallel
regions.
"""

from __future__ import annotations

from typing import Callable, Iterator, NamedTuple, Optional, Sequence, Union

import gdb

from .._native import EntryPoint, FunctionName, RegionCalls, UserFrame
from ..host.selection import kept_selection
from ..host.source import SourceMap
from ..model import Location
from .waiting import Waits


class Begin(NamedTuple):
    """A call by which user code began a region: the function in the frame CALLER called the
    runtime's entry point, or the outlined body itself, in the frame CALLEE. BODY is the user's
    frame that executes the region on this thread, None if it has ended or not begun. HOME is the
    frame to which the region's end returns: that which CALLER is inlined into or, where CALLER's
    function has ended with a jump, that of the function which called it. RETURNS_TO and CALLEE_PC
    are the program counters of HOME and CALLEE, as a frame tells them only while its thread is
    selected. LEFT is the outlined body that CALLER called, where CALLEE's name does not tell it: that
    body has ended with a jump to CALLEE's function, or has no name."""

    caller: gdb.Frame
    home: gdb.Frame
    returns_to: int
    callee: gdb.Frame
    callee_pc: int
    body: Optional[gdb.Frame]
    left: Optional[int] = None


class Jumped(NamedTuple):
    """A call by which a body began a region with a jump to the entry point: it left no frame."""

    callee: gdb.Frame
    body: Optional[gdb.Frame]


def physical(frame: gdb.Frame) -> gdb.Frame:
    """Return the frame that FRAME's function was inlined into, itself if it was not."""
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return frame


class Begun:
    """Looks for what threads have begun, on their stacks by GDB's FRAMES."""

    def __init__(
        self,
        frames: Callable[[int], Iterator[gdb.Frame]],
        region_calls: Callable[[int], Optional[RegionCalls]],
        waits: Waits,
        sources: SourceMap,
    ) -> None:
        """REGION_CALLS are what native code tells of a thread's stack, if it does."""
        self._frames = frames
        self._region_calls = region_calls
        self._code = waits.code
        self._waits = waits
        self._sources = sources

    def is_in_region(self, gdb_num: int) -> bool:
        """Tell whether a call that begins a parallel region is on a thread's stack."""
        return bool(self.begins(gdb_num))

    def regions(self, gdb_num: int) -> tuple[list[Location], bool]:
        """Return where the thread's user code began the regions it is in now, outermost first,
        and whether it is in the last call itself, so that its region may not have begun or may
        have ended. Keeps the selection."""
        read = self._region_calls(gdb_num)
        if read is not None and not self._has_body_without_call(read.users):
            sources = self._sources
            called = [(sources.location_at(one.returns_to, False), one.body) for one in read.calls]
            return [sources.construct_called(*each) for each in called], read.in_last
        with kept_selection():
            calls = self._calls(gdb_num)
            return [*map(self._construct, calls)], bool(calls) and calls[-1].body is None

    def _has_body_without_call(self, users: Sequence[UserFrame]) -> bool:
        """Tell whether one of the USERS' frames may execute a region's body that no call of the
        runtime's has begun: one that the user's code calls, or that is inlined."""
        called: Optional[str] = None  # what the next function has called, if it is the user's
        for position, user in enumerate(users):
            names = self._sources.functions_at(user.pc - 1 if position else user.pc, user.start)
            if names is None or (user.called_by_user and not names):
                return True
            for name in names:
                is_body = FunctionName(called).is_region_body
                if is_body and not FunctionName(name).is_wrapper_of(called):
                    return True
                called = name
            called = called if user.called_by_user else None
        return False

    def _construct(self, begin: Union[Begin, Jumped]) -> Location:
        """Return where a region's construct is; not known where a function that was called
        through a pointer has jumped on, for then no frame of it is left."""
        if isinstance(begin, Jumped):
            given = self._waits.function_called(begin.callee) or _clangs_body(begin.body)
            unknown = Location(None, None, None, begin.callee.pc())
            return unknown if given is None else self._sources.construct_of_function(given)
        call = self._sources.location_of(begin.caller)
        body = self._body_of(begin, call)
        called = self._waits.reader.call_before(begin.returns_to)
        # GCC has several constructs of a function share a call: then it is not in one's line.
        may_be_shared = EntryPoint(called.entry_point).is_of_gcc
        if body is None and (may_be_shared or not called.is_direct):
            return Location(None, None, None, call.pc)
        return self._sources.construct_called(call, body)

    def _body_of(self, begin: Begin, call: Location) -> Optional[int]:
        """Return the outlined function of the region that a CALL began: what was handed over
        to the runtime, what its entry point has called or, where neither can be told, that of
        the frame which the runtime called. GCC names tasks like regions, and in the region's
        barrier the runtime calls tasks of the same function: then the call alone tells."""
        if begin.left is not None:
            return begin.left
        given: Optional[int] = None
        if not self._code.is_user(begin.callee_pc):  # which may hand over another one further in
            given = self.body_given(begin.caller) or self._waits.function_called(begin.callee)
        function = begin.body.function() if begin.body is not None else None
        if given is not None or function is None:
            return given
        name = FunctionName(function.name)
        if not name.is_region_body or (name.is_gccs_body and name.made_in == call.function):
            return None
        return int(function.value().address)

    def body_of_worker(self, gdb_num: int) -> Optional[int]:
        """Return the body of the region that a worker was given, where the function that its
        thread started in has called that itself. Keeps the selection."""
        start: Optional[gdb.Frame] = None
        with kept_selection():
            for frame in self._frames(gdb_num):
                if self._code.code_at(frame.pc()) == "runtime":
                    start = frame
            return None if start is None else self._waits.function_called(start)

    def _calls_body(self, frame: gdb.Frame, inner: Optional[gdb.Frame]) -> bool:
        """Tell whether FRAME is the runtime's, and has called INNER through a pointer."""
        if inner is None or inner.type() == gdb.SIGTRAMP_FRAME:
            return False
        is_runtimes = self._code.code_at(frame.pc()) == "runtime"
        return is_runtimes and not self._waits.reader.call_before(frame.pc()).is_direct

    def body_given(self, caller: gdb.Frame) -> Optional[int]:
        """Return the outlined function that a frame's call handed over to the runtime."""
        return self._waits.body_given(that_called(caller))

    def begins(self, gdb_num: int) -> list[Begin]:
        """Return the calls by which the thread's user code began the regions it is in
        now, outermost first, as far as the code that called has a frame. Leaves the thread
        selected."""
        return [call for call in self._calls(gdb_num) if isinstance(call, Begin)]

    def _calls(self, gdb_num: int) -> list[Union[Begin, Jumped]]:
        found: list[Union[Begin, Jumped]] = []
        below: Optional[gdb.Frame] = None
        body: Optional[gdb.Frame] = None  # the user's frame that the runtime called
        for frame in self._frames(gdb_num):
            if not self._code.is_user(frame.pc()):
                if below is not None and self._is_jump(below, frame):
                    found.append(Jumped(below, body))
                    body = None
                below = frame
                continue
            if below is not None:
                found.extend(self._begun_by(frame, below, body))
            below = body = frame
        return list(reversed(found))

    def _is_jump(self, callee: gdb.Frame, caller: gdb.Frame) -> bool:
        """Tell whether CALLEE is an entry point that begins a region or ends it, and CALLER the
        runtime's, which called the body that has ended with the jump to it."""
        if callee.type() == gdb.INLINE_FRAME or not self._calls_body(caller, callee):
            return False
        return self._waits.reader.at(callee.pc()).is_in_region_call

    def _begun_by(
        self, caller: gdb.Frame, callee: gdb.Frame, body: Optional[gdb.Frame]
    ) -> Iterator[Begin]:
        """Yield what a user frame's call has begun, innermost first: it calls the runtime's entry
        point, the outlined body itself if the region is serialized, or one that has jumped on."""
        home, name = that_called(caller), callee.name() or ""
        call = self._waits.reader.call_before(caller.pc())
        begin = Begin(caller, physical(home), home.pc(), callee, callee.pc(), body)
        if not self._code.is_user(callee.pc()):
            if EntryPoint(call.entry_point or name).begins_region:
                yield begin
            inside: Optional[gdb.Frame] = None
        elif FunctionName(name).is_region_body:
            if not FunctionName(caller.name() or "").is_wrapper_of(name):
                yield begin
            return
        elif _is_unnamed(callee) and call.serialized_body is not None:
            yield begin._replace(left=call.serialized_body)
            return
        else:
            inside = callee
        if callee.type() != gdb.INLINE_FRAME:
            if self._sources.is_left_by_jump(call.target, name):
                yield begin._replace(body=inside, left=call.target)


def that_called(frame: gdb.Frame) -> gdb.Frame:
    """Return the frame by whose call FRAME's function came to be executed: GDB makes up
    frames for functions that have jumped on, and these hold no call."""
    caller: Optional[gdb.Frame] = frame
    while caller is not None and caller.type() == gdb.TAILCALL_FRAME:
        caller = caller.older()
    return caller or frame


def _is_unnamed(frame: gdb.Frame) -> bool:
    """Tell whether a frame is of code without a name, which is not inlined."""
    return bool(frame.type() != gdb.INLINE_FRAME and frame.find_sal().line == 0)


def _clangs_body(body: Optional[gdb.Frame]) -> Optional[int]:
    """Return where the function of a region's body of clang's begins, None for others."""
    function = body.function() if body is not None else None
    if (
        function is None
        or not FunctionName(function.name).is_region_body
        or FunctionName(function.name).is_gccs_body
    ):
        return None
    return int(function.value().address)
