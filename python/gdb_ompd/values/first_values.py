# SPDX-License-Identifier: Apache-2.0
"""Variables of which clang's debug information tells only the first value.

Without optimisation clang describes the variables of a loop wrongly whose number of iterations is
not a constant. It describes others, which it makes before the loop to find out whether there is any
iteration: GDB shows the first value all along (see loop_variables). With optimisation it shows that
of a loop whose iterations are ordered by depend(sink: ...). There clang also describes a variable
that a lambda captures by reference as a constant, and does not follow what is written through the
lambda.
"""

from __future__ import annotations

from typing import Iterable, Mapping, Optional, Sequence

import gdb

from .._native import WaitReader
from ..host.charset import name_of
from ..host.expressions import address_of
from ..host.locations import (
    FRAME_POINTERS,
    clobbered_of,
    described_here,
    is_constant,
    is_from_stack_pointer,
    local_blocks,
    local_symbols,
    locals_named,
    names_in,
    object_type,
    registers_of,
)
from .elsewhere import from_stack
from .overwritten import overwritten

# What clang calls the variables that it makes for a loop. Before the loop's own variables it makes
# the number of the iteration, the first values and limits. Others come after these.
ITERATION, BEFORE, AFTER = ".omp.iv", ".capture_expr.", ".omp.lb"
_UPPER = ".omp.ub"


def wrong_names(expression: str, frame: gdb.Frame) -> list[str]:
    """Return the names in the expression that are described wrongly in FRAME."""
    names = sorted(names_in(expression))
    found = [name for name in names if _lambda_changes(name, frame)]
    loop = _loop(frame)
    if loop is None:
        return found
    if _is_optimised(loop):  # the order of addresses is the optimiser's
        iterators, none = _iterators(frame), _count_nothing(frame)
        counting = (n for n in names if n in loop and n not in none)
        return found + [n for n in counting if n in iterators or _is_one_value(n, frame)]
    described = first_valued(frame)
    return found + [name for name in names if name in described]


def first_valued(frame: gdb.Frame) -> dict[str, gdb.Symbol]:
    """Return the variables that count the innermost loop of FRAME, from the outermost of collapsed
    ones on, where clang describes them by what it has made before the loop. There are none with
    optimisation."""
    loop = _loop(frame)
    before = [address for address in (loop or {}).get(BEFORE, ()) if address is not None]
    if loop is None or not before or _is_optimised(loop):
        return {}
    after = _after(loop) or 0
    found = {}
    for symbol in loop_block(frame) or ():
        at = _address(symbol, frame) if symbol.is_variable and symbol.line == 0 else None
        if at is not None and after < at < min(before):
            found[at] = symbol
    symbols = (found[at] for at in sorted(found, reverse=True))
    return {name_of(symbol): symbol for symbol in symbols if "." not in name_of(symbol)}


def _is_optimised(loop: Mapping[str, Sequence[Optional[int]]]) -> bool:
    return None in (*loop[BEFORE], *loop[ITERATION])


def _after(loop: Mapping[str, Sequence[Optional[int]]]) -> Optional[int]:
    """Return where in memory what clang makes after the loop's own variables begins: of a taskloop
    and a simd loop that is the iteration's number. None where it is in none."""
    return next(iter(loop.get(AFTER, loop.get(ITERATION, ()))), None)


def _is_one_value(name: str, frame: gdb.Frame) -> bool:
    """Tell whether the optimiser gives a variable that may count a loop one value for ever. Of what
    is handed over there is a copy that may well be a constant."""
    named = list(locals_named(name, frame))
    return not any(each.is_argument for each in named) and is_constant(named[0], frame)


def _lambda_changes(name: str, frame: gdb.Frame) -> bool:
    """Tell whether clang has described NAME by one value for ever, and a lambda of FRAME's function
    may have captured it by reference. Clang does not follow what is written through that."""
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


