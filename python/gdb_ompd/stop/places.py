# SPDX-License-Identifier: Apache-2.0
"""The stacks of one inferior's threads: what native code tells of them, with GDB's names.

Native code unwinds; where the files' tables do not tell a stack, it is given GDB's frames, and
all is told of them as it is of its own.
"""

from __future__ import annotations

from itertools import filterfalse
from typing import Callable, Mapping, Optional, Sequence, TypeVar

import gdb

from .. import _native
from .._native import NativeThread, RegionCalls, ThreadPlace
from ..host.selection import kept_selection
from ..host.source import SourceMap
from ..host.target import GdbTarget
from ..host.thread_frames import ThreadFrames
from .begun import Begun
from .place_names import GdbPlaceNames
from .waiting import Waits

T = TypeVar("T")
Asking = Callable[[_native.Unwinder, Sequence[Optional[_native.ThreadStack]]], Sequence[T]]


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
        self._target = target
        self._code = waits.code
        self.waits = waits
        self._unwinder = unwinder
        # What native code unwinds: once, for all that is asked of a thread.
        self._plain: dict[int, Optional[_native.ThreadStack]] = {}
        self._listed = listed
        self._lwps: Optional[dict[int, int]] = None  # of those that stand still
        # Neither leads back here: Python does not see what native code keeps.
        self.frames = frames = ThreadFrames(inferior, waits.code, waits.reader.preserved_registers)
        self.names = names = GdbPlaceNames(frames, sources, waits)
        reader, plain = waits.reader, self._plain
        # All frames of threads that were asked of; of others GDB's.
        self.whole = _native.WholeStacks(reader, unwinder, plain, frames.given)
        around = _native.WholeStacks(reader, unwinder, plain, frames.given_around_user)
        self._places = _native.PlacesReader(reader, unwinder, around, names)
        self.begun = Begun(frames.of, self._region_calls, waits, sources)

    @property
    def unreadable(self) -> Mapping[int, str]:
        """Why a thread has no stack, by number."""
        return self.frames.unreadable

    def places(self, gdb_nums: Sequence[int]) -> dict[int, ThreadPlace]:
        """Return what these threads' stacks show. Keeps the selection."""
        if self._unwinder is not None:
            self._look_at(gdb_nums)
        with self.frames.kept_selection():
            return self._places.read(gdb_nums, self._plain)

    def _natively(self, gdb_nums: Sequence[int], ask: Asking[T]) -> dict[int, T]:
        """Return what native code tells of those of the threads that stand still."""
        if self._unwinder is None:
            return {}
        known = self._look_at(gdb_nums)
        return dict(zip(known, ask(self._unwinder, list(map(self._plain.__getitem__, known)))))

    def _look_at(self, gdb_nums: Sequence[int]) -> list[int]:
        """Get the stacks of threads ready; return those of them that stand still."""
        if self._lwps is None:
            self._lwps = {t.gdb_num: t.lwp for t in self._listed() if t.lwp and not t.running}
        lwps = self._lwps
        known = list(filter(lwps.__contains__, gdb_nums))
        missing = list(filterfalse(self._plain.__contains__, known))
        if missing:
            self._plain.update(self._stopped(dict(zip(missing, map(lwps.__getitem__, missing)))))
        return known

    def bodies(self, gdb_num: int) -> list[tuple[int, str]]:
        """Return the bodies that the runtime has called on a thread's stack; see WholeStacks.
        Keeps the selection."""
        if self._unwinder is not None:
            self._look_at([gdb_num])
        with self.frames.kept_selection():
            return self.whole.bodies(gdb_num)

    def library_call(self, gdb_num: int, pc: int) -> Optional[str]:
        """Return what the user's code called of the library that the frame at PC of a thread is in,
        one without source. Keeps the selection."""
        if self._unwinder is not None:
            self._look_at([gdb_num])
        with self.frames.kept_selection():
            return self.whole.library_call(gdb_num, pc)

    def _stopped(self, lwps: Mapping[int, int]) -> dict[int, Optional[_native.ThreadStack]]:
        """Return threads' stacks: from the kernel, if their process is one that it can tell of."""
        process, stack = self._target.kernels_process(), _native.ThreadStack
        if process is not None:
            return dict(zip(lwps, stack.traced(list(lwps.values()), process)))
        with kept_selection():
            registers = zip(lwps, self._target.registers(tuple(lwps)))
            return {n: None if values is None else stack.given(values) for n, values in registers}

    def executed(self, gdb_nums: Sequence[int]) -> dict[int, Optional[int]]:
        """Return which code the innermost frames of the user's code execute, of those threads whose
        stacks native code can read. Of a call that is its last byte. It is None where there is no
        such frame."""
        found = self._natively(gdb_nums, _native.Unwinder.last_executed).items()
        return {n: pc if self._code.is_user(pc) else None for n, pc in found if pc is not None}

    def _region_calls(self, gdb_num: int) -> Optional[RegionCalls]:
        """Return the calls that began regions on a thread's stack; None where GDB's frames are
        to tell them."""
        return self._natively([gdb_num], self.waits.reader.region_calls).get(gdb_num)
