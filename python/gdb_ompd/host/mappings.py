# SPDX-License-Identifier: Apache-2.0
"""Which memory of the selected inferior is a file's, as the kernel tells of a process and in a core."""

from __future__ import annotations

import re
from typing import Optional

import gdb

from .charset import executed

# Memory that processes share has a file, be it one that has no name any more: "/dev/zero (deleted)".
# GDB 16 has a blank behind the name, as behind each column.
_MAPPING = re.compile(r"^\s*(0x[0-9a-f]+)\s+(0x[0-9a-f]+)\s.*?\s(/.*?) ?$", re.M)


class FileMappings:
    """The files' memory at one stop, asked for when it is first needed."""

    def __init__(self) -> None:
        self._ranges: Optional[list[tuple[int, int, str]]] = None

    def file_at(self, address: int) -> Optional[str]:
        """Return the name of the file that is mapped at ADDRESS, "" where none is, None where that
        is not known."""
        if self._ranges is None:
            self._ranges = _read()
        if not self._ranges:
            return None
        found = (name for start, end, name in self._ranges if start <= address < end)
        return next(found, "")

    def is_own(self, address: int) -> bool:
        """Return True if no other process can use the memory at ADDRESS, as it is of no file."""
        return self.file_at(address) == ""


def _read() -> list[tuple[int, int, str]]:
    try:
        said = executed("info proc mappings")
    except gdb.error:  # a target that does not tell
        return []
    return [(int(start, 16), int(end, 16), name) for start, end, name in _MAPPING.findall(said)]
