# SPDX-License-Identifier: Apache-2.0
"""The stacks of one inferior's threads: what native code tells of them, with GDB's names.

Native code unwinds; where the files' tables do not tell a stack, it is given GDB's frames, and
all is told of them as it is of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Optional, Sequence

import gdb

from ... import _native
from ..._native import CodeMap, NativeThread, ThreadPlace, Unwinder, WaitReader
from ..source import SourceMap
from ..target import GdbTarget
from ..thread_frames import ThreadFrames, given_frames, with_callers
from .place_names import GdbPlaceNames

if TYPE_CHECKING:
    from ...explain.facts import Held


class GdbStacks:
    """The stacks of one inferior at one stop."""

    def __init__(
        self,
        inferior: gdb.Inferior,
        target: GdbTarget,
        sources: SourceMap,
        reader: WaitReader,
        code: CodeMap,
        unwinder: Optional[Unwinder],
        listed: Callable[[], Sequence[NativeThread]],
    ) -> None:
        """LISTED returns the inferior's threads."""
        self.reader = reader
        self._registers = registers = reader.registers
        # None leads back here: Python does not see what native code keeps.
        self.frames = frames = ThreadFrames(inferior, target, code, registers, listed)
        self.names = names = GdbPlaceNames(frames, sources, reader, code)
        self.native = _native.Stacks(reader, unwinder, frames, names)

    def places(self, gdb_nums: Sequence[int]) -> dict[int, ThreadPlace]:
        """Return what these threads' stacks show. Keeps the selection."""
        with self.frames.kept_selection():
            return self.native.places(gdb_nums)

    def region_returns(self, gdb_num: int) -> list[tuple[gdb.Frame, _native.RegionReturn]]:
        """Return how a thread leaves the regions that it has begun, outermost first, each with the
        physical frame to which the region's end returns. Leaves the thread selected."""
        found = self.native.returns(gdb_num)
        return [(self.frames.physical(gdb_num, one.home), one) for one in found]

    def body_given(self, user: gdb.Frame) -> Optional[int]:
        """Return the outlined function that a frame's call handed over to the runtime."""
        return self.reader.body_given(given_frames(with_callers(user), self._registers))

    def held(self, frames: Sequence[gdb.Frame]) -> tuple[Held, ...]:
        """Return which locks and criticals a thread with these FRAMES is inside of by its place
        in the code, innermost first."""
        found = _native.held_locks(self.reader, given_frames(frames, self._registers))
        return self.names.named(found, lambda: frames)
