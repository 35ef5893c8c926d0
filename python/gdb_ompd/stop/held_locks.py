# SPDX-License-Identifier: Apache-2.0
"""Which locks and criticals a thread's place in the code is inside of: found by native
code, named by GDB."""

from __future__ import annotations

from typing import Iterator, Optional

import gdb

from .. import _native
from ..explain.facts import Held
from ..host import object_names
from ..model import Location
from ..model.waits import Kind
from ..host.source import line_at
from .waiting import REDUCTION_WORDS, given_frames


class HeldLocks:
    """Reads them for one inferior at one stop."""

    def __init__(self, reader: _native.WaitReader) -> None:
        self._reader = reader

    def of(self, frames: Iterator[gdb.Frame]) -> tuple[Held, ...]:
        """Return what a thread with these FRAMES is inside of, innermost first."""
        every = list(frames)
        found: list[Held] = []
        for kind, address, entered_at, number, certain in self._reader.held_locks(
            given_frames(every, self._reader)
        ):
            name = _name(kind, address, every[number])
            if kind != Kind.CRITICAL.value or name not in REDUCTION_WORDS:
                place = line_at(entered_at)
                where = None if place is None else Location(None, place[0], place[1], entered_at)
                found.append(Held(kind, address, name, where, certain))
        return tuple(found)


def _name(kind: str, address: Optional[int], frame: gdb.Frame) -> Optional[str]:
    if address is None:
        return ""
    if kind == Kind.CRITICAL.value:
        return object_names.critical_name(address)
    return object_names.variable_name(address, frame)
