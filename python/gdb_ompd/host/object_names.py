# SPDX-License-Identifier: Apache-2.0
"""What the user calls the object at an address: a variable, a part of it, a critical."""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import Iterator, Optional

import gdb

from .._native import FunctionName
from .charset import name_of
from .linker_symbols import symbol_at
from .locations import REFERENCES, local_blocks, local_symbols
from .object_parts import in_fortran, part_name
from .pointed_objects import pointed_name
from .selection import frames_from, setting
from .source import is_system_header
from .source_text import is_in_fortran

# clang: .gomp_critical_user_gate.var (its reductions: .gomp_critical_user_.reduction.var)
# GCC: .gomp_critical_user_gate
CRITICAL = re.compile(r"^\.gomp_critical_user_(?P<name>.*?)(\.var)?$")
# gfortran's symbol of a variable in a module.
_OF_MODULE = re.compile(r"^__(\w+?)_MOD_(\w+)$")
# A part of a variable, or one of several of a name: "_ZL4flag.0", "count.llvm.12", "lock.lto_priv.0".
_NUMBERED = re.compile(r"^(\w+?)((\.llvm|\.lto_priv)?\.\d+)+$")
RESERVED = "__"  # begins names of the compiler's or a library's, as of <stdatomic.h>'s macros
MAX_FRAMES = 12


def critical_name(address: int) -> Optional[str]:
    """Return the name of the critical whose word is at ADDRESS, "" for the unnamed."""
    # GDB takes a name that begins with a dot for a mangled one of Ada's.
    found = symbol_at(address, demangled=False)
    match = CRITICAL.match(found.name) if found is not None and found.offset == 0 else None
    return match["name"] if match else None


def variable_name(address: int, frame: Optional[gdb.Frame], size: int = 0) -> Optional[str]:
    """Return what a variable that FRAME or one of its callers sees is called, or a
    global one: "lock", "locks[3]"; the name of a reference only for what has no other, and
    "*lock" only for what has no name but a pointer to it. With a SIZE what is so many bytes:
    "pair" and not its first member, "table[10:20]" for 20 elements."""
    symbol = symbol_at(address)
    declared = None if symbol is None else _declared(symbol.name, address, size)
    if declared is not None:
        return declared  # what frames see of it are references and pointers
    frames = [each for each in islice(frames_from(frame), MAX_FRAMES) if not _is_library(each)]
    reference: Optional[str] = None
    for older in frames:
        own, referred = _in_frame(address, older, size)
        if own is not None:
            return own
        # The outermost reference has the name that is nearest to the object's own.
        reference = referred or reference
    linkers = _readable(symbol.name) if symbol is not None and symbol.offset == 0 else None
    if linkers or reference:
        return linkers or reference
    variables = chain.from_iterable(map(_variables, frames))
    seen = ((name, value) for name, value, _ in variables if not name.startswith(RESERVED))
    return pointed_name(address, chain(seen, _of_file(frame)), size)


def _is_library(frame: gdb.Frame) -> bool:
    """Tell whether a frame is of a system's header: what that calls an object is no name of the
    user's."""
    try:
        symtab = frame.find_sal().symtab
    except gdb.error:
        return False
    return symtab is not None and is_system_header(symtab.filename)


def _in_frame(address: int, frame: gdb.Frame, size: int) -> tuple[Optional[str], Optional[str]]:
    """Return what the variables that a frame sees call the object at ADDRESS: its own name, and
    that of a reference to it."""
    reference: Optional[str] = None
    for name, value, is_reference in _variables(frame):
        try:
            part = part_name(name, value, address, size)
        except (gdb.error, RuntimeError, TypeError):
            continue  # not in memory
        part = _written(part, frame.find_sal().symtab)
        if part is not None and not is_reference:
            return part, None
        reference = reference or part
    return None, reference


def _variables(frame: gdb.Frame) -> Iterator[tuple[str, gdb.Value, bool]]:
    """Yield the variables that a frame sees: name, value, and whether it may be another's object."""
    for symbol in local_symbols(frame):
        if not (symbol.is_variable or symbol.is_argument):
            continue
        try:
            value, name = symbol.value(frame), name_of(symbol)
            is_reference = value.type.strip_typedefs().code in REFERENCES
            # To gdb a dummy argument of Fortran's is the caller's object itself.
            is_others = is_reference or symbol.is_argument
            yield name, value.referenced_value() if is_reference else value, is_others
        except (gdb.error, RuntimeError, TypeError):
            continue  # optimized out


def _of_file(frame: Optional[gdb.Frame]) -> Iterator[tuple[str, gdb.Value]]:
    """Yield the variables of the file which FRAME's function is in."""
    block = next(local_blocks(frame), None) if frame is not None else None
    for around in (block.static_block, block.global_block) if block is not None else ():
        for symbol in around:
            try:
                if symbol.is_variable:
                    yield name_of(symbol), symbol.value()
            except (gdb.error, RuntimeError, TypeError):
                continue


def _written(part: Optional[str], symtab: Optional[gdb.Symtab]) -> Optional[str]:
    """Return a PART of a variable as the language of that file writes it."""
    if part is None or symtab is None or not is_in_fortran(symtab):
        return part
    return in_fortran(part)


def _readable(linkers: str) -> str:
    """Return the name of a variable as the user writes it, which has a name of the LINKERS."""
    in_module = _OF_MODULE.match(linkers)
    if in_module:
        return "::".join(in_module.groups())
    numbered = _NUMBERED.match(linkers)
    return FunctionName(numbered[1]).demangled if numbered else linkers


def _declared(linkers: str, address: int, size: int) -> Optional[str]:
    """Return what of a variable outside of functions is at ADDRESS, which has this name of the
    LINKERS; None where there is none."""
    name = _readable(linkers)
    try:
        symbols = _outside_functions(name)
        if any(name_of(each) != name for each in symbols):
            with setting("case-sensitive", "on"):
                symbols = _outside_functions(name) + symbols
    except UnicodeEncodeError:  # GDB takes names as UTF-8, which this one is not
        return None
    for symbol in symbols:
        if symbol.is_variable:
            try:
                part = part_name(name, symbol.value(), address, size)
            except (gdb.error, TypeError):
                continue
            part = _written(part, symbol.symtab)
            if part is not None:
                return part
    return None


def _outside_functions(name: str) -> list[gdb.Symbol]:
    """Return what GDB has by a name outside of functions. As Fortran's that may be written otherwise,
    as "LOCKS" for "locks"."""
    found = gdb.lookup_global_symbol(name), gdb.lookup_static_symbol(name)
    return [symbol for symbol in found if symbol is not None]
