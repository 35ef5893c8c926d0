# SPDX-License-Identifier: Apache-2.0
"""Places on the stack that compilers describe as if they were the values of variables: of a number
that is kept there clang leaves out that it is read."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

import gdb

from .locations import REFERENCES, WHOLE_NUMBERS, block_of, described_here, taken_by_gdb

_FROM_STACK = re.compile(r"\b0: DW_OP_(?:breg\d+ -?\d+ \[\$([re]?sp|[re]bp|x29)\]|fbreg\b)")
_OPERATION = re.compile(r"DW_OP_\w+")
# A place on the stack that is cut to the width of the value there.
_CUT_PLACE = re.compile(
    r"\[\$[re]?[sb]p\]\n[^\n]*DW_OP_constu \d+\n[^\n]*DW_OP_and\n[^\n]*DW_OP_deref"
)
# What is computed from a place on the stack, and not from what is there.
_SPILLED = re.compile(
    r"\b0: DW_OP_breg\d+ (-?\d+) \[\$(r[sb]p)\]((?:\n\s*\d+: DW_OP_\w+(?: -?\d+)?)*)"
    r"\n\s*\d+: DW_OP_stack_value$"
)
_STEP = re.compile(r"DW_OP_(?:(const|lit)(\d*)[us]?|([a-z_]+))(?: (-?\d+))?\n")
_MOST_OF_FRAME = 1 << 20  # bytes


class Spilled(NamedTuple):
    """Where a number is kept on the stack, and what is done to it: operations of two, with the second
    one's number."""

    address: int
    steps: list[tuple[str, int]]


def spilled(name: str, frame: gdb.Frame) -> Optional[Spilled]:
    """Return where the stack has the number NAME, which is described as computed from that place:
    clang leaves out that it is read. FRAME must be selected."""
    own = taken_by_gdb(name, frame)
    code = own.type.strip_typedefs().code if own is not None else None
    if code not in WHOLE_NUMBERS or code == gdb.TYPE_CODE_BOOL:
        return None
    found = _SPILLED.search(described_here(name, frame))
    if found is None or not _is_in_stack_of(found[2], frame):
        return None
    steps = _steps(found[3])
    address = int(frame.read_register(found[2])) + int(found[1])
    return None if steps is None else Spilled(address, steps)


def _is_in_stack_of(register: str, frame: gdb.Frame) -> bool:
    """Tell whether a register leads to FRAME's own part of the stack, as a number never does."""
    stack = int(frame.read_register("sp"))  # so GDB names that of each processor
    return stack <= int(frame.read_register(register)) < stack + _MOST_OF_FRAME


def _steps(text: str) -> Optional[list[tuple[str, int]]]:
    """Return what a description computes; None if not each step is one of two numbers, of which the
    second is told, and the low bytes of the result come from low bytes."""
    found: list[tuple[str, int]] = []
    number: Optional[int] = None
    for constant, own, operation, operand in _STEP.findall(text + "\n"):
        if constant and number is None:
            number = int(operand or own)
        elif operation == "plus_uconst" and number is None:
            found.append(("plus", int(operand)))
        elif operation in ("plus", "minus", "mul") and number is not None:
            found.append((operation, number))
            number = None
        else:
            return None
    return found if number is None else None


def is_place_for_value(name: str, frame: gdb.Frame) -> bool:
    """Tell whether the place on the stack in which a variable of FRAME is, which is no pointer, is
    described as if it was the value. FRAME must be selected."""
    block = block_of(frame)
    symbol = gdb.lookup_symbol(name, block)[0] if block is not None else None
    if symbol is None or symbol.addr_class != gdb.SYMBOL_LOC_COMPUTED:
        return False
    if symbol.type.strip_typedefs().code in (gdb.TYPE_CODE_PTR, *REFERENCES):
        return False
    if spilled(name, frame) is not None:
        return False
    said = described_here(name, frame)
    operations = _OPERATION.findall(said)
    begin = _FROM_STACK.search(said)
    return _CUT_PLACE.search(said) is not None or (
        begin is not None
        and (begin[1] is None or _is_in_stack_of(begin[1], frame))
        and operations[-1] == "DW_OP_stack_value"
        and not any(each.startswith("DW_OP_deref") for each in operations)
    )
