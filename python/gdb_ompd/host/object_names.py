# SPDX-License-Identifier: Apache-2.0
"""What the user calls the object at an address: a variable, a part of it, a critical."""

from __future__ import annotations

import re
import sys
from itertools import islice
from typing import NamedTuple, Optional

import gdb

from .charset import name_of
from .expressions import address_of
from .linker_symbols import symbol_at
from .locations import REFERENCES, local_blocks, local_symbols
from .selection import frames_from
from .source import is_system_header
from .target import reader

# clang: .gomp_critical_user_gate.var (its reductions: .gomp_critical_user_.reduction.var)
# GCC: .gomp_critical_user_gate
CRITICAL = re.compile(r"^\.gomp_critical_user_(?P<name>.*?)(\.var)?$")
# gfortran's symbol of a variable in a module.
_OF_MODULE = re.compile(r"^__(\w+?)_MOD_(\w+)$")
# The user's own words for locks: their parts are not.
_LOCKS = re.compile(r"^(struct )?(omp_\w+|pthread_(mutex|rwlock)_t|std::(__\w+::)?(\w+_)?mutex)$")
MAX_FRAMES = 12
MAX_PARTS = 10
STD_ARRAY = "_M_elems"  # what libstdc++ keeps the elements of a std::array in
ALIGNED, WORD = 16, 8  # as malloc gives memory
MAX_ELEMENTS, MAX_ROOM = 1 << 16, 1 << 30
POINTED = "<what it points to>"


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
    seen = _Names()
    for older in islice(frames_from(frame), MAX_FRAMES):
        # What the system's headers call it is no name of the user's.
        inner = _Names() if _is_in_system_header(older) else _in_frame(address, older, size)
        if inner.name is not None:
            return inner.name
        # The outermost reference has the name that is nearest to the object's own.
        seen = _Names(None, inner.reference or seen.reference, seen.pointer or inner.pointer)
    linkers = _readable(symbol.name) if symbol is not None and symbol.offset == 0 else None
    found = linkers or seen.reference or seen.pointer
    return found or _through_global(address, frame, size)


class _Names(NamedTuple):
    """What a frame's variables call an object: its own name, that of a reference to it, and
    that through a pointer."""

    name: Optional[str] = None
    reference: Optional[str] = None
    pointer: Optional[str] = None


def _is_in_system_header(frame: gdb.Frame) -> bool:
    try:
        symtab = frame.find_sal().symtab
    except gdb.error:
        return False
    return symtab is not None and is_system_header(symtab.filename)


def _in_frame(address: int, frame: gdb.Frame, size: int) -> _Names:
    """Return what the variables that a frame sees call the object at ADDRESS."""
    reference: Optional[str] = None
    pointer: Optional[str] = None
    variables = (s for s in local_symbols(frame) if s.is_variable or s.is_argument)
    for symbol in variables:
        try:
            value, name = symbol.value(frame), name_of(symbol)
            code = value.type.strip_typedefs().code
            if code in REFERENCES:
                value = value.referenced_value()
            elif code == gdb.TYPE_CODE_PTR:
                pointer = pointer or _behind(name, value, address, size)
            own = _part(name, value, address, size)
            # To gdb a dummy argument of Fortran's is the caller's object itself.
            if own is not None and (code in REFERENCES or symbol.is_argument):
                reference, own = reference or own, None
        except (gdb.error, RuntimeError, TypeError):
            continue  # optimized out, or not in memory
        if own is not None:
            return _Names(own)
    return _Names(None, reference, pointer)


def _behind(name: str, pointer: gdb.Value, address: int, size: int) -> Optional[str]:
    """Return how to write the object at ADDRESS through a pointer to it, or to the
    structure that it is in."""
    pointed = pointer.dereference()
    if int(pointer) == address and size > pointed.type.sizeof > 0:
        return f"{name}[0:{size // pointed.type.sizeof}]"
    part = _part(POINTED, pointed, address, size)
    if part is None:
        return _element(name, pointer, address)
    return f"*{name}" if part == POINTED else f"{name}->{part.removeprefix(POINTED + '.')}"


def _element(name: str, pointer: gdb.Value, address: int) -> Optional[str]:
    """Return how to write the lock at ADDRESS in an array that malloc has made and a POINTER
    leads to: glibc keeps the array's size in front of it."""
    kind = pointer.type.strip_typedefs().target()
    begin, size = int(pointer), kind.sizeof
    if not size or begin % ALIGNED or not _LOCKS.match(kind.name or ""):
        return None
    index, rest = divmod(address - begin, size)
    if rest or not 0 < index < MAX_ELEMENTS:
        return None
    size_and_flags = int.from_bytes(reader()(begin - WORD, WORD), sys.byteorder)
    room = (size_and_flags & ~7) - WORD
    return f"{name}[{index}]" if address + size <= begin + room and room < MAX_ROOM else None


def _through_global(address: int, frame: Optional[gdb.Frame], size: int) -> Optional[str]:
    """Return how to write the object at ADDRESS through a pointer that is a variable of the
    file which FRAME's function is in."""
    block = next(local_blocks(frame), None) if frame is not None else None
    for around in (block.static_block, block.global_block) if block is not None else ():
        for symbol in around:
            try:
                if symbol.is_variable and symbol.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
                    found = _behind(name_of(symbol), symbol.value(), address, size)
                    if found is not None:
                        return found
            except (gdb.error, RuntimeError, TypeError):
                continue  # optimized out, or not in memory
    return None


def _readable(linkers: str) -> str:
    """Return the name of a variable as the user writes it, which has a name of the LINKERS."""
    in_module = _OF_MODULE.match(linkers)
    return "::".join(in_module.groups()) if in_module else linkers


def _declared(linkers: str, address: int, size: int) -> Optional[str]:
    """Return what of a variable outside of functions is at ADDRESS, which has this name of the
    LINKERS; None where there is none."""
    name = _readable(linkers)
    try:
        symbols = [gdb.lookup_global_symbol(name), gdb.lookup_static_symbol(name)]
    except UnicodeEncodeError:  # GDB takes names as UTF-8, which this one is not
        return None
    for symbol in symbols:
        if symbol is not None and symbol.is_variable:
            try:
                part = _part(name, symbol.value(), address, size)
            except (gdb.error, TypeError):
                continue
            if part is not None:
                return part
    return None


def _part(name: str, value: gdb.Value, address: int, whole: int) -> Optional[str]:
    """Return how to write the innermost part of a variable that begins at ADDRESS, or the one of
    WHOLE bytes."""
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
            if offset == 0 and _LOCKS.match(value.type.name or ""):
                return name
            field = _field_at(kind, offset)
            if field is None:
                return name if offset == 0 else None
            is_unnamed = field.is_base_class or field.name == STD_ARRAY
            inside = "" if is_unnamed else f".{field.name}"
            name, value = f"{name}{inside}", value[field]
        else:
            return name if offset == 0 else None
    return None


def _field_at(kind: gdb.Type, offset: int) -> Optional[gdb.Field]:
    for field in kind.fields():
        if not hasattr(field, "bitpos") or field.name is None or field.bitsize:
            continue
        start = field.bitpos // 8
        if start <= offset < start + field.type.sizeof:
            return field
    return None
