# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: where threads began their regions, by native code and by GDB's frames."""

from __future__ import annotations

import json
from typing import Any

import gdb

from gdb_ompd.host.selection import selected_inferior
from gdb_ompd.host.sessions.registry import session_of


def told() -> list[tuple[bool, Any, Any]]:
    """Return for each thread whether no frame of GDB's was asked for, what is told, and what
    GDB's frames tell."""
    session = session_of()
    found = []
    with selected_inferior(gdb.selected_inferior()):
        for thread in gdb.selected_inferior().threads():
            stacks = session.fresh_stacks()
            said = stacks.native.begun(thread.num)
            is_native = not stacks.frames._latest[1]
            by_frames = session.fresh_stacks()
            by_frames.frames.stopped = lambda _: {}  # type: ignore[method-assign]
            other = by_frames.native.begun(thread.num)
            found.append((is_native, *((x.constructs, x.in_last) for x in (said, other))))
    return found


print("TOLD " + json.dumps(told()))
