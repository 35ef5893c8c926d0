# SPDX-License-Identifier: Apache-2.0
"""Which locks and criticals a thread's place in the code is inside of: found by native
code, named by GDB."""

from __future__ import annotations

from typing import Callable, Iterable, Optional, Sequence

import gdb

from .. import _native
from ..explain.facts import Held
from ..host import object_names
from ..model import Location
from ..model.waits import Kind
from ..host.source import line_at
from .waiting import REDUCTION_WORDS, given_frames


def held_locks(reader: _native.WaitReader, frames: Sequence[gdb.Frame]) -> tuple[Held, ...]:
    """Return what a thread with these FRAMES is inside of, innermost first."""
    return named(_native.held_locks(reader, given_frames(frames, reader)), lambda: frames)


def named(
    found: Sequence[_native.FoundLock], frames: Callable[[], Iterable[gdb.Frame]]
) -> tuple[Held, ...]:
    """Return what native code has FOUND with names. FRAMES are the thread's."""
    held: list[Held] = []
    for kind, address, entered_at, pc, certain in found:
        if address is None:
            name: Optional[str] = ""
        elif kind == Kind.CRITICAL.value:
            name = object_names.critical_name(address)
        else:
            frame = next((one for one in frames() if one.pc() == pc), None)
            name = object_names.variable_name(address, frame)
        if kind != Kind.CRITICAL.value or name not in REDUCTION_WORDS:
            place = line_at(entered_at)
            where = None if place is None else Location(None, place[0], place[1], entered_at)
            held.append(Held(kind, address, name, where, certain))
    return tuple(held)
