# SPDX-License-Identifier: Apache-2.0
"""The program's own file: why GDB's is not the one that runs, and which is, in one line for the
user.

With another build's file, or none, GDB finds neither libraries nor functions, and nothing that is
said of the program would be true. What runs is known by the headers in its memory.
"""

from __future__ import annotations

import os
import re
from typing import Optional, TYPE_CHECKING

import gdb

from .. import _native
from ..errors import NoRuntime
from .charset import executed
from .mappings import FileMappings
from .protocols import MappedFile
from .selection import connection_type

if TYPE_CHECKING:
    from .target import GdbTarget

# Of the auxiliary vector (<elf.h>): where the program headers are, and how many.
_AT_PHDR, _AT_PHNUM = 3, 5
_AUXILIARY = re.compile(r"^(\d+) .* (0x[0-9a-f]+|\d+)(?: \".*)?$", re.M)
_CORE = re.compile(r"^Local core dump file:\n\t`(.+)', file type ", re.M)


def headers_in_memory(space: _native.AddressSpace) -> Optional[_native.MappedHeaders]:
    """Return what the program's headers say, None where memory does not have them."""
    vector = _auxiliary_vector()
    if _AT_PHDR not in vector or _AT_PHNUM not in vector:
        return None
    return _native.headers_of_program(space, vector[_AT_PHDR], vector[_AT_PHNUM])


def _auxiliary_vector() -> dict[int, int]:
    """Return the numbers that the kernel gave the program; Python's API does not have them. A remote
    stub is not asked: QEMU's ends the program if another thread than the first is selected."""
    if connection_type(gdb.selected_inferior()) not in ("native", "core"):
        return {}
    try:
        return {
            int(kind): int(value, 0) for kind, value in _AUXILIARY.findall(executed("info auxv"))
        }
    except gdb.error:
        return {}


def why_none(target: GdbTarget, space: _native.AddressSpace) -> NoRuntime:
    """Return the error for a program that GDB has no file of."""
    needed = _needed(target, space)
    return NoRuntime(f"GDB has no executable for this{needed}: {_cure(target, space)}")


def why_another(target: GdbTarget, space: _native.AddressSpace, file: MappedFile) -> NoRuntime:
    """Return the error for a program that is of another file than FILE, GDB's."""
    path, has = file.path or file.name, f" with build id {file.build_id}" if file.build_id else ""
    needed, cure = _needed(target, space), _cure(target, space)
    return NoRuntime(f"{path}{has} is not the program's file{needed}: {cure}")


def _needed(target: GdbTarget, space: _native.AddressSpace) -> str:
    headers = headers_in_memory(space)
    build_id = headers.build_id if headers is not None else None
    name = _name_in_core() if target.is_core() else None
    known = [name or "", f"build id {build_id}" if build_id is not None else ""]
    return f" ({', '.join(filter(None, known))})" if any(known) else ""


def _cure(target: GdbTarget, space: _native.AddressSpace) -> str:
    """Say how GDB is given the file."""
    process = target.kernels_process()
    if process is not None:
        return f"'file /proc/{process}/exe' gives GDB the one that runs"
    again = f"'core-file {_core()}'" if target.is_core() else "connect again"
    name = _name_in_core() if target.is_core() else None
    headers = headers_in_memory(space)
    build_id = headers.build_id if headers is not None else None
    is_there = name is not None and build_id is not None and _build_id(name) == build_id
    return f"'file {name if is_there else 'PROGRAM'}' first, then {again}"


def why_nameless(elf: _native.Elf) -> NoRuntime:
    """Return the error for a static program without symbols."""
    which = f" with build id {elf.build_id}" if elf.build_id is not None else ""
    return NoRuntime(
        f"{elf.path} is linked statically and stripped, so that an OpenMP runtime in it cannot be"
        f" found: 'file PROGRAM' with the unstripped program{which}"
    )


def why_unread() -> NoRuntime:
    """Return the error for a core whose libraries GDB has not read: it reads them with the core,
    not with a program that is named later."""
    return NoRuntime(
        "GDB has not read the libraries of this core, which was loaded before its program:"
        f" load it again, 'core-file {_core()}'"
    )


def _core() -> str:
    """Return the core file's name, which Python's API does not have."""
    found = _CORE.search(executed("info files"))
    return found.group(1) if found is not None else "CORE"


def _name_in_core() -> Optional[str]:
    """Return the program's file by what the kernel has noted in the core of its mappings."""
    at = _auxiliary_vector().get(_AT_PHDR)
    return None if at is None else FileMappings().file_at(at) or None


def _build_id(path: str) -> Optional[str]:
    try:
        return _native.Elf(path).build_id
    except (OSError, ValueError):
        return None
