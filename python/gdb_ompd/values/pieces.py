# SPDX-License-Identifier: Apache-2.0
"""Variables that are in several places, and pointers of which only what they point to is described.

GDB takes 0 for such a pointer, as for a part of a variable that is described by one. It ends itself
where it computes with a part that it has not read before, and where it follows such a part. So each
part of an expression is read alone, and the expression is evaluated with what was read.
"""

from __future__ import annotations

import re
from typing import Iterator, NamedTuple

import gdb

from ..errors import OmpdToolError
from ..host.charset import is_fortran
from ..host.expressions import AGGREGATES, changes, referred, type_code
from ..host.locations import LITERAL, NAME, is_in_pieces

_READ = "_ompd_part_{0}"
_PATH = re.compile(r"(?:\s*(?:\.|->)\s*[A-Za-z_]\w*|\s*\[[^\[\]]*\])*")
_FORTRANS_PATH = re.compile(r"(?:\s*%\s*[A-Za-z_]\w*|\s*\([^()]*\))*")
_FOLLOWED = re.compile(r"(?:^|[^\w)\]\s])\s*\*\s*$")  # by an asterisk that is no product's
_NO_PLACE = "not described: of {0} only what it points to is known"
_NOT_ALL = "not described: parts of {0} were optimized out"
_SYNTHETIC = "synthetic pointer"


class Parts(NamedTuple):
    """An EXPRESSION that has convenience variables instead of the parts that are READ alone, and
    whether it is one part as a whole, which is not."""

    expression: str
    read: dict[str, str]
    is_one: bool = False

    def values(self) -> dict[str, gdb.Value]:
        """Return the parts as they are in the selected frame."""
        return {name: _read(part) for name, part in self.read.items()}


def parts_of(expression: str, frame: gdb.Frame) -> Parts:
    """Find what of an EXPRESSION is to be read alone in FRAME, which is selected."""
    code = LITERAL.sub(lambda literal: " " * len(literal.group()), expression)
    spans = [] if changes(expression) else _spans(code, frame)
    whole = len(spans) == 1 and code[slice(*spans[0])].strip() == code.strip()
    if not spans or (whole and "->" not in code):
        return Parts(expression, {}, whole)
    read: dict[str, str] = {}
    for begin, end in reversed(spans):
        own = _READ.format(len(read))
        read[own] = expression[begin:end].strip()
        expression = f"{expression[:begin]}${own}{expression[end:]}"
    return Parts(expression, read)


def _spans(code: str, frame: gdb.Frame) -> list[tuple[int, int]]:
    """Return where in CODE, which has no literals, the parts are that are to be read alone."""
    path = _FORTRANS_PATH if is_fortran() else _PATH
    in_pieces: dict[str, bool] = {}
    spans: list[tuple[int, int]] = []
    for name in NAME.finditer(code):
        if name.group() not in in_pieces:
            in_pieces[name.group()] = is_in_pieces(name.group(), frame)
        if not in_pieces[name.group()]:
            continue
        begin, end = name.span()
        if spans and begin < spans[-1][1]:  # in an index
            spans[-1] = spans[-1][0], max(code.rfind("[", 0, begin), code.rfind("(", 0, begin))
        further = path.match(code, end)
        end = end if further is None else further.end()
        if end == name.end() and _FOLLOWED.search(code, 0, begin):
            begin = code.rindex("*", 0, begin)
        spans.append((begin, end))
    return spans


def checked(part: str, value: gdb.Value) -> gdb.Value:
    """Return the VALUE of PART; OmpdToolError where GDB would compute with 0 instead of it."""
    if is_without_place(value):
        is_complex = type_code(value) == gdb.TYPE_CODE_COMPLEX
        raise OmpdToolError((_NOT_ALL if is_complex else _NO_PLACE).format(part))
    return value


def check_printed(part: str, value: gdb.Value) -> None:
    """Refuse a VALUE of PART of which GDB, or a pretty-printer, would write 0 for what has no place."""
    if any(_is_printed(each) and is_without_place(each) for each in _with_members(value)):
        raise OmpdToolError(_NOT_ALL.format(part))


def _with_members(value: gdb.Value) -> Iterator[gdb.Value]:
    """Return a value and what it has as members, and as elements."""
    yield value
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        for index in range(low, high + 1):
            yield from _with_members(value[index])
    elif kind.code in AGGREGATES:
        for field in kind.fields():
            if hasattr(field, "bitpos"):
                yield from _with_members(value[field])


def _is_printed(value: gdb.Value) -> bool:
    """Tell whether a value is not written part by part, as one that has a pretty-printer."""
    if type_code(value) == gdb.TYPE_CODE_COMPLEX:
        return True
    return type_code(value) in AGGREGATES and gdb.default_visualizer(value) is not None


def is_without_place(value: gdb.Value) -> bool:
    """Tell whether a value is, or has, a pointer to what has no place: GDB takes 0 for it, as for
    a half of a complex number."""
    if value.is_optimized_out:
        return False
    if type_code(value) == gdb.TYPE_CODE_COMPLEX:
        value = value.cast(value.type.strip_typedefs().target().array(1))
    return _SYNTHETIC in value.format_string(max_elements=0, raw=True)


def is_followed(expression: str, name: str) -> bool:
    """Tell whether an expression follows the pointer NAME wherever it has it."""
    code = LITERAL.sub("", expression)
    return all(
        code.startswith("->", at.end()) or _FOLLOWED.search(code, 0, at.start())
        for at in NAME.finditer(code)
        if at.group() == name
    )


def _read(part: str) -> gdb.Value:
    _check_followed(part)
    value = referred(gdb.parse_and_eval(part))
    value.fetch_lazy()
    return checked(part, value)


def _check_followed(part: str) -> None:
    """Refuse a PART that follows a member to what has no place, of which GDB would end itself."""
    for arrow in list(re.finditer(r"->", part)):
        pointer = part[: arrow.start()]
        if not NAME.fullmatch(pointer.strip()) and is_without_place(gdb.parse_and_eval(pointer)):
            raise OmpdToolError(_NO_PLACE.format(pointer.strip()))
