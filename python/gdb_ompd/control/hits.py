# SPDX-License-Identifier: Apache-2.0
"""Which of the breakpoints at one place has stopped the program: GDB names them all, with those
whose condition, thread or ignore count kept them from stopping."""

from __future__ import annotations

import gdb


class Hits:
    """How often each of the user's breakpoints has been hit, and is to be ignored, at a moment
    before a stop; none OF a RUN that has just begun."""

    def __init__(self, of_run: bool = False) -> None:
        all_of_them = () if of_run else gdb.breakpoints() or ()
        self._counts = {each.number: _counts(each) for each in all_of_them}

    def note_ignore(self, breakpoint: gdb.Breakpoint) -> None:
        """Note how often a breakpoint is to be ignored, where it was not a hit that has changed
        that."""
        if self._counts.get(breakpoint.number, (0, 0))[0] == breakpoint.hit_count:
            self._counts[breakpoint.number] = _counts(breakpoint)

    def were_cleared(self) -> bool:
        """Tell whether GDB counts anew, as it does in each run."""
        return any(
            each.hit_count < self._counts.get(each.number, (0, 0))[0]
            for each in gdb.breakpoints() or ()
        )

    def has_stopped(self, breakpoint: gdb.Breakpoint) -> bool:
        """Tell whether a breakpoint was hit more often since than it was told to ignore."""
        hits_before, ignore_before = self._counts.get(breakpoint.number, (0, 0))
        hits, ignore = _counts(breakpoint)
        return ignore == 0 and hits - hits_before > ignore_before


def _counts(breakpoint: gdb.Breakpoint) -> tuple[int, int]:
    return breakpoint.hit_count, breakpoint.ignore_count
