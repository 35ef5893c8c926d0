# SPDX-License-Identifier: Apache-2.0
"""Variables of which clang's debug information tells only the first value.

Without optimisation clang describes the variables of a loop, whose number of iterations is not a
constant, by others that it makes before the loop to find out whether there is any iteration: GDB
shows the first value all along. With optimisation it shows that of a loop whose iterations are
ordered by depend(sink: ...). There clang also describes a variable that a lambda captures by
reference as a constant, and does not follow what is written through the lambda.
"""

from __future__ import annotations

from typing import Optional

import gdb

from ..host.charset import name_of
from ..host.expressions import address_of
from ..host.locations import (
    is_constant,
    local_blocks,
    local_symbols,
    locals_named,
    names_in,
    object_type,
)

# What clang calls the variables that it makes for a loop: the number of the iteration, the first
# values and limits, which it makes before the loop's own variables, and what it makes after these.
ITERATION, BEFORE, AFTER = ".omp.iv", ".capture_expr.", ".omp.lb"


def why_wrong(expression: str, frame: gdb.Frame) -> Optional[str]:
    """Return the name in the expression that is described wrongly in FRAME, None if none is."""
    names = set(names_in(expression))
    for name in sorted(names):
        if _lambda_changes(name, frame):
            return name
    loop = _loop(frame)
    if loop is None:
        return None
    names &= set(loop)
    before = [address for address in loop[BEFORE] if address is not None]
    after = next(iter(loop.get(AFTER, ())), None)
    iterators: set[str] = set()
    if after is None:  # the order is the optimiser's
        names, after, iterators = names - _count_nothing(frame), 0, _iterators(frame)
    for name in sorted(names):
        found = [address for address in loop[name] if address is not None]
        if name in iterators or _is_one_value(name, frame):
            return name
        if before and any(after < at < min(before) for at in found):
            return name
    return None


def _is_one_value(name: str, frame: gdb.Frame) -> bool:
    """Tell whether the optimiser has left one value for ever of a variable that may count a loop: of
    what is handed over there is a copy that may well be a constant."""
    named = list(locals_named(name, frame))
    return not any(each.is_argument for each in named) and is_constant(named[0], frame)


def _lambda_changes(name: str, frame: gdb.Frame) -> bool:
    """Tell whether clang has described NAME by one value for ever, and a lambda of FRAME's function
    may have captured it by reference: what is written through that clang does not follow."""
    own = next(locals_named(name, frame), None)
    if own is None or own.type is None or own.type != own.type.unqualified():
        return False
    captures = (_may_capture(each, name) for each in local_symbols(frame))
    return any(captures) and is_constant(own, frame)


def _may_capture(symbol: gdb.Symbol, name: str) -> bool:
    """Tell whether a variable is a lambda of clang's, which is a class that has no name, and has a
    reference NAME. Where it is inlined, its members need not be described."""
    kind = symbol.type.strip_typedefs().unqualified() if symbol.type is not None else None
    if kind is None or kind.code != gdb.TYPE_CODE_STRUCT or kind.tag:
        return False
    fields = kind.fields()
    return not fields or any(
        field.name == name and field.type.code == gdb.TYPE_CODE_REF for field in fields
    )


def iteration(frame: gdb.Frame) -> Optional[int]:
    """Return which iteration a thread executes in the loop of FRAME, counted from 0."""
    block = _block(frame)
    symbols = [symbol for symbol in block or () if name_of(symbol) == ITERATION]
    try:
        return int(symbols[0].value(frame)) if symbols else None
    except gdb.error:
        return None


def _loop(frame: gdb.Frame) -> Optional[dict[str, list[Optional[int]]]]:
    """Return the addresses of what clang has made for the innermost loop, by name; None where
    there is no loop, or its number of iterations is constant."""
    found: dict[str, list[Optional[int]]] = {}
    for symbol in _block(frame) or ():
        if symbol.is_variable and symbol.line == 0:
            found.setdefault(name_of(symbol), []).append(_address(symbol, frame))
    return found if BEFORE in found else None


def _iterators(frame: gdb.Frame) -> set[str]:
    """Return the names of the classes in FRAME's loop that may count it: clang has a variable of the
    same class for the first value."""
    own = [(name_of(symbol), object_type(symbol)) for symbol in _block(frame) or ()]
    begins = [kind for name, kind in own if name == BEFORE and kind.code == gdb.TYPE_CODE_STRUCT]
    return {name for name, kind in own if kind in begins}


def _count_nothing(frame: gdb.Frame) -> set[str]:
    """Return the names of what cannot be a loop's variable, or hardly: arrays, and classes that the
    code around has, too, such as an iterator that is lastprivate."""
    symbols = list(local_symbols(frame))
    around = {name_of(symbol) for symbol in symbols if symbol.is_argument}
    found: set[str] = set()
    for symbol in symbols:
        code = symbol.type.strip_typedefs().code if symbol.is_variable else None
        is_class = code == gdb.TYPE_CODE_STRUCT and name_of(symbol) in around
        if code == gdb.TYPE_CODE_ARRAY or is_class:
            found.add(name_of(symbol))
    return found


def _block(frame: gdb.Frame) -> Optional[gdb.Block]:
    for block in local_blocks(frame):
        if any(name_of(symbol) == ITERATION for symbol in block):
            return block
    return None


def _address(symbol: gdb.Symbol, frame: gdb.Frame) -> Optional[int]:
    try:
        return address_of(symbol.value(frame))
    except gdb.error:
        return None
