# SPDX-License-Identifier: Apache-2.0
"""How the user writes a part of a variable: "table[3].lock"."""

from __future__ import annotations

import re
from typing import Optional

import gdb

from .expressions import address_of

# What the user has a word for: the parts of these are the libraries' own.
_WHOLE = re.compile(
    r"^(struct )?(omp_\w+|mtx_t|once_flag|pthread_(mutex|rwlock)_t"
    r"|std::(__\w+::)?((\w+_)?mutex|once_flag|atomic(_flag|_ref<.*>|<.*>)))$"
)
_SUBSCRIPTS = re.compile(r"(?:\[-?\d+(?::\d+)?\])+")
_SUBSCRIPT = re.compile(r"\[(-?\d+)(?::(\d+))?\]")
MAX_PARTS = 10
STD_ARRAY = "_M_elems"  # what libstdc++ keeps the elements of a std::array in


def part_name(name: str, value: gdb.Value, address: int, whole: int) -> Optional[str]:
    """Return how to write the innermost part of a VALUE with a NAME that begins at ADDRESS, or the
    one of WHOLE bytes."""
    for _ in range(MAX_PARTS):
        begin = address_of(value)
        if begin is None:
            return None
        offset = address - begin
        kind = value.type.strip_typedefs()
        if not 0 <= offset < kind.sizeof:
            return None
        if offset == 0 and kind.sizeof == whole:
            return name
        if kind.code == gdb.TYPE_CODE_ARRAY:
            size = kind.target().sizeof
            index = kind.range()[0] + offset // size
            if whole > size and offset % size == 0:
                return f"{name}[{index}:{whole // size}]"
            name, value = f"{name}[{index}]", value[index]
        elif kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            if offset == 0 and is_whole(value.type):
                return name
            field = _field_at(kind, offset)
            if field is None:
                return name if offset == 0 else None
            name, value = member_name(name, field), value[field]
        else:
            return name if offset == 0 else None
    return None


def in_fortran(part: str) -> str:
    """Return a PART of a variable as Fortran writes it: "table(1,3)%lock" for "table[3][1].lock"."""
    return _SUBSCRIPTS.sub(_fortran_subscripts, part).replace(".", "%")


def _fortran_subscripts(found: re.Match[str]) -> str:
    """The last one first, and of a section its last element, where C has how many they are."""
    pieces = [
        first if count is None else f"{first}:{int(first) + int(count) - 1}"
        for first, count in (one.groups() for one in _SUBSCRIPT.finditer(found[0]))
    ]
    return f"({','.join(reversed(pieces))})"


def is_whole(kind: gdb.Type) -> bool:
    """Tell whether the parts of an object of that type have no name of the user's."""
    names = (kind.name, kind.strip_typedefs().name)
    return any(name is not None and _WHOLE.match(name) for name in names)


def member_name(name: str, field: gdb.Field) -> str:
    """Return how to write the member FIELD of what has a NAME."""
    is_unnamed = field.is_base_class or not field.name or field.name == STD_ARRAY
    return name if is_unnamed else f"{name}.{field.name}"


def _field_at(kind: gdb.Type, offset: int) -> Optional[gdb.Field]:
    for field in kind.fields():
        if not hasattr(field, "bitpos") or field.name is None or field.bitsize:
            continue
        start = field.bitpos // 8
        if start <= offset < start + field.type.sizeof:
            return field
    return None
