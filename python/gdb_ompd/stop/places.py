# SPDX-License-Identifier: Apache-2.0
"""What a thread's frames say: where in the user's code it is.

Unwinding is the dearest thing done per thread, so frames are asked for their
program counter only, and for names and lines once the user's code is reached.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Iterator, Optional, Sequence

import gdb

from ..code import entry_points
from ..code.code_map import Code, CodeMap
from ..model.waits import Wait
from ..model import Location
from ..host.outlined import is_outlined, is_region_body, is_wrapper_of
from ..host.source import SourceMap
from .waiting import WaitReader

MAX_FRAMES = 200
# Functions without source that start every stack.
_STARTERS = frozenset({"_start", "clone", "clone3", "start_thread"})


@dataclass(frozen=True, slots=True)
class Look:
    """What a thread's stack shows. IN_RUNTIME tells that no user frame was found, and
    the runtime's were: a worker that is in no task."""

    wait: Wait
    in_runtime: bool = False


@dataclass(slots=True)
class Seen:
    """What the last answer was made from. PCS are the program counters of the frames up to
    the deciding one, innermost first, None if one of them is of no ordinary call.
    BY_CODE_ALONE tells that nothing else of the thread was read, TO_THE_END that the
    stack has no more frames, or none but those that call ``main``."""

    pcs: Optional[tuple[int, ...]] = None
    by_code_alone: bool = False
    to_the_end: bool = False


@dataclass(frozen=True, slots=True)
class Begin:
    """A call by which user code began a region: CALLER's frame called the
    runtime's entry point or the outlined body itself. BODY is the user's frame that
    executes the region on this thread, None if it has ended or not begun. RETURNS_TO
    and CALLEE_PC are where they go on: a frame tells that only while its thread is
    selected. HOME is the frame that goes on: the one that the caller's function was inlined
    into or, where that ended with a jump, its caller's."""

    caller: gdb.Frame
    home: gdb.Frame
    returns_to: int
    callee_pc: int
    body: Optional[gdb.Frame]


def physical(frame: gdb.Frame) -> gdb.Frame:
    """Return the frame that FRAME's function was inlined into, itself if it was not."""
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return frame


