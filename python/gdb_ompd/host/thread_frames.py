# SPDX-License-Identifier: Apache-2.0
"""GDB's frames of one inferior's threads at one stop, and what native code takes of them."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count, islice, takewhile
from typing import Callable, Iterator, Optional, Sequence

import gdb

from .._native import CodeMap, GivenFrame, NativeThread, ThreadStack
from .inlined import physical
from .selection import KeptSelection, frames_from, kept_selection, level_of, threads_of
from .target import GdbTarget

WORDS = (1 << 64) - 1
KEPT_CALLERS = 4  # behind the user's frame: they may have handed on what is waited for
MAX_FRAMES = 64  # that are looked at


class ThreadFrames:
    """The frames of one inferior's threads, each thread's unwound once in a row."""

    def __init__(
        self,
        inferior: gdb.Inferior,
        target: GdbTarget,
        code: CodeMap,
        registers: Registers,
        listed: Callable[[], Sequence[NativeThread]],
    ) -> None:
        """REGISTERS are the names of those that native code takes of each frame. LISTED returns the
        inferior's threads."""
        self._inferior = inferior
        self._target = target
        self._listed = listed
        self._lwps: Optional[dict[int, int]] = None  # of those that stand still
        self._code = code
        self._registers = registers
        self._threads: dict[int, gdb.InferiorThread] = {}  # by number; see of()
        self._latest: tuple[int, list[gdb.Frame], Iterator[gdb.Frame]] = (0, [], iter(()))
        self._selection: Optional[KeptSelection] = None
        self.unreadable: dict[int, str] = {}  # why a thread has no stack

    @contextmanager
    def kept_selection(self) -> Iterator[None]:
        """Put the selection back behind the block, if it was changed for a thread's frames."""
        if self._selection is not None:
            yield
            return
        with KeptSelection() as self._selection:
            try:
                yield
            finally:
                self._selection = None

    def of(self, gdb_num: int) -> Iterator[gdb.Frame]:
        """Yield a thread's frames, innermost first; ends where unwinding does. Leaves the
        thread selected. Several questions about one thread have GDB unwind it once:
        where native code does not, ``ompd why`` asks of 1,000 threads at a barrier for 36,000
        frames, 13,000 different."""
        if not self._threads:
            self._threads = {thread.num: thread for thread in threads_of(self._inferior)}
        thread = self._threads.get(gdb_num)
        if thread is None:
            return
        if self._selection is not None:
            self._selection.will_change()
        try:
            thread.switch()
        except gdb.error as error:
            self.unreadable[gdb_num] = str(error)
            return
        if self._latest[0] != gdb_num:
            self._latest = gdb_num, [], self._unwind(gdb_num)
        _, known, others = self._latest
        for index in count():
            if index == len(known):
                known.extend(islice(others, 1))
            if index == len(known):
                return
            yield known[index]

    def _unwind(self, gdb_num: int) -> Iterator[gdb.Frame]:
        try:
            newest = gdb.newest_frame()
            newest.pc()  # a core may lack the thread's registers
        except gdb.error as error:  # nor has a thread that runs any
            self.unreadable[gdb_num] = str(error)
            return iter(())
        return frames_from(newest)

    def stopped(self, gdb_nums: Sequence[int]) -> dict[int, Optional[ThreadStack]]:
        """Return the stacks of those of threads that stand still: from the kernel, if their process
        is one that it can tell of. None for one whose registers nobody gives."""
        if self._lwps is None:
            self._lwps = {t.gdb_num: t.lwp for t in self._listed() if t.lwp and not t.running}
        known = list(filter(self._lwps.__contains__, gdb_nums))
        process = self._target.kernels_process()
        if process is not None:
            lwps = list(map(self._lwps.__getitem__, known))
            return dict(zip(known, ThreadStack.traced(lwps, process)))
        with kept_selection():
            given = zip(known, self._target.registers(known))
            return {n: None if held is None else ThreadStack.given(held) for n, held in given}

    def numbered(self, gdb_num: int, number: int) -> gdb.Frame:
        """Return a thread's frame with a NUMBER, 0 of the innermost. Leaves the thread selected."""
        frames = self.of(gdb_num)
        next(frames)
        known = self._latest[1]
        return known[number] if number < len(known) else list(self.of(gdb_num))[number]

    def physical(self, gdb_num: int, number: int) -> gdb.Frame:
        """Return the one that its function was inlined into, itself if it was not. Leaves the
        thread selected."""
        return physical(self.numbered(gdb_num, number))

    def at(self, gdb_num: int, pc: int) -> Optional[gdb.Frame]:
        """Return a thread's innermost frame at PC. Leaves the thread selected."""
        return next((frame for frame in self.of(gdb_num) if frame.pc() == pc), None)

    def users(self, gdb_num: int) -> Optional[gdb.Frame]:
        """Return the innermost frame of the user's. Leaves the thread selected."""
        return next((f for f in self.of(gdb_num) if self._code.is_user(f.pc())), None)

    def outermost_called(self, gdb_num: int) -> Optional[str]:
        """Name the outermost frame below the user's code that no signal has interrupted. Leaves
        the thread selected."""
        below = list(takewhile(lambda f: not self._code.is_user(f.pc()), self.of(gdb_num)))
        callers = zip(below, [*below[1:], None])
        inner = (f for f, by in callers if by is None or by.type() == gdb.SIGTRAMP_FRAME)
        return next((frame.name() for frame in inner), None)

    def given(self, gdb_num: int) -> list[GivenFrame]:
        """Return a thread's frames as native code takes them. Leaves the thread selected."""
        return given_frames(list(self.of(gdb_num)), self._registers)

    def placed(self, gdb_num: int) -> list[GivenFrame]:
        """Return the same without their registers. Leaves the thread selected."""
        return [_given(frame, ((), ())) for frame in self.of(gdb_num)]

    def given_around_user(self, gdb_num: int) -> list[GivenFrame]:
        """Return those of them in which its place is looked for, the outer ones without registers.
        Leaves the thread selected."""
        own = (frame for frame in self.of(gdb_num) if _is_physical(frame))
        inner: list[gdb.Frame] = []
        for frame in own:
            inner.append(frame)
            if self._code.is_user(frame.pc()):
                break
        inner += islice(own, KEPT_CALLERS)
        outer = [GivenFrame(f.pc(), _is_called(f)) for f in islice(own, MAX_FRAMES)]
        return [*given_frames(inner, self._registers), *outer]


