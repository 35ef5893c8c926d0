# SPDX-License-Identifier: Apache-2.0
"""The environment of the selected inferior, as its memory has it, and how GDB runs it."""

from __future__ import annotations

from typing import Optional

import gdb

from .. import _native
from .selection import connection_type, evaluate

_FLAGS = 6  # of proc(5)'s fields, behind the name
_FORKED = 0x40  # PF_FORKNOEXEC of Linux


def environment(space: _native.AddressSpace) -> dict[str, str]:
    """Return the variables of a program on glibc; none where they cannot be read."""
    try:
        return _native.environment(space, int(evaluate("(unsigned long) &environ")))
    except (gdb.error, ValueError):
        return {}  # no process, or no such C library


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
    if connection_type(inferior) != "native":
        return None
    try:
        with open(f"/proc/{inferior.pid}/stat", "rb") as file:
            flags = int(file.read().rpartition(b")")[2].split()[_FLAGS])
    except (OSError, ValueError, IndexError):
        return None
    return bool(flags & _FORKED) if flags else None
