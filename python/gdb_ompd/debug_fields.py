# SPDX-License-Identifier: Apache-2.0
"""Where a file's records have their fields, by its debug information."""

from __future__ import annotations

from typing import Mapping, Optional

import gdb

# A variable of the runtime that every version has: its unit has all types of kmp.h.
VARIABLE = "__kmp_threads"


def debug_fields(
    file: str, fields: Mapping[str, tuple[str, ...]]
) -> Optional[dict[str, tuple[int, int]]]:
    """Return offset and size in bytes by "record.field", in bits for a field of bits, and
    each record's (0, size); None where the FILE's debug information lacks one of them."""
    unit = _unit(file)
    if unit is None:
        return None
    found: dict[str, tuple[int, int]] = {}
    for record, names in fields.items():
        try:
            kind = gdb.lookup_type(record, unit).strip_typedefs()
        except gdb.error:
            return None
        found[record] = 0, kind.sizeof
        for name in names:
            if not kind.has_key(name):
                return None
            found[f"{record}.{name}"] = _place(kind[name])
    return found


def _place(field: gdb.Field) -> tuple[int, int]:
    if field.bitsize:
        return field.bitpos, field.bitsize
    return field.bitpos // 8, field.type.sizeof


def _unit(file: str) -> Optional[gdb.Block]:
    """Return the block of a unit of FILE that knows its types."""
    for objfile in gdb.current_progspace().objfiles():
        if file in (objfile.filename, objfile.username):
            symbol = objfile.lookup_global_symbol(VARIABLE)
            if symbol is not None:
                return symbol.symtab.static_block()
    return None
