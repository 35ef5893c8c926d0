# SPDX-License-Identifier: Apache-2.0
"""``ompd watch``."""

from __future__ import annotations

from typing import Iterable

from .base import Arguments
from .over_threads import OverThreads


class WatchCommand(OverThreads):
    """Stop where an object is written, and say which OpenMP thread wrote.

    Usage: ompd watch [-race] EXPR

    The object that EXPR is in the selected frame is watched, in all threads, by
    one of GDB's hardware watchpoints: "info watchpoints" lists it, "delete" ends it.
    A write that leaves the value as it is stops nothing.

    Options:
      -race
        Stop only where a second thread of the team writes, and no lock or critical is
        held at all of the writes in the region so far.  A lock is known where the code
        that leads to the write enters it.  Whether a barrier, an atomic construct or a
        dependence orders the writes is not known."""

    name = "ompd watch"
    options = ("-race",)

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Set the watchpoint; GDB says so."""
        from ..control.watch import set_watch

        set_watch(self._rest(arguments, "an expression"), arguments.has("-race"))
        return ()

    def completed_as(self) -> str:
        """Return the command of GDB that takes the same rest of the line."""
        return "watch"
