# SPDX-License-Identifier: Apache-2.0
"""Variables that are elsewhere than is described, or where another frame has them.

Optimised, clang tells places from the stack pointer, and does not say that arguments which are pushed
for a call have moved that. What a construct's body has by reference is lost where its function is
inlined into the one that only calls it, and may be known there. What clang computes from a number
that it keeps on the stack it describes as computed from the place. Of a truth value that is in a
register or computed only the last bit counts: neither compiler describes that the others are cut off.
"""

from __future__ import annotations

import re
from operator import add, mul, sub
from typing import Optional

import gdb

from .._native import CodeAt, FunctionName, WaitReader
from ..host.expressions import address_of
from ..host.locations import (
    REFERENCES,
    at_stack_pointer_before,
    clobbered_of,
    described_here,
    in_clobbered,
    innermost_named,
    is_at_stack_pointer,
    is_from_stack_pointer,
    taken_by_gdb,
)
from ..host.stack_places import spilled
from .overwritten import overwritten
from .statics import copied_in

_NO_PLACE = re.compile(r"DW_OP_stack_value$|^a variable in \$\w+$")
_COMPUTED = {"plus": add, "minus": sub, "mul": mul}


def is_pushed(name: str, frame: gdb.Frame, code: WaitReader) -> bool:
    """Return whether NAME is in another place than is described, which is not known."""
    pushed = code.at(frame.pc()).pushed_arguments
    if pushed == 0 or not is_from_stack_pointer(name, frame):
        return False
    return pushed is None or _behind(name, frame, pushed) is None


def elsewhere(name: str, frame: gdb.Frame, code: WaitReader) -> Optional[gdb.Value]:
    """Return the variable NAME of FRAME, which must be selected; None where it is as is described,
    or nowhere. What a threadprivate one is copied from is another."""
    if copied_in(name, frame) is not None:
        return None
    at = code.at(frame.pc())
    pushed = at.pushed_arguments
    if pushed and is_from_stack_pointer(name, frame):
        return _behind(name, frame, pushed)
    value = _where_it_was(name, frame, at) if pushed else from_stack(name, frame)
    return _handed_on(name, frame, code) if value is None else value


def _behind(name: str, frame: gdb.Frame, pushed: int) -> Optional[gdb.Value]:
    """Return what is so many bytes behind where a variable is described, if all of that is told."""
    named = innermost_named(name, frame)
    if len(named) != 1 or not is_at_stack_pointer(name, frame) or named[0].type.dynamic:
        return None
    address = None if named[0].type.code in REFERENCES else address_of(named[0].value(frame))
    if address is None:
        return None
    return gdb.Value(address + pushed).cast(named[0].type.pointer()).dereference()


def truth_of(name: str, frame: gdb.Frame) -> Optional[gdb.Value]:
    """Return the truth value NAME of FRAME, which must be selected, where it is in a register or is
    computed; None for another variable, and where it is in memory."""
    own = taken_by_gdb(name, frame)
    if own is None or own.addr_class != gdb.SYMBOL_LOC_COMPUTED:
        return None
    kind = own.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_BOOL or kind.sizeof != 1:
        return None
    if _NO_PLACE.search(described_here(name, frame)) is None:
        return None
    return gdb.Value(int(own.value(frame)) & 1).cast(own.type)


def is_told_before_pushes(name: str, frame: gdb.Frame, code: WaitReader) -> bool:
    """Tell whether arguments are pushed where FRAME is, and NAME is where it was told until then."""
    return _where_it_was(name, frame, code.at(frame.pc())) is not None


def from_stack(name: str, frame: gdb.Frame) -> Optional[gdb.Value]:
    """Return the number NAME of FRAME, which must be selected, where it is described as computed from
    its place on the stack; None for another variable. Nothing must have been pushed."""
    place, own = spilled(name, frame), taken_by_gdb(name, frame)
    if place is None or own is None:
        return None
    value = gdb.Value(place.address).cast(own.type.pointer()).dereference() + 0
    for operation, number in place.steps:
        value = _COMPUTED[operation](value, number)
    return value.cast(own.type)


def _where_it_was(name: str, frame: gdb.Frame, at: CodeAt) -> Optional[gdb.Value]:
    """Return the variable NAME of FRAME, which is AT where arguments are pushed, if it was told by the
    stack pointer until that was moved for them. For where it is clang then tells nothing."""
    own, moved, pushed = taken_by_gdb(name, frame), at.pushes_from, at.pushed_arguments
    if own is None or moved is None or pushed is None or own.type.dynamic:
        return None
    offset = at_stack_pointer_before(name, moved, frame)
    if offset is None:
        return None
    address = int(frame.read_register("rsp")) + pushed + offset
    return gdb.Value(address).cast(own.type.pointer()).dereference()


def _handed_on(name: str, frame: gdb.Frame, code: WaitReader) -> Optional[gdb.Value]:
    """Return what the function that only calls FRAME's refers to by NAME, where that is lost in
    FRAME."""
    caller, own = frame.older(), innermost_named(name, frame)
    if caller is None or not FunctionName(caller.name()).is_wrapper_of(frame.name()):
        return None
    same = innermost_named(name, caller)
    if (
        len(own) != 1
        or len(same) != 1
        or not _is_handed_over(own[0])
        or own[0].type != same[0].type
    ):
        return None
    if not own[0].value(frame).is_optimized_out or same[0].value(caller).is_optimized_out:
        return None
    caller.select()
    try:
        if overwritten(in_clobbered(name, caller), caller, code) is not None:
            return None
        return None if _is_moved(name, caller, code) else same[0].value(caller).referenced_value()
    finally:
        frame.select()


def may_be_lost(name: str, frame: gdb.Frame) -> bool:
    """Tell whether NAME is what a construct's body of clang's, which FRAME executes and must be
    selected, has by reference, and that may be lost. It is the variable of the code around."""
    own = taken_by_gdb(name, frame) if FunctionName(frame.name()).is_clangs_body else None
    if own is None or not _is_handed_over(own) or copied_in(name, frame) is not None:
        return False
    return bool(own.value(frame).is_optimized_out or clobbered_of(name, frame))


def _is_moved(name: str, frame: gdb.Frame, code: WaitReader) -> bool:
    pushed = code.at(frame.pc()).pushed_arguments
    return pushed != 0 and is_from_stack_pointer(name, frame)


def _is_handed_over(symbol: gdb.Symbol) -> bool:
    return bool(
        symbol.is_argument and symbol.type.code in REFERENCES and not symbol.type.target().dynamic
    )
