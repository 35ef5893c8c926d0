# SPDX-License-Identifier: Apache-2.0
"""What ``target`` tells of threads and files, and how it fails."""

from __future__ import annotations

from typing import NamedTuple, Optional

from .._native import OmpdError

# How a failed read of the target shows: gdb.MemoryError and gdb.error are
# RuntimeErrors; the native side refuses what cannot be an address itself.
READ_ERRORS = (RuntimeError, OmpdError)


class MappedFile(NamedTuple):
    """An object file as the debugger knows it, and where to read it from here."""

    name: str  # what the dynamic linker calls it
    path: Optional[str]  # of a file on this machine, None if it cannot be had
    debug_path: Optional[str]  # its separate debug file
    is_read: bool = False  # GDB has read it
    build_id: Optional[str] = None  # of what GDB has read
    is_copy: bool = False  # PATH is not where the program has it: it is read, and nothing beside it
