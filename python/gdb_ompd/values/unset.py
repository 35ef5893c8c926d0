# SPDX-License-Identifier: Apache-2.0
"""Variables that are described before they have their values: where a construct's body begins, it first
copies what it has from the code around. GCC also describes values by arithmetic that is not the
code's, and clang places by a frame pointer that the function has only between its first and its last
instructions."""

from __future__ import annotations

import re
from typing import Optional

import gdb

from .._native import FunctionName, WaitReader
from ..host.charset import name_of
from ..host.expressions import address_of, referred
from ..host.inlined import begin_of, end_of_stack, function_around
from ..host.line_table import entries_of
from ..host.locations import (
    FRAME_POINTERS,
    REFERENCES,
    block_of,
    described_here,
    innermost_named,
    local_symbols,
    object_type,
)
from ..host.selection import integer_type, level_of
from .misdescribed import line_of_body

_SCALARS = (
    gdb.TYPE_CODE_INT,
    gdb.TYPE_CODE_BOOL,
    gdb.TYPE_CODE_CHAR,
    gdb.TYPE_CODE_ENUM,
    gdb.TYPE_CODE_FLT,
    gdb.TYPE_CODE_PTR,
    *REFERENCES,
)
_WIDEST = 8  # bytes that one instruction stores
# Where the frame is aligned as a vector is.
_CLANGS_ALIGNED_SLOT = re.compile(r"\b0: DW_OP_breg7 (-?\d+) \[\$rsp\]\s*$")
_CLANGS_SLOT = re.compile(r"frame base reg \$rbp offset (-?\d+)\+(-?\d+)")
_SLOT = re.compile(r"\b0: DW_OP_fbreg (-?\d+)(?:(\s+\d: DW_OP_deref\b)|\s*$)")
_FRAME_BASE = 16  # where GCC's is from the frame pointer
_SETS_UP_FRAME = 4  # bytes of code
_RED_ZONE = 128  # bytes below the stack pointer that are a function's own
_DIVIDES, _SHIFTS = re.compile(r"DW_OP_(?:div|mod)\b"), re.compile(r"DW_OP_shra\b")
_EXTENDED = re.compile(
    r"DW_OP_const1u 32\n\s*\d+: DW_OP_shl\n\s*\d+: DW_OP_const1u 32\n\s*\d+: DW_OP_shra\b"
)
_IN_FRAME = re.compile(r"DW_OP_fbreg (-?\d+)\n\s*\d+: DW_OP_deref_size 4\n(?!\s*\d+: extended)")
_REGISTER = re.compile(r"DW_OP_breg\d+ -?\d+ \[\$(\w+)\](?!\n\s*\d+: extended)")


def is_not_copied_yet(name: str, frame: gdb.Frame, code: WaitReader) -> bool:
    """Tell whether FRAME, which is selected, is where the body of a construct begins, and has not yet
    stored what NAME is."""
    if level_of(frame) != 0 or not FunctionName(frame.name()).is_region_body:
        return False
    slot, is_led_to, pointer = _slot(name, frame)
    function, pc = frame.function(), frame.pc()
    if function is None:
        return False
    lines = line_of_body(frame), function.line
    if not (is_led_to or frame.find_sal().line in lines):
        return False
    begin = begin_of(function_around(block_of(frame)))
    calls = code.at(pc).calls_made
    if slot is not None and slot >= 0 and pointer == "rbp":  # the caller has stored it
        return bool(pc < begin + _SETS_UP_FRAME)
    if slot is not None and not any(begin <= call.address < pc for call in calls):
        if not code.at(pc).is_stored(pointer, slot):
            return True
    if any(begin <= each.pc <= pc and each.line not in lines for each in entries_of(function)):
        return False
    return _is_copied_later(name, frame, 0 if calls else _RED_ZONE)


def _is_copied_later(name: str, frame: gdb.Frame, red_zone: int) -> bool:
    """Tell whether NAME, which the body of FRAME may have a copy of, is in memory that is not FRAME's
    yet, or is copied in two steps: of what has any length first the bounds. A function that calls
    nothing has a RED_ZONE behind its stack."""
    own = [symbol for symbol in innermost_named(name, frame) if not symbol.is_argument]
    if not own or own[-1].line >= line_of_body(frame):
        return False
    try:
        address = address_of(referred(own[-1].value(frame)))
    except gdb.error:
        return False  # it is said when the value is asked
    end = int(frame.read_register("sp")) - red_zone
    return address is not None and (object_type(own[-1]).dynamic or address < end)


