# SPDX-License-Identifier: Apache-2.0
"""Where a runtime with debug information keeps what it records of waiting threads."""

from __future__ import annotations

from typing import Optional

import gdb

from .modules import MappedModule
from .providers.ompd.wait_fields import ENUMERATION, FIELDS, QUEUING, Places

# A variable that every version has: its unit has the types of kmp.h and kmp_lock.h.
VARIABLE = "__kmp_threads"


def debug_places(runtime: MappedModule) -> Optional[Places]:
    """Return offset and size of each field, None where the debug information lacks one."""
    unit = _unit(runtime)
    if unit is None:
        return None
    found: dict[str, tuple[int, int]] = {}
    try:
        for record, names in FIELDS.items():
            kind = _record(record, unit)
            found[record] = 0, kind.sizeof
            for name in names:
                found[f"{record}.{name}"] = _place(kind, name)
        numbers = {f.name: f.enumval for f in gdb.lookup_type(ENUMERATION, unit).fields()}
        found.update({f"{ENUMERATION}.{name}": (numbers[name], 0) for name in QUEUING})
    except (gdb.error, LookupError):
        return None
    return found


def _record(name: str, unit: gdb.Block) -> gdb.Type:
    return gdb.lookup_type(name, unit).strip_typedefs()


def _place(kind: gdb.Type, name: str) -> tuple[int, int]:
    """Return a field's place, that of a base class or of a part without a name too."""
    for field in kind.fields():
        if not hasattr(field, "bitpos"):
            continue
        start = field.bitpos // 8
        if field.name == name and not field.is_base_class:
            return start, field.type.sizeof
        if field.is_base_class or not field.name:
            try:
                offset, size = _place(field.type.strip_typedefs(), name)
            except LookupError:
                continue
            return start + offset, size
    raise LookupError(name)


def _unit(runtime: MappedModule) -> Optional[gdb.Block]:
    """Return the block of a unit that knows the runtime's types."""
    for objfile in gdb.current_progspace().objfiles():
        if runtime.path in (objfile.filename, objfile.username):
            symbol = objfile.lookup_global_symbol(VARIABLE)
            if symbol is not None:
                return symbol.symtab.static_block()
    return None
