# SPDX-License-Identifier: Apache-2.0
"""What differs between the values of an array or a struct that several threads have."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional, Sequence, Union

import gdb

from ..host.charset import is_fortran
from ..host.expressions import Format, goes_back, is_aggregate, number_of, referred, type_text
from ..model.values import Part, ThreadValue

_INDEX, _INDICES = re.compile(r"-?\d+"), re.compile(r"(?:\[-?\d+\])+")
MOST_TEXTS = 20_000  # are written for one expression: 200 members of a hundred threads


class AnsweredValue(NamedTuple):
    """What a thread answers: ROW is what is shown of VALUE, which is None where there is
    none."""

    row: ThreadValue
    value: Optional[gdb.Value] = None
    memory: Optional[bytes] = None  # of an array or a struct


def told_apart(
    asked: list[AnsweredValue], shown: Format
) -> tuple[Optional[tuple[Part, ...]], bool]:
    """Write the texts of arrays and structs into the rows of ASKED; return what differs between
    them, None where that cannot be told, and whether that is all."""
    whole = [n for n, each in enumerate(asked) if each.row.text is None and not each.row.error]
    if not whole:
        return None, True
    first: dict[object, int] = {}  # the thread that has these bytes
    same_as: dict[int, int] = {}
    for number in whole:
        each = asked[number]
        kind = type_text(each.value.type) if each.value is not None else ""
        key = (kind, each.memory) if each.memory is not None else number
        same_as[number] = first.setdefault(key, number)
    texts = {n: _text(referred(asked[n].value), shown) for n in set(same_as.values())}
    for number in whole:
        row, text = asked[number].row, texts[same_as[number]]
        asked[number] = asked[number]._replace(row=row._replace(text=text))
    return _compared(asked, whole, same_as, shown)


def _compared(
    asked: Sequence[AnsweredValue], whole: Sequence[int], same_as: dict[int, int], shown: Format
) -> tuple[Optional[tuple[Part, ...]], bool]:
    distinct = sorted(set(same_as.values()))
    values = [referred(asked[n].value) for n in distinct]
    if len({type_text(value.type) for value in values}) > 1:
        return None, True  # of several types, which only their texts can tell apart
    comparison = ValueComparison(shown, _most_parts())
    comparison.compare("", values, [asked[n].memory for n in distinct])
    if any(not leaf.path for leaf in comparison.leaves):
        return None, True  # texts, which differ as a whole
    at = {number: index for index, number in enumerate(distinct)}
    parts = []
    in_fortran = is_fortran()
    for leaf in comparison.leaves:
        rows = []
        for number in whole:
            row, index = asked[number].row, at[same_as[number]]
            rows.append(
                row._replace(text=leaf.texts[index], number=leaf.numbers[index], address=None)
            )
        path = _in_fortran(leaf.path) if in_fortran else leaf.path
        parts.append(Part(path.lstrip(".%"), tuple(rows)))
    return tuple(parts), comparison.is_complete


def _in_fortran(path: str) -> str:
    """Return the PATH of a member as Fortran writes it: the first index is the one that GDB has
    last."""
    path = _INDICES.sub(lambda found: f"({','.join(_INDEX.findall(found.group())[::-1])})", path)
    return path.replace(".", "%")


def _most_parts() -> int:
    """Return how many members that differ are told: as many as GDB prints of an array."""
    limit = gdb.parameter("print elements")
    return int(limit) if limit else 10_000


def _text(value: gdb.Value, shown: Format) -> str:
    try:
        return shown.text(value)
    except gdb.error as error:
        return f"<{error}>"


class Leaf(NamedTuple):
    """A member that differs: its text, and its number if it is one, in each value."""

    path: str
    texts: tuple[str, ...]
    numbers: tuple[Union[int, float, None], ...]


class ValueComparison:
    """Compares values of one type, each with its memory, None of one that is in none."""

    def __init__(self, shown: Format, most_leaves: int) -> None:
        self._shown = shown
        self._raw = "r" in shown.letters
        self._most = most_leaves
        self._texts_left = MOST_TEXTS
        self.leaves: list[Leaf] = []
        self.is_complete = True
        self._bases: set[tuple[Optional[str], Optional[int]]] = set()

    def compare(
        self, path: str, values: Sequence[gdb.Value], memory: Sequence[Optional[bytes]]
    ) -> None:
        """Add what differs at PATH. Values that fill the same memory are the same."""
        if None not in memory and len(set(memory)) == 1:
            return
        first = values[0]
        if len(self.leaves) >= self._most or self._texts_left < 0:
            self.is_complete = False
        elif not is_aggregate(first, self._raw) or _is_text(first.type) or goes_back(first):
            self._compare_texts(path, values, memory)
        elif first.type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY:
            self._compare_elements(path, values, memory)
        else:
            self._compare_fields(path, values, memory)

    def _compare_texts(
        self, path: str, values: Sequence[gdb.Value], memory: Sequence[Optional[bytes]]
    ) -> None:
        known: dict[bytes, str] = {}
        texts = []
        for value, own in zip(values, memory):
            text = known.get(own) if own is not None else None
            if text is None:
                text = self._text(value)
                if own is not None:
                    known[own] = text
            texts.append(text)
        if len(set(texts)) > 1:
            numbers = tuple(map(number_of, values))
            self.leaves.append(Leaf(path, tuple(texts), numbers))
        elif goes_back(values[0]):  # GDB takes its elements from other memory once it is read
            self.is_complete = self.is_complete and "..." not in texts[0]
        elif values[0].type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY:
            self._compare_elements(path, values, memory)  # beyond what the text shows

    def _text(self, value: gdb.Value) -> str:
        self._texts_left -= 1
        return _text(value, self._shown)

    def _compare_elements(
        self, path: str, values: Sequence[gdb.Value], memory: Sequence[Optional[bytes]]
    ) -> None:
        kind = values[0].type.strip_typedefs()
        low, high = kind.range()
        ranges = {value.type.strip_typedefs().range() for value in values}
        if len(ranges) > 1:  # arrays whose size only runs tell
            texts = tuple(self._text(value) for value in values)
            self.leaves.append(Leaf(path, texts, (None,) * len(values)))
            return
        size = kind.target().sizeof
        known = None not in memory
        left = [(low, high + 1)]
        while left:
            first, end = left.pop()
            if first >= end:
                continue
            parts: Sequence[Optional[bytes]] = [None] * len(values)
            if known:
                begin, stop = (first - low) * size, (end - low) * size
                parts = [own[begin:stop] for own in memory if own is not None]
                if len(set(parts)) == 1:
                    continue
            if end - first > 1:
                middle = (first + end) // 2
                left += [(middle, end), (first, middle)]
                continue
            if len(self.leaves) >= self._most or self._texts_left < 0:
                self.is_complete = False
                return
            self.compare(f"{path}[{first}]", [value[first] for value in values], parts)

    def _compare_fields(
        self, path: str, values: Sequence[gdb.Value], memory: Sequence[Optional[bytes]]
    ) -> None:
        for field in values[0].type.strip_typedefs().fields():
            offset = _offset(field)
            if offset is None:
                continue  # a static member, the same in all
            parts: Sequence[Optional[bytes]] = [None] * len(values)
            if offset >= 0 and None not in memory:
                end = offset + field.type.sizeof
                parts = [own[offset:end] for own in memory if own is not None]
            name = "" if field.is_base_class or not field.name else f".{field.name}"
            try:
                members = [value[field] for value in values]
            except gdb.error:
                # What tells where a virtual base is may be overwritten, or not set yet.
                self._compare_texts(path, values, [None] * len(values))
                return
            if field.is_base_class and self._is_compared(members[0]):
                continue
            if any(_is_elsewhere(own, value, offset) for own, value in zip(members, values)):
                parts = [None] * len(values)
            self.compare(path + name, members, parts)

    def _is_compared(self, base: gdb.Value) -> bool:
        """Tell whether this is a virtual base that another class has had, too."""
        key = base.type.name, int(base.address) if base.address is not None else None
        is_again = None not in key and key in self._bases
        self._bases.add(key)
        return is_again


def _offset(field: gdb.Field) -> Optional[int]:
    """Return where a member is in its struct, -1 where that is not whole bytes or known only
    when the program runs, None for one that is not in it."""
    try:
        bits = field.bitpos
    except AttributeError:
        return None
    if field.bitsize or field.is_base_class or not isinstance(bits, int) or bits % 8:
        return -1
    return bits // 8


def _is_elsewhere(member: gdb.Value, value: gdb.Value, offset: int) -> bool:
    """Tell whether an array that is a member is not in its struct's memory, where an allocatable
    one of Fortran's has only what describes it."""
    if member.type.strip_typedefs().code != gdb.TYPE_CODE_ARRAY:
        return False
    places = member.address, value.address
    return None in places or int(places[0]) != int(places[1]) + offset


def _is_text(kind: gdb.Type) -> bool:
    """Tell whether a type is an array of characters, which is written as a string."""
    kind = kind.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_ARRAY:
        return False
    element = kind.target().strip_typedefs()
    is_byte = element.code == gdb.TYPE_CODE_INT and element.sizeof == 1
    return is_byte or bool(element.code == gdb.TYPE_CODE_CHAR)