def _is_physical(frame: gdb.Frame) -> bool:
    """Tell whether a frame is on the stack: GDB makes up others, which have the same place."""
    return frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME)


def with_callers(frame: gdb.Frame) -> list[gdb.Frame]:
    """Return FRAME with those of its callers' that may have handed on what it did: not those that
    GDB makes up of functions that have jumped on."""
    own = (each for each in frames_from(frame) if each.type() != gdb.TAILCALL_FRAME)
    return list(islice(own, 1 + KEPT_CALLERS))


Registers = tuple[Sequence[str], Sequence[str]]  # as WaitReader has them


def given_frames(frames: Sequence[gdb.Frame], registers: Registers) -> list[GivenFrame]:
    """Return FRAMES, innermost first, as native code takes them, with the REGISTERS of these
    names."""
    return [_given(frame, registers) for frame in frames]


def _given(frame: gdb.Frame, registers: Registers) -> GivenFrame:
    preserved, others = registers
    values = [_register(frame, name) for name in preserved]
    # What callees do not preserve GDB gives as it is now: that is the innermost frame's.
    if level_of(frame) == 0:
        values += [_register(frame, name) for name in others]
    return GivenFrame(
        frame.pc(), _is_called(frame), values, is_tail_call=frame.type() == gdb.TAILCALL_FRAME
    )


def _is_called(frame: gdb.Frame) -> bool:
    return frame.type() not in (gdb.INLINE_FRAME, gdb.SIGTRAMP_FRAME)


def _register(frame: gdb.Frame, name: str) -> Optional[int]:
    try:
        return int(frame.read_register(name)) & WORDS
    except (gdb.error, ValueError):
        return None
