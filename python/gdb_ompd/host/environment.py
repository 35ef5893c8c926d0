# SPDX-License-Identifier: Apache-2.0
"""The environment of the selected inferior, as its memory has it."""

from __future__ import annotations

import os

import gdb

from .selection import evaluate

MOST = 4096  # variables
LONGEST = 4096  # bytes


def environment() -> dict[str, str]:
    """Return the variables of a program on glibc; none where they cannot be read."""
    found: dict[str, str] = {}
    try:
        entries = evaluate("*(char ***)&environ")
        for index in range(MOST):
            entry = entries[index]
            if int(entries) == 0 or int(entry) == 0:
                break
            name, _, value = os.fsdecode(_string(int(entry))).partition("=")
            found.setdefault(name, value)
    except gdb.error:
        pass  # no process, or no such C library
    return found


def _string(address: int) -> bytes:
    """Return the bytes of a string, at most LONGEST."""
    inferior, found = gdb.selected_inferior(), b""
    while len(found) < LONGEST:
        room = 64 - address % 64  # no read crosses into a page that is not there
        part = bytes(inferior.read_memory(address, room))
        ended = part.find(b"\0")
        if ended >= 0:
            return found + part[:ended]
        found, address = found + part, address + room
    return found
