# SPDX-License-Identifier: Apache-2.0
"""Arrays of variable length: in the body of a construct they are described as something else, and
the optimiser may have removed their bounds.

- Clang hands such an array to a body as a reference to its first element, behind arguments that are
  its bounds, and a pointer to such an array the same way. Where one of these arguments was optimized
  out, another array's bounds seem to be its own.
- Clang describes the bounds of a thread's copy as variables of the function around, for which GDB
  reads other memory of the body's. GDB takes those that were optimized out for 1, and for 0 where no
  construct is. The bounds of what is private are arguments that no array follows.
- GCC describes in a body an array without bounds or, in Fortran, a pointer to one whose bounds are
  variables of the function around. GDB reads other memory for these; the right ones are those of the
  variable there. It describes a string whose length is not constant as one character.
- Clang describes the copy of an array's section that a reduction makes by the name of the array.
"""

from __future__ import annotations

import re
from typing import Callable, Iterator, Mapping, Optional, Sequence

import gdb

from .._native import FunctionName
from ..errors import OmpdToolError
from ..host.charset import name_of
from ..host.directives import MOST_OF_DIRECTIVE, directive_at, directives_between, is_around
from ..host.expressions import address_of, referred
from ..host.locations import (
    REFERENCES,
    innermost_named,
    is_bound,
    local_blocks,
    local_symbols,
    object_type,
)
from ..host.source_text import is_known
from .around import type_around

_NO_BOUNDS = "not described: the bounds of {0} are told outside of the construct's body alone"
_REMOVED = "not described: the bounds of {0} were optimized out"
_NO_ORDER = "not described: clang does not tell whether {0} is an array of variable length"
# Where the section of an array begins that a reduction is of.
_SECTION = r"\breduction\s*\([^()]*\b{0}\s*\[([^\]:]*):"
_LENGTH = "__vla_expr"  # begins the names of clang's variables of arrays' lengths
_ASSUMED_SIZE = re.compile(r"\((?:[-\d:]+,)*\*\)$")
_VARIABLE = "_omp_array_{0}"
CONVENIENCE = "(*$" + _VARIABLE + ")"  # what an expression has instead of such a name


def is_of_variable_length(name: str, frame: gdb.Frame) -> bool:
    """Tell whether NAME is an array in FRAME whose bounds its type there does not tell."""
    symbol = _symbol(name, frame)
    if symbol is None or symbol.type is None:
        return False
    if _is_of_lost_bounds(symbol, frame):
        return True
    if FunctionName(frame.name()).is_clangs_body and (symbol.is_argument or _bounds(name, frame)):
        is_lost = symbol.addr_class == gdb.SYMBOL_LOC_OPTIMIZED_OUT and _has_bounds(frame)
        return bool(_bounds(name, frame)) or is_lost or _is_without_bounds(symbol, frame)
    if _is_copy_of_clangs(symbol, frame):
        return True
    kind = symbol.type.strip_typedefs()
    is_led_to = kind.code in (gdb.TYPE_CODE_PTR, *REFERENCES)
    array = kind.target().strip_typedefs() if is_led_to else kind
    if is_led_to and array.code == gdb.TYPE_CODE_STRING:
        return FunctionName(frame.name()).is_gccs_body and array.range() == (1, 1)
    if array.code != gdb.TYPE_CODE_ARRAY or not array.dynamic:
        return False
    if is_led_to:
        return FunctionName(frame.name()).is_gccs_body
    try:
        return _has_no_bound(symbol.value(frame).type)
    except gdb.error:
        return False  # it is said when the value is asked


def has_dynamic_bounds(name: str, frame: gdb.Frame) -> bool:
    """Tell whether NAME is an array in FRAME whose bounds the program keeps, or such a text; so it is
    wherever that code is executed."""
    symbol = _symbol(name, frame)
    if symbol is None or symbol.type is None:
        return False
    return bool(object_type(symbol).dynamic) or _length_of_text(symbol, frame) is not None


def is_lost_array(name: str, frame: gdb.Frame) -> bool:
    """Tell whether NAME is an array in FRAME that was optimized out together with its bounds: GDB 13
    does not survive to be asked for an element. Of a text whose length was, GDB has one character.
    """
    symbol = _symbol(name, frame) if has_dynamic_bounds(name, frame) else None
    length = None if symbol is None else _length_of_text(symbol, frame)
    try:
        return any(s is not None and s.value(frame).is_optimized_out for s in (symbol, length))
    except gdb.error:
        return False  # it is said when the value is asked


