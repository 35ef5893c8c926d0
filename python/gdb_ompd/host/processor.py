# SPDX-License-Identifier: Apache-2.0
"""How long the threads of a process have run, as the kernel counts it."""

from __future__ import annotations

import os

import gdb


def processor_times(inferior: gdb.Inferior) -> dict[int, int]:
    """Return by GDB's numbers the milliseconds that threads have run; nothing of a core, or of a
    process of another machine."""
    connection = inferior.connection
    if connection is None or connection.type != "native":
        return {}
    found: dict[int, int] = {}
    for thread in inferior.threads():
        try:
            found[thread.num] = _milliseconds(f"/proc/{inferior.pid}/task/{thread.ptid[1]}")
        except (OSError, ValueError, IndexError):
            pass
    return found


def _milliseconds(folder: str) -> int:
    """Return how long a thread has run, by the scheduler's own account; of a kernel without one by
    its clock's ticks, between which a thread that yields often is not seen to run."""
    try:
        with open(f"{folder}/schedstat", "rb") as file:
            return int(file.read().split()[0]) // 1_000_000
    except FileNotFoundError:
        with open(f"{folder}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        ticks = int(fields[11]) + int(fields[12])  # utime, stime (proc(5))
        return ticks * 1000 // os.sysconf("SC_CLK_TCK")
