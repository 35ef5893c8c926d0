# SPDX-License-Identifier: Apache-2.0
"""How the user writes an object that his variables lead to by pointers: "*lock",
"queue->slots[3].full", "flags[2]" of a std::vector."""

from __future__ import annotations

import re
import sys
from itertools import chain, islice
from typing import Iterable, Iterator, NamedTuple, Optional

import gdb

from .object_parts import is_whole, member_name, part_name
from .target import reader

ALIGNED, WORD, HEADER = 16, 8, 16  # as malloc gives memory
IN_USE, MAPPED, FLAGS = 1, 2, 7  # of the size that malloc keeps in front of a block
MAX_ROOM = 1 << 30
MAX_VARIABLES = 1000
MAX_LEVELS = 3  # of pointers behind each other
MAX_POINTERS = 128  # of a kind and level: each costs a remote target some reads
MAX_ELEMENTS = 64  # of an array of pointers
POINTED = "<what it points to>"
_VECTOR = re.compile(r"^std::(__\w+::)?vector<")
_ARRAY = re.compile(r"^std::(__\w+::)?array<")
_OWNER = re.compile(r"^std::(__\w+::)?(unique|shared)_ptr<")
_FAILS = (gdb.error, RuntimeError, TypeError)


class _Pointer(NamedTuple):
    """A pointer, and how many objects a vector holds there; None of one that is no vector's."""

    name: str
    value: gdb.Value
    held: Optional[int] = None


def pointed_name(
    address: int, variables: Iterable[tuple[str, gdb.Value]], size: int
) -> Optional[str]:
    """Return how to write the object at ADDRESS, or the one of SIZE bytes, by as few pointers from
    one of the VARIABLES as lead there; None where none of those that are followed do."""
    seen = list(islice(variables, MAX_VARIABLES))
    level = [_Pointer(name, value) for name, value in seen if _is_pointer(value)]
    inside = (_pointers(name, value) for name, value in seen if not _is_pointer(value))
    level = [*level[:MAX_POINTERS], *islice(chain.from_iterable(inside), MAX_POINTERS)]
    met: set[tuple[int, str]] = set()
    for _ in range(MAX_LEVELS):
        reached: list[_Pointer] = []
        for pointer in level:
            try:
                at = int(pointer.value), str(pointer.value.type)
                found = None if at in met else _behind(pointer, address, size)
            except _FAILS:
                continue  # optimized out, or not in memory
            if found is not None:
                return found
            if at not in met:
                met.add(at)
                reached.append(pointer)
        level = list(islice(chain.from_iterable(map(_beyond, reached)), MAX_POINTERS))
    return None


def _is_pointer(value: gdb.Value) -> bool:
    return bool(value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR)


def _behind(pointer: _Pointer, address: int, size: int) -> Optional[str]:
    """Return how to write the object at ADDRESS as one of those that a POINTER leads to."""
    name, value, _ = pointer
    kind = value.type.strip_typedefs().target().strip_typedefs()
    begin = int(value)
    if not begin or not kind.sizeof or kind.code in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC):
        return None
    if begin == address and size > kind.sizeof:
        return f"{name}[0:{size // kind.sizeof}]"
    index = (address - begin) // kind.sizeof
    if index and not 0 <= index < _number(pointer):
        return None
    part = part_name(POINTED, value[index], address, size)
    return None if part is None else _inside(pointer, index, part)


def _inside(pointer: _Pointer, index: int, part: str) -> str:
    """Return how to write the PART of the object with that INDEX behind a pointer."""
    name = pointer.name
    if index or pointer.held is not None:
        return part.replace(POINTED, f"{name}[{index}]")
    if part.startswith(f"{POINTED}."):
        return part.replace(f"{POINTED}.", f"{name}->")
    return f"*{name}" if part == POINTED else part.replace(POINTED, f"(*{name})")