def _length_of_text(symbol: gdb.Symbol, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the variable that gfortran makes for the length of a text of FRAME; None for others."""
    kind = object_type(symbol)
    kind = kind.target().strip_typedefs() if kind.code == gdb.TYPE_CODE_PTR else kind
    if kind.code != gdb.TYPE_CODE_STRING or not kind.dynamic:
        return None
    names = {before + name_of(symbol) for before in "._"}
    return next((each for each in local_symbols(frame) if name_of(each) in names), None)


def is_copy_of_section(name: str, frame: gdb.Frame) -> bool:
    """Tell whether NAME is a reduction's copy in FRAME, of clang's, that may begin further on than
    the array NAME does. Its elements are then others than those of the array."""
    named = innermost_named(name, frame)
    copies = [symbol for symbol in named if symbol.line == 0 and symbol.is_variable]
    if not copies or copies[-1].type.strip_typedefs().code != gdb.TYPE_CODE_ARRAY:
        return False
    others = [each for each in named if each not in copies] if not _bounds(name, frame) else []
    kinds = {object_type(each).code for each in others}
    body, at = list(local_blocks(frame))[-1].function, frame.find_sal()
    table, first = body.symtab, max(body.line - MOST_OF_DIRECTIVE, 0)
    lines = [n for n in directives_between(table, first, at.line) if is_around(table, n, at.line)]
    section = re.compile(_SECTION.format(name), re.IGNORECASE)
    begins = [b for n in lines for b in section.findall(directive_at(table, n) or "")]
    if begins or not kinds & {gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_PTR}:
        if not is_known(table, at.line):
            return _is_shorter(copies[-1], frame)
        return any(begin.strip() not in ("", "0") for begin in begins)
    return any(object_type(each) != object_type(copies[-1]) for each in named)


def _is_shorter(copy: gdb.Symbol, frame: gdb.Frame) -> bool:
    """Tell whether a COPY has another length than the array of variable length that a body of clang's
    is handed over."""
    try:
        own, element = copy.value(frame).type, object_type(copy)
    except gdb.error:
        return False  # it is said when the value is asked
    count, bounds = 1, _bounds(name_of(copy), frame)
    for bound in bounds:
        count, element = count * _size(bound, frame), element.target().strip_typedefs()
    return bool(bounds) and count * element.sizeof != own.sizeof


def whole(
    name: str, frame: gdb.Frame, declared: Callable[[], Optional[gdb.Value]]
) -> Optional[gdb.Value]:
    """Return the array NAME of FRAME with its length. DECLARED returns the variable as the code
    around has it. None where it was optimized out, OmpdToolError where its bounds are not known.
    """
    symbol = _symbol(name, frame)
    if symbol is None:
        return None
    is_clangs = FunctionName(frame.name()).is_clangs_body
    bounds = _bounds(name, frame) if is_clangs else ()
    is_copy = _is_copy_of_clangs(symbol, frame)
    if is_copy and not bounds:
        bounds = _bounds_of_private(symbol, frame)
    value = symbol.value(frame)
    if is_copy or (bounds and not symbol.is_argument):
        value = value.address  # what is there is of another length
    if value is None or value.is_optimized_out:
        return None
    if not FunctionName(frame.name()).is_outlined or (
        is_clangs and not (symbol.is_argument or bounds or is_copy)
    ):
        if lacks_last_bound(value.type):
            return value
        raise OmpdToolError(_REMOVED.format(name))
    if bounds and not _is_one_lost(frame):
        first = _first(name, value, symbol.type, frame)
        sizes = [_size(bound, frame) for bound in bounds]
        if first.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
            return _array_or_pointer(name, first, sizes, declared())
        return _array(first, sizes)
    outer = declared()
    is_pointer = value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR
    if outer is not None and outer.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
        if is_clangs:
            raise OmpdToolError(_NO_ORDER.format(name))
        if not is_pointer:
            return value
        if _leads_to_open(outer.type):
            raise OmpdToolError(_NO_BOUNDS.format(name))
        return value.cast(outer.type)  # the user's own pointer to an array
    at = int(value) if is_pointer else address_of(referred(value))
    is_known = outer is not None and (lacks_last_bound(outer.type) or not _has_no_bound(outer.type))
    if outer is not None and at is not None and is_known:
        if address_of(outer) == at:
            return outer
        if is_copy or (not is_clangs and _is_copy(symbol, frame)):
            return gdb.Value(at).cast(outer.type.pointer()).dereference()
    is_of_order = is_clangs and not is_copy
    raise OmpdToolError((_NO_ORDER if is_of_order else _NO_BOUNDS).format(name))


def with_bounds(value: gdb.Value) -> gdb.Value:
    """Return what may be a pointer to an array of variable length as one to an array with those
    bounds that it has in the selected frame: GDB reads them where the pointer is used."""
    return value.cast(value.dereference().type.pointer()) if _leads_to_open(value.type) else value


def _leads_to_open(pointer: gdb.Type) -> bool:
    """Tell whether a type is a pointer to an array whose bounds are those of a frame."""
    kind = pointer.strip_typedefs()
    array = kind.target().strip_typedefs() if kind.code == gdb.TYPE_CODE_PTR else kind
    return kind is not array and array.code == gdb.TYPE_CODE_ARRAY and array.dynamic


def _is_copy_of_clangs(symbol: gdb.Symbol, frame: gdb.Frame) -> bool:
    """Tell whether a symbol of a body of clang's is a thread's own copy of an array of variable
    length, which has no line, and whose bounds are described as variables of another function."""
    is_copy = symbol.is_variable and not symbol.is_argument and symbol.line == 0
    return is_copy and FunctionName(frame.name()).is_clangs_body and bool(_open_bounds(symbol.type))


def _is_copy(symbol: gdb.Symbol, frame: gdb.Frame) -> bool:
    """Tell whether a symbol of a body of GCC's is a thread's own copy of a variable of the code
    around. It then has that variable's line, and by OpenMP its bounds."""
    block = list(local_blocks(frame))[-1].superblock
    while block is not None and not (block.is_static or block.is_global):
        if any(name_of(s) == name_of(symbol) and s.line == symbol.line for s in block):
            return bool(symbol.line)
        block = block.superblock
    return False


def instead_of(name: str, value: gdb.Value) -> str:
    """Return what an expression has instead of NAME for GDB to take VALUE, which may be in no
    memory."""
    return CONVENIENCE.format(name) if value.address is not None else "$" + _VARIABLE.format(name)


def by_convenience(arrays: Mapping[str, gdb.Value]) -> dict[str, gdb.Value]:
    """Return what GDB is to know for it to take what an expression has instead of an array's name
    for that of ARRAYS."""
    return {
        _VARIABLE.format(name): array if array.address is None else array.address
        for name, array in arrays.items()
    }


def _is_of_program(symbol: gdb.Symbol) -> bool:
    return bool(symbol.is_variable or symbol.is_argument)


def _symbol(name: str, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    named = innermost_named(name, frame, _is_of_program)
    copies = [symbol for symbol in named if not symbol.is_argument]
    return (copies or named)[-1] if named else None


def _is_of_lost_bounds(symbol: gdb.Symbol, frame: gdb.Frame) -> bool:
    """Tell whether a symbol of FRAME may be an array of clang's whose length was optimized out."""
    kind, is_one = symbol.type.strip_typedefs(), False
    while kind.code == gdb.TYPE_CODE_ARRAY:
        is_one = is_one or (not kind.dynamic and kind.range() == (0, 0))
        kind = kind.target().strip_typedefs()
    if not is_one:
        return False
    blocks = [set(map(name_of, block)) for block in local_blocks(frame)]
    own = next(names for names in blocks if name_of(symbol) in names)
    return any(name.startswith(_LENGTH) for name in own)


def _first(name: str, value: gdb.Value, declared: gdb.Type, frame: gdb.Frame) -> gdb.Value:
    """Return the first element of the array NAME, to which VALUE refers or points, of the type that
    the body's argument refers to, if there is one, or as DECLARED."""
    if value.type.code != gdb.TYPE_CODE_PTR:
        return referred(value)
    named = (s for s in _arguments(frame) if name_of(s) == name and not is_bound(s))
    element = next(map(object_type, named), None)
    if element is None:
        element = declared.strip_typedefs()
        for _ in range(_open_bounds(declared)):
            element = element.target().strip_typedefs()
    return value.cast(element.pointer()).dereference()


def _has_no_bound(kind: gdb.Type) -> bool:
    """Tell whether a type is an array whose length is not described."""
    kind = kind.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_ARRAY or kind.sizeof:
        return False
    return bool(_open_bounds(kind) or (kind.dynamic and "*" in str(kind)))  # Fortran's (2,*)


def lacks_last_bound(kind: gdb.Type) -> bool:
    """Tell whether all but the last bound of an array of Fortran are known, as of one of assumed size:
    then each element is."""
    is_empty = kind.code == gdb.TYPE_CODE_ARRAY and not kind.sizeof
    return is_empty and _ASSUMED_SIZE.search(str(kind)) is not None


def _open_bounds(kind: gdb.Type) -> int:
    """Return how many bounds of an array of variable length are told beside its type: those up to the
    last that is not constant."""
    count, number, kind = 0, 0, kind.strip_typedefs()
    while kind.code == gdb.TYPE_CODE_ARRAY:
        number += 1
        if kind.dynamic or kind.range() == (0, 0):
            count = number
        kind = kind.target().strip_typedefs()
    return count


def _bounds(name: str, frame: gdb.Frame) -> Sequence[gdb.Symbol]:
    """Return the bounds that clang hands over to a construct's body before an array of variable
    length, which it hands over as a reference to the first element. Before them may be those of
    other arrays, which are private."""
    for block in local_blocks(frame):
        bounds: list[gdb.Symbol] = []
        for symbol in block if block.function is not None else ():
            if not symbol.is_argument:
                continue
            if is_bound(symbol):
                bounds.append(symbol)
            elif name_of(symbol) == name:
                is_led_to = bounds and symbol.type.code == gdb.TYPE_CODE_REF
                return _own_bounds(name, bounds, frame) if is_led_to else ()
            else:
                bounds = []
    return ()


def _own_bounds(name: str, bounds: Sequence[gdb.Symbol], frame: gdb.Frame) -> Sequence[gdb.Symbol]:
    """Return which of the BOUNDS before NAME are its own: as many as its type has where the construct
    is, if that is known."""
    around = type_around(name, frame.function())
    if around is None:
        return bounds
    kind = around.strip_typedefs()
    array = kind.target() if kind.code in (gdb.TYPE_CODE_PTR, *REFERENCES) else kind
    return bounds[max(len(bounds) - _open_bounds(array), 0) :]


def _bounds_of_private(copy: gdb.Symbol, frame: gdb.Frame) -> Sequence[gdb.Symbol]:
    """Return those bounds that a body of clang's is handed over and no argument has, where they are
    those of one private COPY for certain."""
    free: list[gdb.Symbol] = []
    bounds: list[gdb.Symbol] = []
    for each in _arguments(frame):
        if is_bound(each):
            bounds.append(each)
        else:
            free += bounds[: len(bounds) - len(_bounds(name_of(each), frame))]
            bounds = []
    free += bounds
    copies = [s for s in local_symbols(frame) if _is_copy_of_clangs(s, frame)]
    others = [s for s in copies if name_of(s) != name_of(copy) and not _bounds(name_of(s), frame)]
    return free if len(free) == _open_bounds(copy.type) and not others else ()


def _has_bounds(frame: gdb.Frame) -> bool:
    """Tell whether a body has bounds among its arguments."""
    return any(map(is_bound, _arguments(frame)))


def _is_one_lost(frame: gdb.Frame) -> bool:
    """Tell whether a body has an argument that was optimized out, other than those that each has."""
    lost = (s for s in _arguments(frame) if s.addr_class == gdb.SYMBOL_LOC_OPTIMIZED_OUT)
    return any(not name_of(symbol).startswith(".") for symbol in lost)


def _arguments(frame: gdb.Frame) -> Iterator[gdb.Symbol]:
    blocks = (block for block in local_blocks(frame) if block.function is not None)
    return (symbol for block in blocks for symbol in block if symbol.is_argument)


def _size(symbol: gdb.Symbol, frame: gdb.Frame) -> int:
    try:
        return int(symbol.value(frame))
    except gdb.error:
        return 0


def _is_without_bounds(argument: gdb.Symbol, frame: gdb.Frame) -> bool:
    """Tell whether an ARGUMENT of a body of clang's is the first element of an array, as the code around
    tells, whose bounds the optimiser has removed."""
    if argument.type.code != gdb.TYPE_CODE_REF or object_type(argument).code == gdb.TYPE_CODE_ARRAY:
        return False
    around = type_around(name_of(argument), frame.function())
    return around is not None and around.strip_typedefs().code == gdb.TYPE_CODE_ARRAY


def _array_or_pointer(
    name: str, first: gdb.Value, sizes: Sequence[int], outer: Optional[gdb.Value]
) -> Optional[gdb.Value]:
    """Return what clang describes as a reference to a pointer, FIRST, behind SIZES. It is an array
    of pointers or, as the variable OUTER of the code around tells, a pointer to an array of
    these."""
    if outer is None:
        raise OmpdToolError(_NO_ORDER.format(name))
    kind = outer.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_PTR:
        return _array(first, sizes)
    count, inner = 0, kind.target().strip_typedefs()
    while inner.code == gdb.TYPE_CODE_ARRAY:
        count, inner = count + 1, inner.target().strip_typedefs()
    element = first.type.strip_typedefs().target()
    for size in reversed(sizes[len(sizes) - count :]):
        if size < 1:
            return None
        element = element.array(size - 1)
    return first.cast(element.pointer())


def _array(first: gdb.Value, bounds: Sequence[int]) -> Optional[gdb.Value]:
    if first.address is None or not bounds or min(bounds) < 1:
        return None
    kind = first.type
    for bound in reversed(bounds):
        kind = kind.array(bound - 1)
    return first.address.cast(kind.pointer()).dereference()
