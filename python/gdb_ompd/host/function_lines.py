# SPDX-License-Identifier: Apache-2.0
"""Which lines of a source file each of its functions has. They tell the user's function that a
construct is written in, of which the compiler made a function of its own."""

from __future__ import annotations

import re
from typing import Iterable, Iterator, Optional

import gdb

from .._native import FunctionName
from .charset import name_of
from .inlined import functions_around
from .line_table import line_entries
from .linker_symbols import symbol_at
from .source_text import is_gfortrans_main

_FORTRAN = re.compile(r"_MOD_|^MAIN__$|_$|\.\d+$")


class LineSpan:
    """The lines of a file that a function's code comes from."""

    def __init__(self, name: str, first: int, last: int) -> None:
        self.name = name
        self.first = first
        self.last = last
        self.lines: set[int] = set()  # that have code of it


def functions_of(symtab: gdb.Symtab) -> list[LineSpan]:
    """Return the user's functions of a file, each as far as its constructs reach.

    Functions that were inlined everywhere are found where they went. The lines
    of a construct's body belong to the function that the construct is in.
    """
    spans = _code_spans(symtab)
    bodies = sorted((s for s in spans if FunctionName(s.name).is_outlined), key=lambda s: s.first)
    functions = [s for s in spans if FunctionName(s.name).made_in is None]
    functions += _only_for_devices(spans, functions)
    for body in bodies:
        around = [f for f in functions if f.first <= body.first <= f.last]
        # Of a function that goes on for ever the last code can be the construct's own line.
        before = (f for f in functions if f.last < body.first)
        nearest = max(before, key=lambda function: function.last, default=None)
        for function in around or ([nearest] if nearest is not None else []):
            function.last = max(function.last, body.last)
    return functions


def _only_for_devices(spans: list[LineSpan], functions: list[LineSpan]) -> list[LineSpan]:
    """Return the target regions outside of FUNCTIONS, by the names of the functions that they are
    written in: an image for a device lacks those."""
    found = []
    for span in spans:
        is_region = not FunctionName(span.name).is_outlined and FunctionName(span.name).made_in
        name = user_name(span.name) if is_region else None
        if name and not any(each.first <= span.first <= each.last for each in functions):
            found.append(LineSpan(name, span.first, span.last))
    return found


def _code_spans(symtab: gdb.Symtab) -> list[LineSpan]:
    """Return from which to which line each function of the file has code.

    A function with code of its own begins where it is declared; what it has of lines before is
    of functions that were inlined. Of one that was inlined GDB gives the caller's line: it begins
    with its first code.
    """
    declared: dict[str, list[int]] = {}
    for block in (symtab.global_block(), symtab.static_block()):
        for symbol in block:
            if symbol.is_function:
                declared.setdefault(name_of(symbol), []).append(symbol.line)
    found: dict[tuple[str, int, int], LineSpan] = {}
    file = symtab.fullname()
    for entry in line_entries(symtab):
        for start, owner in _owners_in(file, entry.pc) if entry.line else ():
            # Lambdas of one file may have one name.
            begins = declared.get(owner, [0])
            if min(begins) > entry.line:
                continue
            first = max(line for line in begins if line <= entry.line)
            name = FunctionName(owner).without_parameters
            key = name, first, 0 if first else start
            span = found.setdefault(key, LineSpan(name, first or entry.line, entry.line))
            span.first, span.last = min(span.first, entry.line), max(span.last, entry.line)
            span.lines.add(entry.line)
    spans = _joined(found.values())
    _part([span for span in spans if FunctionName(span.name).made_in is None])
    return spans


def _owners_in(file: str, pc: int) -> Iterator[tuple[int, str]]:
    """Yield where each function of FILE begins whose code is at PC, and its name. Where there are
    only lines, and nothing is inlined into a function, its name is the linker's."""
    is_described = False
    for start, function in owners(pc):
        is_described = True
        if function.symtab.fullname() != file:
            return
        if not is_gfortrans_main(function):
            yield start, name_of(function)
    symbol = None if is_described else symbol_at(pc)
    if symbol is not None:
        yield pc - symbol.offset, symbol.name


def _joined(spans: Iterable[LineSpan]) -> list[LineSpan]:
    """Join what was inlined in several places: spans of one name that overlap."""
    joined: list[LineSpan] = []
    last: dict[str, LineSpan] = {}
    for span in sorted(spans, key=lambda span: span.first):
        before = last.get(span.name)
        if before is not None and span.first <= before.last:
            before.last = max(before.last, span.last)
            before.lines |= span.lines
        else:
            joined.append(span)
            last[span.name] = span
    return joined


def _part(functions: list[LineSpan]) -> None:
    """Part the functions that overlap: one can be in another, but not in part. The compiler may
    leave an instruction of an inlined function to the one that it went to: the one with fewer
    lines in common gives way."""
    around: list[LineSpan] = []
    for span in sorted(functions, key=lambda span: span.first):
        around = [each for each in around if each.last >= span.first]
        for each in around:
            overlaps_in_part = each.first < span.first and each.last < span.last
            if not overlaps_in_part or _are_instances(each.name, span.name):
                continue
            strays = {line for line in each.lines if line >= span.first}
            others = {line for line in span.lines if line <= each.last}
            if len(strays) < len(others):
                each.last = max(each.lines - strays, default=each.first)
            elif len(others) < len(strays):
                span.first = min(span.lines - others)
        around.append(span)


def _are_instances(name: str, other: str) -> bool:
    """Tell whether these are functions of one template: they have the same lines."""
    return (
        FunctionName(name).without_template_arguments
        == FunctionName(other).without_template_arguments
    )


def owners(pc: int) -> Iterator[tuple[int, gdb.Symbol]]:
    """Yield the function whose code is at PC, with its block's begin; of an outlined
    body that was inlined into its outlined wrapper, the wrapper too."""
    for block in functions_around(gdb.block_for_pc(pc)):
        if _is_strays(pc, block):
            continue
        yield block.start, block.function
        if not FunctionName(name_of(block.function)).is_outlined:
            return


def _is_strays(pc: int, block: gdb.Block) -> bool:
    """Tell whether the code at PC, with which BLOCK begins, is in a line of the function that it is
    inlined into. That is the line of its call, where its own code is of another file. GDB says that
    the inlined function is of the caller's."""
    if pc != block.start or block.superblock.is_static:
        return False
    first, last = map(gdb.current_progspace().find_pc_line, (pc, block.end - 1))
    if first.symtab is None or last.symtab is None:
        return False
    return bool(first.symtab.filename != last.symtab.filename)


def user_name(name: Optional[str]) -> Optional[str]:
    """Return the user's function that an outlined name still tells.

    Not of Fortran: there the name before the suffix is the linker's.
    """
    function = FunctionName(name).made_in
    if function is None:
        return name
    if function.startswith("_Z"):
        own = FunctionName(function).demangled
        return (
            FunctionName(FunctionName(own).without_parameters).without_type
            if own != function
            else None
        )
    return (
        None if not function or _FORTRAN.search(function) else FunctionName(function).without_type
    )
