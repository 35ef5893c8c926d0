# SPDX-License-Identifier: Apache-2.0
"""How long an inferior's threads have run, at this stop and at the last one that was asked at."""

from __future__ import annotations

from typing import Mapping

import gdb

from .. import _native
from . import moments
from .fetch import remote_text
from .selection import connection_type, threads_of
from .target import REMOTE

# Nanoseconds by LWP: how long each has run, and how long it wanted to while others did.
Times = Mapping[int, tuple[int, int]]


class ProcessorTimes:
    """Keeps them from one stop to the next. A stop that nobody asks at costs nothing."""

    def __init__(self, inferior: gdb.Inferior) -> None:
        self._inferior = inferior
        self._moment = -1
        self._before: Times = {}
        self._now: Times = {}

    def of_kernel(self) -> tuple[Times, Times]:
        """Return those before, none at the first stop that is asked at, and those now: of a process
        whose kernel can be asked, none of another one."""
        kind, process = connection_type(self._inferior), self._inferior.pid
        if kind not in ("native", *REMOTE):
            return {}, {}
        if self._moment != moments.moment:
            lwps = [thread.ptid[1] for thread in threads_of(self._inferior)]
            elsewhere = remote_text if kind in REMOTE else None
            self._moment, fresh = moments.moment, _native.processor_times(process, lwps, elsewhere)
            if fresh != self._now:  # another inferior's stop is none of this one's
                self._before, self._now = self._now, fresh
        return self._before, self._now

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
