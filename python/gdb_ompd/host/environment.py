# SPDX-License-Identifier: Apache-2.0
"""The environment of the selected inferior, as its memory has it, and how long it has run."""

from __future__ import annotations

import os
from typing import Optional

import gdb

from .. import _native
from .selection import evaluate, threads_of

_FLAGS = 6  # of proc(5)'s fields, behind the name
_FORKED = 0x40  # PF_FORKNOEXEC of Linux


def environment(space: _native.AddressSpace) -> dict[str, str]:
    """Return the variables of a program on glibc; none where they cannot be read."""
    try:
        return _native.environment(space, int(evaluate("(unsigned long) &environ")))
    except (gdb.error, ValueError):
        return {}  # no process, or no such C library


def processor_times(inferior: gdb.Inferior) -> dict[int, int]:
    """Return by GDB's numbers the milliseconds that threads have run; nothing of a core, or of a
    process of another machine."""
    connection = inferior.connection
    if connection is None or connection.type != "native":
        return {}
    found: dict[int, int] = {}
    for thread in threads_of(inferior):
        try:
            found[thread.num] = _milliseconds(f"/proc/{inferior.pid}/task/{thread.ptid[1]}")
        except (OSError, ValueError, IndexError):
            pass
    return found


def scheduler_locking() -> Optional[str]:
    """Return the mode of "set scheduler-locking" by which GDB lets one thread alone go on, or step."""
    try:
        mode = gdb.parameter("scheduler-locking")
    except RuntimeError:
        return None
    return mode if mode in ("on", "step") else None


def is_forked(inferior: gdb.Inferior) -> Optional[bool]:
    """Tell whether a process was forked and has executed no program since, as the kernel notes of
    its first thread. None of a core, or of a process of another machine."""
    connection = inferior.connection
    if connection is None or connection.type != "native":
        return None
    try:
        with open(f"/proc/{inferior.pid}/stat", "rb") as file:
            flags = int(file.read().rpartition(b")")[2].split()[_FLAGS])
    except (OSError, ValueError, IndexError):
        return None
    return bool(flags & _FORKED) if flags else None


def _milliseconds(folder: str) -> int:
    """Return how long a thread has run, by the scheduler's own account. Of a kernel without one it
    is by its clock's ticks, between which a thread that yields often is not seen to run."""
    try:
        with open(f"{folder}/schedstat", "rb") as file:
            return int(file.read().split()[0]) // 1_000_000
    except FileNotFoundError:
        with open(f"{folder}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        ticks = int(fields[11]) + int(fields[12])  # utime, stime (proc(5))
        return ticks * 1000 // os.sysconf("SC_CLK_TCK")
