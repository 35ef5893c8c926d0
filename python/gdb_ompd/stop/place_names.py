# SPDX-License-Identifier: Apache-2.0
"""What GDB calls the places that native code finds on threads' stacks."""

from __future__ import annotations

from typing import Optional, Sequence

import gdb

from .._native import SourcePlace, ThreadWait
from ..host.inlined import may_begin_inlined
from ..host.source import SourceMap, is_stub, is_system_header
from ..host.thread_frames import ThreadFrames
from ..model import Location
from ..model.waits import Wait
from .waiting import Waits


class GdbPlaceNames:
    """The names of places of one inferior's threads at one stop."""

    def __init__(self, frames: ThreadFrames, sources: SourceMap, waits: Waits) -> None:
        self._frames = frames
        self._sources = sources
        self._waits = waits
        self._given: dict[Location, SourcePlace] = {}

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

    def wait(self, gdb_num: int, pc: int, found: ThreadWait, location: Optional[Location]) -> Wait:
        """Return what native code has FOUND a thread to wait for at PC. LOCATION is the user's
        place there, if it is known."""
        wait = self._waits.complete(found, pc, lambda: self._frames.at(gdb_num, pc))
        return wait if location is None else wait._replace(location=location)
