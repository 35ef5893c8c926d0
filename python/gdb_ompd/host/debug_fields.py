# SPDX-License-Identifier: Apache-2.0
"""Where a file's records have their fields, by its debug information."""

from __future__ import annotations

from typing import Iterable, Mapping, Optional

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
    try:
        for record, names in fields.items():
            kind = gdb.lookup_type(record, unit).strip_typedefs()
            found[record] = 0, kind.sizeof
            for name in names:
                found[f"{record}.{name}"] = _place(kind, name)
    except (gdb.error, LookupError):
        return None
    return found


def debug_constants(file: str, enumeration: str, names: Iterable[str]) -> Optional[dict[str, int]]:
    """Return the values of an enumeration's constants, None where FILE's debug information
    lacks one of them."""
    unit = _unit(file)
    if unit is None:
        return None
    try:
        values = {f.name: f.enumval for f in gdb.lookup_type(enumeration, unit).fields()}
        return {name: values[name] for name in names}
    except (gdb.error, LookupError):
        return None


def _place(kind: gdb.Type, name: str) -> tuple[int, int]:
    """Return a field's place, that of a base class or of a part without a name too."""
    for field in kind.fields():
        if not hasattr(field, "bitpos"):
            continue
        if field.name == name and not field.is_base_class:
            if field.bitsize:
                return field.bitpos, field.bitsize
            return field.bitpos // 8, field.type.sizeof
        if field.is_base_class or not field.name:
            try:
                offset, size = _place(field.type.strip_typedefs(), name)
            except (TypeError, LookupError):  # a part that has no fields
                continue
            return field.bitpos // 8 + offset, size
    raise LookupError(name)


def _unit(file: str) -> Optional[gdb.Block]:
    """Return the block of a unit of FILE that knows its types."""
    for objfile in gdb.current_progspace().objfiles():
        if file in (objfile.filename, objfile.username):
            symbol = objfile.lookup_global_symbol(VARIABLE)
            if symbol is not None:
                return symbol.symtab.static_block()
    return None