def is_from_changed(name: str, frame: gdb.Frame, code: WaitReader) -> bool:
    """Tell whether NAME is described by several registers of which the code may have changed one
    since. Clang does not see that, GCC does. The iteration's own register is right. FRAME must be
    selected."""
    registers = registers_of(name, frame)
    file = frame.find_sal().symtab
    if len(registers) < 2 or (file is not None and (file.producer or "").startswith("GNU ")):
        return False
    try:
        frame.read_var(name)
    except gdb.error:
        return False  # GDB's own reason is told
    others = registers - registers_of(ITERATION, frame) - {"rsp"}
    return any(code.at(frame.pc()).may_change_in_place(each) for each in others)


def iteration(frame: gdb.Frame, code: WaitReader) -> Optional[int]:
    """Return which iteration a thread executes in the loop of FRAME, counted from 0; None before the
    first, behind the last, and where a call may have overwritten it. FRAME must be selected."""
    block = loop_block(frame)
    symbols = [symbol for symbol in block or () if name_of(symbol) == ITERATION]
    if not symbols or not _has_begun(symbols[0], frame, code):
        return None
    if overwritten(clobbered_of(ITERATION, frame), frame, code) is not None:
        return None
    if code.at(frame.pc()).pushed_arguments != 0 and is_from_stack_pointer(ITERATION, frame):
        return None
    try:
        value = from_stack(ITERATION, frame)
        number = int(symbols[0].value(frame) if value is None else value)
        last = _last(block or (), frame)
        return number if last is None or number <= last else None
    except gdb.error:
        return None


def _last(block: Iterable[gdb.Symbol], frame: gdb.Frame) -> Optional[int]:
    """Return the last iteration of those that the thread has got in the loop of a BLOCK; None where
    optimised code need not have written it."""
    upper = next((symbol for symbol in block if name_of(symbol) == _UPPER), None)
    pointer = FRAME_POINTERS.get(frame.architecture().name())
    if upper is None or f"frame base reg ${pointer} " not in described_here(_UPPER, frame):
        return None
    return int(upper.value(frame))


def _has_begun(number: gdb.Symbol, frame: gdb.Frame, code: WaitReader) -> bool:
    """Tell whether the NUMBER of the iteration has its first value. Clang describes one that is
    told from the frame pointer in code that comes before that, too."""
    at, base = _address(number, frame), frame_pointer(frame)
    if at is None or base is None or is_from_stack_pointer(ITERATION, frame):
        return True
    name = FRAME_POINTERS[frame.architecture().name()]
    return code.at(frame.pc()).is_stored(name, at - base)


def frame_pointer(frame: gdb.Frame) -> Optional[int]:
    """Return the frame pointer in FRAME; None where the machine's is not known."""
    name = FRAME_POINTERS.get(frame.architecture().name())
    return None if name is None else int(frame.read_register(name))


def _loop(frame: gdb.Frame) -> Optional[dict[str, list[Optional[int]]]]:
    """Return the addresses of what clang has made for the innermost loop, by name; None where
    there is no loop, or its number of iterations is constant."""
    found: dict[str, list[Optional[int]]] = {}
    for symbol in loop_block(frame) or ():
        if symbol.is_variable and symbol.line == 0:
            found.setdefault(name_of(symbol), []).append(_address(symbol, frame))
    return found if BEFORE in found else None


def _iterators(frame: gdb.Frame) -> set[str]:
    """Return the names of the classes in FRAME's loop that may count it: clang has a variable of the
    same class for the first value."""
    own = [(name_of(symbol), object_type(symbol)) for symbol in loop_block(frame) or ()]
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


def loop_block(frame: gdb.Frame) -> Optional[gdb.Block]:
    """Return the innermost block of FRAME's function that has what clang makes for a loop."""
    for block in local_blocks(frame):
        if any(name_of(symbol) == ITERATION for symbol in block):
            return block
    return None


def _address(symbol: gdb.Symbol, frame: gdb.Frame) -> Optional[int]:
    try:
        return address_of(symbol.value(frame))
    except gdb.error:
        return None
