# SPDX-License-Identifier: Apache-2.0
"""How long an inferior's threads have run, at this stop and at the last one that was asked at."""

from __future__ import annotations

from typing import Callable, Mapping

import gdb

from .. import _native
from . import moments
from .selection import connection_type, threads_of

# Nanoseconds by LWP: how long each has run, and how long it wanted to while others did.
Times = Mapping[int, tuple[int, int]]


class ProcessorTimes:
    """Keeps them from one stop to the next. A stop that nobody asks at costs nothing."""

    def __init__(self, inferior: gdb.Inferior) -> None:
        self._inferior = inferior
        self._moment = -1
        self._before: Times = {}
        self._now: Times = {}

    def both(self, read: Callable[[], Times]) -> tuple[Times, Times]:
        """Return those before, none at the first stop that is asked at, and those now, which READ
        returns where nobody has asked at this stop."""
        if self._moment != moments.moment:
            self._moment, fresh = moments.moment, read()
            if fresh != self._now:  # another inferior's stop is none of this one's
                self._before, self._now = self._now, fresh
        return self._before, self._now

    def of_kernel(self) -> tuple[Times, Times]:
        """Return both, of a process that this machine's kernel runs; none of another one."""
        if connection_type(self._inferior) != "native":
            return {}, {}
        lwps = [thread.ptid[1] for thread in threads_of(self._inferior)]
        return self.both(lambda: _native.processor_times(self._inferior.pid, lwps))

    def milliseconds(self) -> dict[int, int]:
        """Return those now, by GDB's numbers, of threads of which the kernel tells it."""
        now = self.of_kernel()[1]
        threads = [(t.num, t.ptid[1]) for t in threads_of(self._inferior)]
        return {number: now[lwp][0] // 1_000_000 for number, lwp in threads if lwp in now}

    def so_far(self) -> tuple[tuple[int, int, int], ...]:
        """Return by GDB's numbers what threads have used since they began."""
        now = self.of_kernel()[1]
        return tuple(
            (t.num, *now[t.ptid[1]]) for t in threads_of(self._inferior) if t.ptid[1] in now
        )

    def since(self) -> tuple[tuple[int, int, int], ...]:
        """Return by GDB's numbers what was added since the last stop that was asked at, of threads
        that were there then."""
        before, now = self.of_kernel()
        return tuple(
            (t.num, now[lwp][0] - before[lwp][0], now[lwp][1] - before[lwp][1])
            for t in threads_of(self._inferior)
            for lwp in [t.ptid[1]]
            if lwp in before and lwp in now and now[lwp][0] >= before[lwp][0]
        )
