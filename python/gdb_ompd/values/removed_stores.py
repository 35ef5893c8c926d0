# SPDX-License-Identifier: Apache-2.0
"""Parts of a variable that are in memory as they were before the optimiser removed a store to them.

What is stored to a part, and read in code that knows the value, need not be stored. The variable is
described as being in memory all along. So what the source stores is looked for in the line's code.
"""

from __future__ import annotations

import re
from typing import Iterator, NamedTuple, Optional

import gdb

from .._native import FunctionName, WaitReader
from ..explain.sharing import clauses_of
from ..host.charset import is_fortran, name_of
from ..host.directives import (
    directive_at,
    directives_between,
    is_around,
    is_outlining,
    line_text,
)
from ..host.expressions import AGGREGATES, address_of
from ..host.inlined import end_of_stack
from ..host.line_table import entries_of
from ..host.locations import executed_by, innermost_named, is_in_frame_alone, local_blocks
from ..host.source_text import is_known
from .misdescribed import MOST_LINES, directive_that_copies, line_of_body, optimised_by_gcc

_IN_PARTS = (*AGGREGATES, gdb.TYPE_CODE_STRING)
_NUMBERS = (
    gdb.TYPE_CODE_INT,
    gdb.TYPE_CODE_CHAR,
    gdb.TYPE_CODE_BOOL,
    gdb.TYPE_CODE_FLT,
    gdb.TYPE_CODE_ENUM,
    gdb.TYPE_CODE_PTR,
)
_MOST_PARTS, _LARGEST = 32, 1 << 16
_WITHOUT_VALUE = frozenset(("private", "lastprivate"))  # has a copy of these at first
_CHANGES = r"(?:\+\+|--|(?:<<|>>|[-+*/%&|^])?=(?!=))"
_PATH = r"((?:\s*(?:\.\s*[A-Za-z_]\w*|\[\s*\d+\s*\]))*)\s*"
_FORTRANS_PATH = r"((?:\s*(?:%\s*[A-Za-z_]\w*|\([\s\d:,]*\)))*)\s*"
_BEGINS = r"(?<![\w.>%])"
_DECLARED = r"{0}\s*(?:\[[^\]]*\]\s*)*(?:=|\{{|\()"


class _Part(NamedTuple):
    """A part of a variable that is stored in a LINE, and where it begins in that. The first value
    may be stored by any code before here."""

    line: int
    begin: int
    size: int
    is_first: bool = False


def of_removed_store(name: str, frame: gdb.Frame, code: WaitReader) -> Optional[int]:
    """Return the line that stores to a part of NAME in the source, but not in the code that FRAME
    executes, where nothing further on reads the part. FRAME must be selected."""
    value, at = _in_memory(name, frame), frame.find_sal()
    end = end_of_stack(frame) if value is not None else None
    if value is None or end is None or at.symtab is None or not is_known(at.symtab, at.line):
        return None
    *_, whole = local_blocks(frame)
    address, here = int(value.address), executed_by(frame)
    if not int(frame.read_register("sp")) <= address < end:
        return None
    lines = _code_of_lines(frame)
    parts = []
    for part in _stored(name, value, frame):
        own = lines.get(part.line, [])
        if part.is_first and value.type.strip_typedefs().code in _IN_PARTS:
            own = [(int(whole.start), int(whole.end))]
        if not part.is_first and part.line == at.line and all(here <= start for start, _ in own):
            continue  # it is to be stored
        parts.append((part.line, (address + part.begin - end, part.size, own)))
    if not parts:
        return None
    asked = [part for _, part in parts]
    found = code.at(frame.pc()).part_not_stored(address - end, value.type.sizeof, asked)
    return None if found is None else parts[found][0]


