# SPDX-License-Identifier: Apache-2.0
"""What GDB reports while a command of ours lets the program run.

A command runs the program several times and must know each time who stopped
it: one of its own marks, the end of a step, or something the user must see.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Iterable, NamedTuple, Optional

import gdb

from ..._native import unbroken
from .marks import Mark


class Why(Enum):
    """Why the program is not running any more."""

    STEPPED = "stepped"  # GDB's step ended as steps do
    MARK = "mark"  # a mark of ours was reached
    USERS = "users"  # the user's breakpoint, a signal, Ctrl-C: theirs to see
    GONE = "gone"  # the program ended


class Report(NamedTuple):
    """One stop, and the marks reached at it."""

    why: Why
    marks: tuple[Mark, ...] = ()


class Reports:
    """Listens to GDB inside its block."""

    def __init__(self, thread: gdb.InferiorThread) -> None:
        self._inferior = thread.inferior
        self._last: Optional[Report] = None
        self._counts: dict[int, tuple[int, int]] = {}

    def __enter__(self) -> "Reports":
        self._counts = _counts()
        gdb.events.stop.connect(self._stopped)
        gdb.events.exited.connect(self._exited)
        return self

    def __exit__(self, *_error: object) -> None:
        gdb.events.stop.disconnect(self._stopped)
        gdb.events.exited.disconnect(self._exited)

    def take(self) -> Report:
        """Return the last report, and forget it. Without one GDB did not run."""
        report, self._last = self._last, None
        return report or Report(Why.USERS)

    @unbroken
    def _exited(self, event: Any) -> None:
        if event.inferior == self._inferior:
            self._last = Report(Why.GONE)

    @unbroken
    def _stopped(self, event: Any) -> None:
        counts = _counts()
        if isinstance(event, gdb.BreakpointEvent):
            self._last = self._at_breakpoints(event.breakpoints, counts)
        elif isinstance(event, gdb.SignalEvent):
            self._last = Report(Why.USERS)
        else:
            self._last = Report(Why.STEPPED)
        self._counts = counts

    def _at_breakpoints(
        self, breakpoints: Iterable[gdb.Breakpoint], now: dict[int, tuple[int, int]]
    ) -> Report:
        """Judge a stop at breakpoints. GDB names all that are at the place, with those
        whose condition, thread or ignore count kept them from stopping."""
        marks = []
        for each in breakpoints:
            if isinstance(each, Mark):
                marks.append(each)
            elif self._stopped_by(each.number, now):
                return Report(Why.USERS)
        return Report(Why.MARK, tuple(marks)) if marks else Report(Why.USERS)

    def _stopped_by(self, number: int, now: dict[int, tuple[int, int]]) -> bool:
        """Tell whether a breakpoint was hit more often than it was told to ignore."""
        hits, ignore = now.get(number, (0, 0))
        hits_before, ignore_before = self._counts.get(number, (0, 0))
        return hits - hits_before > ignore_before - ignore


def _counts() -> dict[int, tuple[int, int]]:
    """Return how often each of the user's breakpoints was hit, and is to be ignored."""
    return {each.number: (each.hit_count, each.ignore_count) for each in gdb.breakpoints() or ()}
