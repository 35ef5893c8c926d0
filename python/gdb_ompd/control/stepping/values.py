# SPDX-License-Identifier: Apache-2.0
"""Single values of the selected thread and inferior."""

from __future__ import annotations

import gdb

from ...host.remote_memory import reader

POINTER = 8
UNSIGNED = (1 << 64) - 1


def read_register(frame: gdb.Frame, name: str) -> int:
    """Return a register's value in FRAME, as an unsigned number."""
    return int(frame.read_register(name)) & UNSIGNED


def read_pointer(address: int) -> int:
    """Return the pointer at ADDRESS; gdb.MemoryError where nothing is mapped."""
    return int.from_bytes(reader()(address, POINTER), "little")
