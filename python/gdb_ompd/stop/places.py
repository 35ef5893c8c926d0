# SPDX-License-Identifier: Apache-2.0
"""The stacks of one inferior's threads: what native code tells of them, with GDB's names.

Native code unwinds; where the files' tables do not tell a stack, it is given GDB's frames, and
all is told of them as it is of its own.
"""

from __future__ import annotations

from typing import Callable, Mapping, Optional, Sequence

import gdb

from .. import _native
from .._native import NativeThread, ThreadPlace
from ..host.source import SourceMap
from ..host.target import GdbTarget
from ..host.thread_frames import ThreadFrames
from .place_names import GdbPlaceNames
from .waiting import Waits


class Stacks:
    """The stacks of one inferior at one stop."""

    def __init__(
        self,
        inferior: gdb.Inferior,
        target: GdbTarget,
        sources: SourceMap,
        waits: Waits,
        unwinder: Optional[_native.Unwinder],
        listed: Callable[[], Sequence[NativeThread]],
    ) -> None:
        """LISTED returns the inferior's threads."""
        self.waits = waits
        reader = waits.reader
        # None leads back here: Python does not see what native code keeps.
        self.frames = frames = ThreadFrames(
            inferior, target, waits.code, reader.preserved_registers, listed
        )
        self.names = names = GdbPlaceNames(frames, sources, waits)
        self.whole = whole = _native.WholeStacks(reader, unwinder, frames)
        self._places = _native.PlacesReader(whole, names)
        self.calls = _native.RegionCalls(whole, names)

    @property
    def unreadable(self) -> Mapping[int, str]:
        """Why a thread has no stack, by number."""
        return self.frames.unreadable

    def places(self, gdb_nums: Sequence[int]) -> dict[int, ThreadPlace]:
        """Return what these threads' stacks show. Keeps the selection."""
        with self.frames.kept_selection():
            return self._places.read(gdb_nums)

    def region_returns(self, gdb_num: int) -> list[tuple[gdb.Frame, _native.RegionReturn]]:
        """Return how a thread leaves the regions that it has begun, outermost first, each with the
        physical frame to which the region's end returns. Leaves the thread selected."""
        found = self.calls.returns(gdb_num)
        return [(self.frames.physical(gdb_num, one.home), one) for one in found]
