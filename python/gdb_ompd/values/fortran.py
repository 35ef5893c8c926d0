# SPDX-License-Identifier: Apache-2.0
"""Fortran's variables that gfortran describes as something else, and GDB shows as that.

A pointer, what is allocatable, an optional dummy and the name of an associate construct are
described as pointers to what they are. A polymorphic one is a struct with a pointer to it. GDB
looks for the variables of a module in its procedures, but not in the bodies of their constructs. It
takes "rank" and the like for the functions of the language, also where a variable is called so.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Iterator, Optional

import gdb

from .._native import FunctionName
from ..host.charset import is_fortran, name_of
from ..host.expressions import address_of, goes_back, referred
from ..host.locations import (
    REFERENCES,
    block_of,
    described_here,
    is_of_another_file,
    locals_named,
    names_in,
)
from .arrays import is_lost_array

_ABSENT = "{0} is absent, not associated or not allocated: it leads to address 0"
_LOST = "{0} was optimized out"
_NO_DESCRIPTOR = "Location address is not set"  # says GDB of an array, also if it is nowhere
_NOT_A_NAME = ("A syntax error", "Attempt to use a type name")  # says GDB of a word of the language
_NO_OBJECTS = (gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_VOID)
_OF_CLASS = ("_vptr", "_data")  # the members of what is polymorphic
_PART_OF_CLASS = r"\b{0}\s*%\s*_(?:vptr|data|len)\b"
_COMPONENT = re.compile(r"\s*[A-Za-z_]\w*(?:\([^()]*\))?(?:\s*%\s*\w+(?:\([^()]*\))?)+\s*")
_SUBSCRIPTED = r"(?<![\w%]){0}\s*\("
_LED_TO = r"(?:^|[^\w)\s])\s*\*\s*{0}\b"  # the user's own "*NAME"


def spelled(expression: str, name: str, frame: gdb.Frame) -> Optional[str]:
    """Return what GDB calls what NAME is in FRAME, which is selected; None if it calls it so, or
    the expression asks for the pointer."""
    symbol = next(locals_named(name, frame), None)
    if symbol is None:
        of_module = module_variable(name, frame)
        return None if of_module is None else name_of(of_module)
    if symbol.type is None or not _leads_on(symbol.type) or not is_fortran():
        return None
    if re.search(_LED_TO.format(name), expression, re.IGNORECASE):
        return None
    if re.search(_PART_OF_CLASS.format(name), expression, re.IGNORECASE):
        return None
    kind = _plain(symbol.type)
    if kind.code == gdb.TYPE_CODE_STRUCT:
        return f"(*({name}%_data))"
    return f"({'*' * _pointers(kind)}{name})"


def is_of_language(name: str) -> bool:
    """Tell whether GDB takes a name for one of the language, such as "rank" or "size", also where it
    is a variable's."""
    return is_fortran() and _is_no_variable(name)


@lru_cache(maxsize=None)
def _is_no_variable(name: str) -> bool:
    try:
        gdb.parse_and_eval(name)
    except gdb.error as error:
        return str(error).startswith(_NOT_A_NAME)
    return False


def meant(value: gdb.Value) -> gdb.Value:
    """Return what a variable is whose VALUE is as it is described."""
    if not _leads_on(value.type) or value.is_optimized_out or not is_fortran():
        return value
    for pointer in _way(value):
        value = pointer.dereference()
    return value


def led_to(expression: str, value: gdb.Value) -> gdb.Value:
    """Return what a pointer leads to that is a component, such as "a(2)%b", if that is all that the
    expression with this VALUE has."""
    if _COMPONENT.fullmatch(expression) is None or not _leads_on(value.type) or not is_fortran():
        return value
    if any(int(pointer) == 0 for pointer in _way(value)):
        raise gdb.error(_ABSENT.format(expression.strip()))
    return meant(value)


def absent(expression: str) -> Optional[str]:
    """Say which variable of an expression that cannot be read leads to nothing in the selected frame."""
    if not is_fortran():
        return None
    frame = gdb.selected_frame()
    for name in names_in(expression):
        symbol = next(locals_named(name, frame), None)
        if symbol is not None and _leads_to_nothing(symbol, frame):
            is_lost = symbol.addr_class == gdb.SYMBOL_LOC_OPTIMIZED_OUT
            is_lost = is_lost or not described_here(name, frame)
            return (_LOST if is_lost else _ABSENT).format(name)
    return None


def _leads_to_nothing(symbol: gdb.Symbol, frame: gdb.Frame) -> bool:
    if not (symbol.is_variable or symbol.is_argument):
        return False
    try:
        value = symbol.value(frame)
        if address_of(referred(value)) == 0:
            return True
        return _leads_on(value.type) and any(int(pointer) == 0 for pointer in _way(value))
    except gdb.error as error:
        return str(error).startswith(_NO_DESCRIPTOR)


def _way(value: gdb.Value) -> Iterator[gdb.Value]:
    """Yield the pointers that lead from a variable as it is described to what it is."""
    value = referred(value)
    if _plain(value.type).code == gdb.TYPE_CODE_STRUCT:
        yield value["_data"]
        return
    for _ in range(_pointers(value.type)):
        yield value
        value = value.dereference()


def module_variable(name: str, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the variable NAME of the module that has the procedure around the body which FRAME
    executes, if GDB finds no other of the code's."""
    block = block_of(frame) if FunctionName(frame.name()).is_gccs_body else None
    found = gdb.lookup_symbol(name, block)[0] if block is not None else None
    if (
        block is None
        or not is_fortran()
        or (found is not None and not is_of_another_file(found, block))
    ):
        return None
    outer: Optional[gdb.Block] = block
    while outer is not None and not outer.is_static:
        module = name_of(outer.function).rpartition("::")[0] if outer.function else ""
        own = gdb.lookup_symbol(f"{module}::{name}")[0] if module else None
        if own is not None and own.is_variable and not own.needs_frame:
            return own
        outer = outer.superblock
    return None


def _plain(kind: gdb.Type) -> gdb.Type:
    kind = kind.strip_typedefs()
    return kind.target().strip_typedefs() if kind.code in REFERENCES else kind


def _leads_on(kind: gdb.Type) -> bool:
    """Tell whether a type would be that of a pointer or something polymorphic in Fortran."""
    kind = _plain(kind)
    if kind.code == gdb.TYPE_CODE_STRUCT:
        fields = {field.name: field.type for field in kind.fields()}
        return fields.keys() >= set(_OF_CLASS) and _pointers(fields["_data"]) == 1
    return _pointers(kind) > 0


def _pointers(kind: gdb.Type) -> int:
    """Return how many pointers lead to an object, 0 where none do."""
    count, kind = 0, _plain(kind)
    while kind.code == gdb.TYPE_CODE_PTR:
        count, kind = count + 1, kind.target().strip_typedefs()
    return 0 if kind.code in _NO_OBJECTS else count


def of_reversed(expression: str, frame: gdb.Frame) -> Optional[str]:
    """Return the array in FRAME, which is selected, of which the expression has elements or a
    section, and which goes backwards through memory: GDB 13 finds other memory for those."""
    for name in names_in(expression) if is_fortran() else ():
        symbol = next(locals_named(name, frame), None)
        if symbol is None or not re.search(_SUBSCRIPTED.format(name), expression, re.IGNORECASE):
            continue
        if is_lost_array(name, frame):
            continue
        try:
            if goes_back(meant(symbol.value(frame))):
                return name
        except gdb.error:
            continue  # its own reason is told
    return None