def _beyond(pointer: _Pointer) -> Iterator[_Pointer]:
    """Yield the pointers that a POINTER leads to."""
    try:
        target = pointer.value.type.strip_typedefs().target().strip_typedefs()
        if target.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_PTR):
            return
        for index in range(min(_number(pointer), MAX_ELEMENTS)):
            for each in _pointers(POINTED, pointer.value[index]):
                is_itself = each.name == POINTED  # an array of pointers
                name = (
                    f"{pointer.name}[{index}]" if is_itself else _inside(pointer, index, each.name)
                )
                yield each._replace(name=name)
    except _FAILS:
        return


def _pointers(name: str, value: gdb.Value) -> Iterator[_Pointer]:
    """Yield the pointers that are in a VALUE with a NAME."""
    kind = value.type.strip_typedefs()
    try:
        if _is_pointer(value):
            yield _Pointer(name, value)
        elif kind.code == gdb.TYPE_CODE_ARRAY and _may_hold(kind.target()):
            first, last = kind.range()
            for index in range(first, min(last, first + MAX_ELEMENTS - 1) + 1):
                yield from _pointers(f"{name}[{index}]", value[index])
        elif kind.code == gdb.TYPE_CODE_STRUCT and not is_whole(value.type):
            yield from _of_structure(name, value, kind)
    except _FAILS:
        return


def _may_hold(kind: gdb.Type) -> bool:
    """Tell whether an object of that type may have pointers: of large tables few do."""
    holders = gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_ARRAY
    return kind.strip_typedefs().code in holders


def _of_structure(name: str, value: gdb.Value, kind: gdb.Type) -> Iterator[_Pointer]:
    called = kind.name or ""
    if _VECTOR.match(called):
        begin, end = (value["_M_impl"][each] for each in ("_M_start", "_M_finish"))
        if _is_pointer(begin):  # not of a vector<bool>
            yield _Pointer(name, begin, int(end - begin))
    elif _OWNER.match(called):
        yield from islice((_Pointer(name, each) for each in _owned(value, kind)), 1)
    elif not called.startswith("std::") or _ARRAY.match(called):
        for field in _members(kind):
            yield from _pointers(member_name(name, field), value[field])


def _owned(value: gdb.Value, kind: gdb.Type) -> Iterator[gdb.Value]:
    """Yield the pointers in what the library makes an owner of, a VALUE of that KIND."""
    if kind.code == gdb.TYPE_CODE_PTR:
        yield value
    elif kind.code == gdb.TYPE_CODE_STRUCT:
        for field in _members(kind):
            yield from _owned(value[field], field.type.strip_typedefs())


def _members(kind: gdb.Type) -> Iterator[gdb.Field]:
    """Yield the members of a structure, none of a class's own variables."""
    return (each for each in kind.fields() if hasattr(each, "bitpos") and each.name is not None)


def _number(pointer: _Pointer) -> int:
    """Return how many objects a pointer leads to, as a vector has them, "new" has counted them or
    malloc has made room for; 1 where nothing tells."""
    if pointer.held is not None:
        return pointer.held
    size: int = pointer.value.type.strip_typedefs().target().sizeof
    begin = int(pointer.value)
    if begin % ALIGNED == WORD:  # where each of them is destroyed their number is in front
        number = _word(begin - WORD)
        return number if 0 < number * size <= _room(begin - WORD) - WORD else 1
    return max(1, _room(begin) // size) if size else 0


def _room(begin: int) -> int:
    """Return how many bytes glibc's malloc has given at BEGIN; 0 where it has given none there. It
    keeps their number in front of them, and behind them whether they are in use."""
    if not begin or begin % ALIGNED:
        return 0
    kept = _word(begin - WORD)
    size = kept & ~FLAGS
    if kept & MAPPED:
        return size - HEADER if begin % 4096 == HEADER and 0 < size < MAX_ROOM else 0
    is_one = HEADER < size < MAX_ROOM and bool(_word(begin - WORD + size) & IN_USE)
    return size - WORD if is_one else 0


def _word(address: int) -> int:
    word: bytes = bytes(reader()(address, WORD))
    return int.from_bytes(word, sys.byteorder)
