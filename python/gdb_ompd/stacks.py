# SPDX-License-Identifier: Apache-2.0
"""What a thread's frames say: where in the user's code it is.

Unwinding is the dearest thing done per thread, so frames are asked for their
program counter only, and for names and lines once the user's code is reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Optional

import gdb

from . import entry_points
from .code_map import Code, CodeMap
from .frames.waits import Wait
from .model import Location
from .source import SourceMap, is_region_body, is_wrapper_of

MAX_FRAMES = 200
# Functions without source that start every stack.
_STARTERS = frozenset({"_start", "clone", "clone3", "start_thread", None})


@dataclass(frozen=True, slots=True)
class Look:
    """What a thread's stack shows. CALL is the runtime's function that the innermost
    user frame called, "" if that is in the user's own code or in what it called of
    the system, None if no user frame was found."""

    location: Optional[Location]
    call: Optional[str]


class Stacks:
    """The stacks of one inferior at one stop."""

    def __init__(self, inferior: gdb.Inferior, code: CodeMap, sources: SourceMap) -> None:
        self._threads = {thread.num: thread for thread in inferior.threads()}
        self._code = code
        self._sources = sources

    def look(self, gdb_num: int) -> Look:
        """Say where in the user's code a thread is, and what it called from there.

        A frame with source is preferred to one without. Leaves the thread
        selected: the caller restores the selection once for all threads.
        """
        call: Optional[str] = None
        without_source: Optional[Location] = None
        below: Optional[gdb.Frame] = None
        for frame in self.frames(gdb_num):
            if not self._code.is_user(frame.pc()):
                below = frame
                continue
            if call is None:
                call = self._runtime_function(below)
            location = self._sources.location_of(frame)
            if location.line is not None:
                return Look(location, call)
            if without_source is None and location.function not in _STARTERS:
                without_source = location
        return Look(without_source, call)

    def wait(self, gdb_num: int) -> Wait:
        """Say where in the user's code a thread is, and what it waits for."""
        look = self.look(gdb_num)
        return Wait(entry_point=look.call or None, location=look.location)

    def _runtime_function(self, frame: Optional[gdb.Frame]) -> str:
        if frame is None or self._code.code_at(frame.pc()) is not Code.RUNTIME:
            return ""
        return frame.name() or ""

    def frames(self, gdb_num: int) -> Iterator[gdb.Frame]:
        """Yield a thread's frames, innermost first; ends where unwinding does."""
        thread = self._threads.get(gdb_num)
        if thread is None or thread.is_running():
            return
        try:
            thread.switch()
            frame: Optional[gdb.Frame] = gdb.newest_frame()
            for _ in range(MAX_FRAMES):
                if frame is None:
                    return
                yield frame
                frame = frame.older()
        except gdb.error:
            return  # a corrupt stack ends here

    def begun_regions(self, gdb_num: int) -> list[Location]:
        """Return where the thread's user code began the regions it is in now,
        outermost first."""
        found: list[Location] = []
        below: Optional[gdb.Frame] = None
        body: Optional[gdb.Frame] = None  # the user's frame that the runtime called
        for frame in self.frames(gdb_num):
            if not self._code.is_user(frame.pc()):
                below = frame
                continue
            if below is not None and self._is_begin(below, frame):
                found.append(self._sources.construct_between(frame, body))
            below = body = frame
        return list(reversed(found))

    def _is_begin(self, callee: gdb.Frame, caller: gdb.Frame) -> bool:
        """Tell whether a user frame's call begins a region: it calls the runtime's
        entry point, or the outlined body itself if the region is serialized."""
        name = callee.name() or ""
        if not self._code.is_user(callee.pc()):
            return entry_points.begins_region(name)
        return is_region_body(name) and not is_wrapper_of(caller.name() or "", name)
