# SPDX-License-Identifier: Apache-2.0
"""Memory of a remote process, read so that the loss of its connection is an error only.

GDB's ``Inferior.read_memory`` of versions 16.3 and 18.1 puts back the number of the
thread that was selected even if the connection was lost in between, and the thread with
it; GDB's next look at its selected thread is then an internal error, which ends it. The
read of a value leaves no such trace. GDB 13, whose values do not give their bytes, has
``read_memory`` leave the selection alone.
"""

from __future__ import annotations

from typing import Callable, Optional

import gdb

HAS_BYTES = hasattr(gdb.Value, "bytes")
REMOTE = ("remote", "extended-remote")
Read = Callable[[int, int], memoryview]


def reader() -> Read:
    """Return what reads the selected inferior's memory by address and size, while it is
    connected as now: gdb.MemoryError where nothing is mapped.

    For a process of this machine it is GDB's own, and costs what that does: conditions
    are evaluated thousands of times in a run.
    """
    inferior = gdb.selected_inferior()
    plain: Read = inferior.read_memory
    connection = inferior.connection if HAS_BYTES else None
    if connection is None or connection.type not in REMOTE:
        return plain

    def remote(address: int, size: int) -> memoryview:
        memory = _read(address, size)
        return plain(address, size) if memory is None else memory

    return remote


def _read(address: int, size: int) -> Optional[memoryview]:
    """Return memory of the selected inferior; gdb.MemoryError where nothing is mapped,
    None where GDB gives no value's bytes, or SIZE is 0."""
    if not HAS_BYTES or size == 0:
        return None
    most: Optional[int] = gdb.parameter("max-value-size")  # None or -1: any size
    step, end = size if most is None or most < 0 else min(size, most), address + size
    pieces = [_value(begin, min(step, end - begin)) for begin in range(address, end, step)]
    return memoryview(b"".join(pieces))


def _value(address: int, size: int) -> bytes:
    byte = gdb.selected_inferior().architecture().integer_type(8)
    place = gdb.Value(address).cast(byte.array(size - 1).pointer())
    found: bytes = place.dereference().bytes
    return found