def _slot(name: str, frame: gdb.Frame) -> tuple[Optional[int], bool, str]:
    """Return where the variable is, or what leads to it, and which it is, from the pointer to the frame
    or to the stack."""
    block, body = block_of(frame), FunctionName(frame.name())
    symbol = gdb.lookup_symbol(name, block)[0] if block is not None else None
    if symbol is None or not symbol.needs_frame or frame.architecture().name() != "i386:x86-64":
        return None, False, ""
    said, kind = described_here(name, frame), symbol.type.strip_typedefs()
    is_one = kind.code in _SCALARS and kind.sizeof <= _WIDEST
    found = _CLANGS_SLOT.search(said)
    if found is not None:
        return int(found.group(1)) + int(found.group(2)) if is_one else None, False, "rbp"
    found = _CLANGS_ALIGNED_SLOT.search(said) if body.is_clangs_body else None
    if found is not None:
        return int(found.group(1)) if is_one else None, False, "rsp"
    found = _SLOT.search(said)
    if found is None or not (is_one or found.group(2)):
        return None, False, ""
    offset = int(found.group(1)) + (_FRAME_BASE if body.is_gccs_body else 0)
    return offset, bool(found.group(2)), "rbp"


def is_by_callers_frame(name: str, frame: gdb.Frame, code: WaitReader) -> bool:
    """Tell whether NAME is described by a frame pointer that FRAME, which is selected, has not set up
    yet, or has given back to its caller."""
    pointer = FRAME_POINTERS.get(frame.architecture().name())
    if pointer is None or level_of(frame) != 0 or not code.at(frame.pc()).is_callers(pointer):
        return False
    said, by_pointer = described_here(name, frame), f"frame base reg ${pointer}"
    if "DW_OP_fbreg" not in said:
        return by_pointer in said
    # Of what is complex GDB does not tell the base: it is that of others.
    return any(by_pointer in described_here(name_of(s), frame) for s in local_symbols(frame))


def is_told_by_quotient(name: str, frame: gdb.Frame) -> bool:
    """Tell whether NAME is described by a quotient or a shift. FRAME must be selected."""
    block = block_of(frame)
    symbol = gdb.lookup_symbol(name, block)[0] if block is not None else None
    if symbol is None or symbol.addr_class != gdb.SYMBOL_LOC_COMPUTED:
        return False
    said = described_here(name, frame)
    return any(each.search(said) for each in (_DIVIDES, _SHIFTS))


def is_divided(name: str, frame: gdb.Frame) -> bool:
    """Tell whether NAME is described by the quotient of a register, or of memory, of which the code may
    have 4 bytes alone, or by its sign: GCC takes all 8. FRAME must be selected."""
    if not is_told_by_quotient(name, frame):
        return False
    said = _EXTENDED.sub("extended", described_here(name, frame))
    divides = _DIVIDES.search(said) is not None
    is_wrong = _may_be_more if divides else _has_sign_of_half
    registers = _REGISTER.findall(said) if divides or _SHIFTS.search(said) else []
    if any(map(is_wrong, map(frame.read_register, registers))):
        return True
    return divides and any(_is_below_0(int(at), frame) for at in _IN_FRAME.findall(said))


def _is_below_0(offset: int, frame: gdb.Frame) -> bool:
    """Tell whether 4 bytes of FRAME's stack are a number below 0: GCC extends them by zeros."""
    end = end_of_stack(frame)
    if end is None:
        return True
    return int(gdb.Value(end + offset).cast(integer_type(32).pointer()).dereference()) < 0


def _may_be_more(register: gdb.Value) -> bool:
    if register.type.strip_typedefs().code not in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR):
        return True  # of a vector's part
    value = int(register)
    return not -(1 << 31) <= (value - (1 << 64) if value >> 63 == 1 else value) < 1 << 31


def _has_sign_of_half(register: gdb.Value) -> bool:
    """Tell whether 4 bytes of a register are a number below 0, and all 8 are none."""
    is_number = register.type.strip_typedefs().code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR)
    return is_number and 1 << 31 <= int(register) < 1 << 32
