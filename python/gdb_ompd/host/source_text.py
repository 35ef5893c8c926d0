# SPDX-License-Identifier: Apache-2.0
"""The text of a source file, as far as it is the one that the program was compiled from.

A file that is older than the program is taken for that, unless most functions are elsewhere in it.
Of a newer one, such as a checkout's, the part is taken in which the names around a line are where
debug information has them. What is decided by the text has to do without it where there is none.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from typing import Iterator, NamedTuple, Optional, Sequence

import gdb

from .._native import FunctionName
from .charset import name_of
from .line_table import line_entries
from .locations import blocks_in_function
from .selection import decode_line

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*$")
_MADE_UP = re.compile(r"\blambda\b|operator|\$_|\(anonymous")
# What gfortran makes of its own: the C main of a program, and what types need.
_MAIN = "main"
_FORTRANS_FILE = re.compile(r"\.f(?:or|pp|tn|\d\d)?$", re.IGNORECASE)
_OF_FORTRAN = re.compile(r"(?:^|::)(?:MAIN__$|__(?:copy|deallocate|final)_)")
MOST_BYTES = 1 << 26


class _Name(NamedTuple):
    """A name that debug information has in a line; IS_THERE tells whether the text has it."""

    line: int
    is_there: bool


class _Text(NamedTuple):
    """What was read of a file; SEEN are the names to be looked for around a line, and none where
    the file is older than the program."""

    stamp: tuple[int, int]
    lines: Sequence[str] = ()
    is_newer: bool = False
    seen: Sequence[_Name] = ()


_texts: dict[tuple[str, str], _Text] = {}


def line_of(symtab: gdb.Symtab, line: int) -> str:
    """Return a line of a file, with its end; "" where it is not known."""
    text = _text(symtab)
    return text.lines[line - 1] if 0 < line <= len(text.lines) and _fits(text, line) else ""


def lines_between(symtab: gdb.Symtab, first: int, last: int) -> Sequence[str]:
    """Return the lines FIRST to LAST, those that the file has; none where they are not known."""
    text = _text(symtab)
    is_known = _fits(text, first) and _fits(text, last)
    return text.lines[max(first - 1, 0) : last] if is_known else ()


def is_known(symtab: gdb.Symtab, line: int) -> bool:
    """Tell whether the text around a LINE is that which was compiled."""
    text = _text(symtab)
    return line <= len(text.lines) and _fits(text, line)


def is_in_fortran(symtab: gdb.Symtab) -> bool:
    """Tell whether a file is one of Fortran's, by its name."""
    return _FORTRANS_FILE.search(symtab.filename) is not None


def is_newer(symtab: gdb.Symtab) -> bool:
    """Tell whether the file is there and newer than the program."""
    return _text(symtab).is_newer


def _fits(text: _Text, line: int) -> bool:
    """Tell whether the names next to a LINE, before it and behind it, are there."""
    at = bisect_right(text.seen, (line, True))
    return all(name.is_there for name in text.seen[max(at - 1, 0) : at + 1])


def _text(symtab: gdb.Symtab) -> _Text:
    file, program = symtab.fullname(), symtab.objfile.filename or ""
    try:
        stamp = os.stat(file).st_mtime_ns, os.stat(program).st_mtime_ns
    except OSError:
        return _Text((0, 0))
    known = _texts.get((program, file))
    if known is None or known.stamp != stamp:
        known = _texts[program, file] = _read(symtab, file, stamp)
    return known


def _read(symtab: gdb.Symtab, file: str, stamp: tuple[int, int]) -> _Text:
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            lines = opened.read(MOST_BYTES).splitlines(keepends=True)
    except OSError:
        return _Text(stamp)
    if stamp[0] > stamp[1]:
        names = {*_functions(symtab), *_locals(symtab)}
        return _Text(stamp, lines, True, sorted(_Name(n, _is_in(lines, n, s)) for n, s in names))
    found = [_is_in(lines, line, name) for line, name in set(_functions(symtab))]
    return _Text(stamp, lines if 2 * sum(found) >= len(found) else ())


def _is_in(lines: Sequence[str], line: int, name: str) -> bool:
    text = lines[line - 1] if line <= len(lines) else ""
    return re.search(rf"\b{name}\b", text, re.IGNORECASE) is not None


def _functions(symtab: gdb.Symtab) -> Iterator[tuple[int, str]]:
    """Yield the lines and names of the functions that the file declares."""
    for block in (symtab.global_block(), symtab.static_block()):
        own = (s for s in block if s.is_function and not _is_compilers(s))
        yield from _declared(symtab, own)


def _locals(symtab: gdb.Symtab) -> Iterator[tuple[int, str]]:
    """Yield those of the variables of all functions that have code in the file."""
    seen: set[tuple[int, int]] = set()
    for entry in line_entries(symtab):
        block = gdb.block_for_pc(entry.pc)
        function = next((b.function for b in blocks_in_function(block) if b.function), None)
        if function is not None and _is_compilers(function):
            continue
        while block is not None and not block.is_static and (block.start, block.end) not in seen:
            seen.add((block.start, block.end))
            yield from _declared(symtab, (s for s in block if s.is_variable or s.is_argument))
            block = block.superblock


def is_gfortrans_main(function: gdb.Symbol) -> bool:
    """Tell whether a function is the C main that gfortran makes of a program, and no procedure."""
    is_main = name_of(function) == function.linkage_name == _MAIN
    return is_main and is_in_fortran(function.symtab)


def _is_compilers(function: gdb.Symbol) -> bool:
    """Tell whether the compiler has made a function that the source does not have."""
    return _OF_FORTRAN.search(name_of(function)) is not None or is_gfortrans_main(function)


def _declared(symtab: gdb.Symtab, symbols: Iterator[gdb.Symbol]) -> Iterator[tuple[int, str]]:
    """Yield the lines and names of what is declared in the file, as its text has them."""
    for symbol in symbols:
        name = name_of(symbol)
        if (
            not symbol.line
            or symbol.symtab.filename != symtab.filename
            or FunctionName(name).is_outlined
        ):
            continue
        plain = _IDENTIFIER.search(
            FunctionName(FunctionName(name).without_parameters).without_template_arguments
        )
        if plain is not None and not _MADE_UP.search(name):
            yield symbol.line, plain.group()


def full_name(file: str, line: int) -> Optional[str]:
    """Return the file that debug information means by a name, with its folders; None where it does
    not know it, or means several by it."""
    try:
        found = decode_line(f'"{file}":{line}')
    except gdb.error:
        return None
    names = {str(place.symtab.fullname()) for place in found if place.symtab is not None}
    return names.pop() if len(names) == 1 else None
