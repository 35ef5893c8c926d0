# SPDX-License-Identifier: Apache-2.0
"""A stop at which all is as it was that the last one's threads and regions were made of.

While a user steps through one thread, the runtime's records mostly stay what they are.
Everything that was read of them is noted and compared, which the kernel does at once;
to make threads and regions of it takes many times longer.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Iterator, Optional, Sequence

from ... import _native
from ...host.protocols import NativeThread
from ..base import View
from .graph import Boundary, KnownTeams
from .stop import Stop


@dataclass(frozen=True, slots=True)
class KeptStop:
    """What was made at a stop, and all that it was made of."""

    stop: Stop
    view: View
    natives: tuple[NativeThread, ...]
    boundary: Boundary
    teams: KnownTeams
    notes: _native.ReadNotes

    @classmethod
    def of(
        cls,
        stop: Stop,
        view: View,
        natives: Sequence[NativeThread],
        boundary: Boundary,
        notes: _native.ReadNotes,
    ) -> "KeptStop":
        """Keep a STOP of which nothing but VIEW was asked yet; NOTES are of all its reads."""
        return cls(stop, view, tuple(natives), boundary, stop.graph.known_teams(), notes)

    def again(
        self,
        natives: Sequence[NativeThread],
        boundary: Boundary,
        library: Optional[_native.Library],
        process: int,
    ) -> bool:
        """Tell whether the same stop would be made now, and have it as it was then. What
        was read since, for other questions, is forgotten."""
        if boundary != self.boundary or library is not self.stop.library:
            return False
        if tuple(natives) != self.natives or not self.notes.still_hold(process):
            return False
        self.stop.graph.restore(self.teams)
        return True


@contextmanager
def noted(space: _native.AddressSpace, notes: Optional[_native.ReadNotes]) -> Iterator[None]:
    """Have NOTES, if there are any, take down what is read inside."""
    space.note_reads(notes)
    try:
        yield
    finally:
        space.note_reads(None)