def _own(name: str, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the variable NAME, or of one that is captured the copy."""
    named = innermost_named(name, frame)
    return ([s for s in named if not s.is_argument] or named)[-1] if named else None


def _in_memory(name: str, frame: gdb.Frame) -> Optional[gdb.Value]:
    """Return the array, object or Fortran text NAME of FRAME, if that is in memory, at one place of
    each frame of its function's: the code reaches what has another size each time by a pointer."""
    own = _own(name, frame)
    if own is None or own.type is None or not _may_miss_stores(own):
        return None
    try:
        value = own.value(frame)
        is_small = not own.type.dynamic and value.type.sizeof <= _LARGEST
        return value if is_small and address_of(value) is not None else None
    except gdb.error:
        return None


def _may_miss_stores(own: gdb.Symbol) -> bool:
    """Tell whether OWN has parts, or is a number that GCC's optimised code has in memory all along."""
    code = own.type.strip_typedefs().code
    if code in _IN_PARTS:
        return True
    return code in _NUMBERS and optimised_by_gcc(own.symtab) and is_in_frame_alone(name_of(own))


def _code_of_lines(frame: gdb.Frame) -> dict[int, list[tuple[int, int]]]:
    """Return where the code of each line of FRAME's function begins and ends."""
    *_, whole = local_blocks(frame)
    entries = sorted(entries_of(whole.function), key=lambda entry: int(entry.pc))
    found: dict[int, list[tuple[int, int]]] = {}
    for entry, behind in zip(entries, entries[1:]):
        if whole.start <= entry.pc < whole.end and entry.pc < behind.pc:
            found.setdefault(entry.line, []).append((int(entry.pc), int(behind.pc)))
    return found


def _stored(name: str, value: gdb.Value, frame: gdb.Frame) -> Iterator[_Part]:
    """Yield the parts of the variable NAME that are stored up to the line that FRAME executes."""
    at, own = frame.find_sal(), _own(name, frame)
    if own is None:
        return
    path = _FORTRANS_PATH if is_fortran() else _PATH
    stored = re.compile(f"{_BEGINS}{re.escape(name)}{path}{_CHANGES}", re.IGNORECASE)
    body = line_of_body(frame) if FunctionName(frame.name()).is_outlined else 0
    first = own.line
    if own.line < body:  # a copy
        first = directive_that_copies(name, frame) or body
        clauses = clauses_of(directive_at(at.symtab, first) or "").get(name, ())
        has_value = not _WITHOUT_VALUE.issuperset(clauses)
    else:
        declared = re.compile(_DECLARED.format(re.escape(name)))
        has_value = not is_fortran() and bool(declared.search(line_text(at.symtab, first)))
    if not at.line - MOST_LINES < first <= at.line:
        return
    if has_value:
        yield from (_Part(first, *leaf, is_first=True) for leaf in _leaves(value.type, 0))
    for line in range(first + 1, at.line + 1):
        stores = list(stored.finditer(line_text(at.symtab, line)))
        if stores and not _is_of_another_body(at.symtab, first, line, at.line):
            for found in stores:
                yield from _part(name + found[1], line, value)


def _is_of_another_body(file: gdb.Symtab, first: int, line: int, at: int) -> bool:
    """Tell whether a LINE behind the FIRST is in a construct that AT is not in, and that has a function
    of its own, with a copy or the address of what it stores to."""
    return any(
        is_outlining(directive_at(file, each) or "")
        and is_around(file, each, line)
        and not is_around(file, each, at)
        for each in directives_between(file, first, line)
    )


def _part(text: str, line: int, value: gdb.Value) -> Iterator[_Part]:
    try:
        part = gdb.parse_and_eval(text)
        begin = int(part.address) - int(value.address)
    except (gdb.error, TypeError):
        return
    if 0 <= begin <= begin + part.type.sizeof <= value.type.sizeof:
        yield from (_Part(line, *leaf) for leaf in _leaves(part.type, begin))


def _leaves(kind: gdb.Type, begin: int) -> Iterator[tuple[int, int]]:
    """Yield where the numbers of a type are, and their sizes, from where it begins; nothing of what
    has many, or shares bytes."""
    kind = kind.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        element = kind.target()
        for index in range(high + 1 - low if high - low < _MOST_PARTS else 0):
            yield from _leaves(element, begin + index * element.sizeof)
    elif kind.code == gdb.TYPE_CODE_STRUCT:
        for field in kind.fields():
            if getattr(field, "bitpos", None) is not None and not field.bitsize:
                yield from _leaves(field.type, begin + field.bitpos // 8)
    elif kind.code != gdb.TYPE_CODE_UNION:
        yield begin, kind.sizeof
