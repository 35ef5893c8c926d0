# SPDX-License-Identifier: Apache-2.0
"""The members of C++ classes, by their names."""

from __future__ import annotations

from typing import Optional, Union

import gdb


def static_member(name: str, block: gdb.Block) -> Optional[gdb.Symbol]:
    """Return the static variable that NAME is in the class of the method that BLOCK is of."""
    field = members_of_this(gdb.lookup_symbol("this", block)[0]).get(name)
    if field is None or hasattr(field, "bitpos"):
        return None
    return gdb.lookup_global_symbol(f"{field.parent_type.name}::{name}")


def members_of_this(this: Union[gdb.Symbol, gdb.Field, None]) -> dict[str, gdb.Field]:
    """Return the members of the class that a method's pointer THIS is to."""
    kind = this.type.strip_typedefs() if this is not None and this.type is not None else None
    return members_of(kind.target()) if kind is not None and kind.code == gdb.TYPE_CODE_PTR else {}


def members_of(kind: gdb.Type) -> dict[str, gdb.Field]:
    """Return the members of a class and of those that it is derived from, by their names."""
    found: dict[str, gdb.Field] = {}
    kind = kind.strip_typedefs()
    for field in kind.fields() if kind.code == gdb.TYPE_CODE_STRUCT else ():
        found.update(members_of(field.type) if field.is_base_class else {field.name or "": field})
    return found
