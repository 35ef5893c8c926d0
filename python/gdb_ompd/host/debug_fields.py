# SPDX-License-Identifier: Apache-2.0
"""Where a file's records have their fields, by its debug information."""

from __future__ import annotations

from typing import Dict, Iterable, Optional, Tuple

import gdb

# A variable of the runtime that every version has: its unit has all types of kmp.h.
VARIABLE = "__kmp_threads"


def debug_fields(file: str, names: Iterable[str]) -> Dict[str, Tuple[int, int]]:
    """Return offset and size in bytes by "record.field", in bits for a field of bits, of a
    record by its name alone (0, size), of an enumeration's constant its number and 0: of those
    NAMES that the FILE's debug information has."""
    unit = _unit(file)
    found: Dict[str, Tuple[int, int]] = {}
    if unit is None:
        return found
    kinds: Dict[str, Optional[gdb.Type]] = {}
    for name in names:
        record, _, field = name.partition(".")
        if record not in kinds:
            kinds[record] = _type(record, unit)
        place = _place_or_size(kinds[record], field)
        if place is not None:
            found[name] = place
    return found


def _type(name: str, unit: gdb.Block) -> Optional[gdb.Type]:
    try:
        return gdb.lookup_type(name, unit).strip_typedefs()
    except gdb.error:
        return None


def _place_or_size(kind: Optional[gdb.Type], field: str) -> Optional[Tuple[int, int]]:
    if kind is None:
        return None
    if not field:
        return 0, kind.sizeof
    try:
        if kind.code == gdb.TYPE_CODE_ENUM:
            return kind[field].enumval, 0
        return _place(kind, field)
    except LookupError:
        return None


def _place(kind: gdb.Type, name: str) -> Tuple[int, int]:
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
