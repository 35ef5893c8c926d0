# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: where threads began their regions, by native code and by GDB's frames."""

from __future__ import annotations

import json
from typing import Any

import gdb

from gdb_ompd.host.selection import selected_inferior
from gdb_ompd.stop.registry import session_of


def told() -> list[tuple[bool, Any, Any]]:
    """Return for each thread whether native code tells its regions, what is told, and what
    GDB's frames tell."""
    session = session_of()
    found = []
    with selected_inferior(gdb.selected_inferior()):
        for thread in gdb.selected_inferior().threads():
            begun = session.fresh_stacks().begun
            is_native = begun._region_calls(thread.num) is not None
            said = begun.regions(thread.num)
            begun._region_calls = lambda _: None
            found.append((is_native, said, begun.regions(thread.num)))
    return found


print("TOLD " + json.dumps(told()))