class Stacks:
    """The stacks of one inferior at one stop."""

    def __init__(
        self, inferior: gdb.Inferior, code: CodeMap, sources: SourceMap, waits: WaitReader
    ) -> None:
        self._threads = {thread.num: thread for thread in inferior.threads()}
        self._code = code
        self._sources = sources
        self._waits = waits
        self.seen = Seen()
        self.unreadable: dict[int, str] = {}  # why a thread has no stack

    def look(self, gdb_num: int) -> Look:
        """Say where in the user's code a thread is, and what it waits for there.

        Leaves the thread selected: the caller restores the selection once for all.
        """
        looked_at: list[gdb.Frame] = []
        before = self._waits.thread_reads
        found = self._look(gdb_num, looked_at)
        self.seen = Seen(_physical_pcs(looked_at), self._waits.thread_reads == before)
        return found

    def _look(self, gdb_num: int, looked_at: list[gdb.Frame]) -> Look:
        """Do that, and note the frames. One with source is preferred to one without."""
        wait: Optional[Wait] = None
        without_source: Optional[Location] = None
        below: list[gdb.Frame] = []
        for frame in self.frames(gdb_num):
            looked_at.append(frame)
            if not self._code.is_user(frame.pc()):
                below.append(frame)
                continue
            location = self._sources.location_of(frame)
            if location.line is None and location.function in _STARTERS:
                continue
            if wait is None:
                wait, is_place = self._wait(_that_called(frame), below)
                if is_place:
                    return Look(wait)
            if location.line is not None:
                return Look(replace(wait, location=location))
            if location.function is not None:
                without_source = without_source or location
        if wait is not None:
            return Look(replace(wait, location=without_source))
        return self._without_user(below)

    def _without_user(self, frames: Sequence[gdb.Frame]) -> Look:
        """Look at a stack without a frame of the user's."""
        if not any(self._code.code_at(frame.pc()) is Code.RUNTIME for frame in frames):
            return Look(Wait(outside=_plain_name(frames[0]) if frames else None))
        wait, _ = self._wait(None, frames)
        return Look(wait, in_runtime=wait.kind is None)

    def _wait(self, user: Optional[gdb.Frame], below: Sequence[gdb.Frame]) -> tuple[Wait, bool]:
        """Return what the innermost user frame waits for in the frames BELOW it, and whether
        a function without a frame is further inside: then the wait's location is all that
        is known of the place, and None where nothing is."""
        runtime = [f for f in below if self._code.code_at(f.pc()) is Code.RUNTIME]
        if not runtime:
            return Wait(outside=_plain_name(below[-1]) if below else None), False
        read = self._waits.read(user, runtime)
        place: Optional[Location] = None
        if read.tail_call is not None:
            place = self._sources.construct_at_call(read.tail_call + 1)
        elif read.function is not None:
            function = self._sources.construct_of_function(read.function)
            place = Location(function.function, None, None, read.function)
        wait = Wait(
            read.kind,
            read.address,
            read.name,
            read.entry_point,
            place,
            undeferred=read.undeferred,
        )
        return wait, read.frameless

    def read_anew(self) -> None:
        """Forget what memory has said at this stop."""
        self._waits.end_stop()

    def frames(self, gdb_num: int) -> Iterator[gdb.Frame]:
        """Yield a thread's frames, innermost first; ends where unwinding does."""
        thread = self._threads.get(gdb_num)
        if thread is None:
            return
        frame: Optional[gdb.Frame] = None
        try:
            thread.switch()
            newest = gdb.newest_frame()
            newest.pc()  # a core may lack the thread's registers
            frame = newest
            for _ in range(MAX_FRAMES):
                if frame is None:
                    return
                yield frame
                frame = frame.older()
        except gdb.error as error:  # a corrupt stack ends here; a thread that runs has none
            if frame is None:
                self.unreadable[gdb_num] = str(error)

    def is_in_region(self, gdb_num: int) -> bool:
        """Tell whether a call that begins a parallel region is on a thread's stack."""
        return bool(self.begins(gdb_num))

    def begun_regions(self, gdb_num: int) -> list[Location]:
        """Return where the thread's user code began the regions it is in now,
        outermost first. Leaves the thread selected."""
        looked_at: list[gdb.Frame] = []
        before = self._waits.thread_reads
        places = [self._construct(begin) for begin in self._begins(gdb_num, looked_at)]
        by_code_alone = self._waits.thread_reads == before
        self.seen = Seen(_physical_pcs(looked_at), by_code_alone, _is_whole(looked_at))
        return places

    def _construct(self, begin: Begin) -> Location:
        """Return where a region's construct is; not known where a function that was called
        through a pointer has jumped on, for then no frame of it is left."""
        body, call = self._body_of(begin), self._sources.location_of(begin.caller)
        if body is None and not self._waits.names_its_function(begin.returns_to):
            return Location(None, None, None, call.pc)
        return self._sources.construct_called(call, body)

    def _body_of(self, begin: Begin) -> Optional[int]:
        """Return the outlined function of the region that a call began: that of the frame
        which executes it or, where that has none, what was handed over to the runtime."""
        function = begin.body.function() if begin.body is not None else None
        if function is not None and is_outlined(function.name):
            return int(function.value().address)
        return self.body_given(begin.caller)

    def body_given(self, caller: gdb.Frame) -> Optional[int]:
        """Return the outlined function that a frame's call handed over to the runtime."""
        return self._waits.body_given(_that_called(caller))

    def begins(self, gdb_num: int) -> list[Begin]:
        """Return the calls by which the thread's user code began the regions it is in
        now, outermost first."""
        return self._begins(gdb_num, [])

    def _begins(self, gdb_num: int, looked_at: list[gdb.Frame]) -> list[Begin]:
        """Do that, and note the frames."""
        found: list[Begin] = []
        below: Optional[gdb.Frame] = None
        body: Optional[gdb.Frame] = None  # the user's frame that the runtime called
        for frame in self.frames(gdb_num):
            looked_at.append(frame)
            if not self._code.is_user(frame.pc()):
                below = frame
                continue
            if below is not None and self._is_begin(below, frame):
                home = _that_called(frame)
                found.append(Begin(frame, physical(home), home.pc(), below.pc(), body))
            below = body = frame
        return list(reversed(found))

    def _is_begin(self, callee: gdb.Frame, caller: gdb.Frame) -> bool:
        """Tell whether a user frame's call begins a region: it calls the runtime's
        entry point, or the outlined body itself if the region is serialized."""
        name = callee.name() or ""
        if not self._code.is_user(callee.pc()):
            return entry_points.begins_region(self._waits.called(caller.pc()) or name)
        return is_region_body(name) and not is_wrapper_of(caller.name() or "", name)


def _that_called(frame: gdb.Frame) -> gdb.Frame:
    """Return the frame by whose call FRAME's function came to be executed: GDB makes up
    frames for functions that have jumped on, and these hold no call."""
    caller: Optional[gdb.Frame] = frame
    while caller is not None and caller.type() == gdb.TAILCALL_FRAME:
        caller = caller.older()
    return caller or frame


def _physical_pcs(frames: Sequence[gdb.Frame]) -> Optional[tuple[int, ...]]:
    """Return where each function is that has a frame of its own, the last one's also if
    only a function inlined there was looked at; None if a frame is no ordinary one."""
    found: list[int] = []
    for frame in frames:
        kind = frame.type()
        if kind == gdb.NORMAL_FRAME or (kind == gdb.INLINE_FRAME and frame is frames[-1]):
            found.append(frame.pc())
        elif kind not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME) or frame is frames[-1]:
            return None
    return tuple(found)


def _is_whole(frames: Sequence[gdb.Frame]) -> bool:
    """Tell whether FRAMES are all that a stack has, or all from ``main`` on, where GDB ends
    by itself: the user may have set a limit, and a stack may be corrupt."""
    if not frames:
        return False
    last = frames[-1]
    return bool(last.unwind_stop_reason() == gdb.FRAME_UNWIND_OUTERMOST or last.name() == "main")


def _plain_name(frame: gdb.Frame) -> Optional[str]:
    """Return a system function's name as users write it, without the C library's own
    prefixes ("__GI___read", "__pthread_mutex_lock", "__libc_recv")."""
    name: Optional[str] = frame.name()
    if not name:
        return None
    return name.removeprefix("__GI_").lstrip("_").removeprefix("libc_") or name
