# SPDX-License-Identifier: Apache-2.0
"""Variables that GCC goes on to describe by what was there before they changed, or ended.

Of calls by a function of itself it makes a loop, where it can, and tells its arguments by those of
the first call. A variable that has only one place, a register, it describes by that in all of the
block, also where the register has something else by now. A Fortran procedure ends by freeing its
allocatable arrays, whose descriptors optimised code leaves as they are.
"""

from __future__ import annotations

import re

import gdb

from .._native import FunctionName, WaitReader
from ..host.locations import (
    block_of,
    blocks_in_function,
    executed_by,
    is_clobbered,
    is_constant,
    is_from_entry,
    local_blocks,
    local_symbols,
    locals_named,
    object_type,
    only_base,
    only_register,
)
from ..host.source_text import is_known, lines_between
from ..host.line_table import entries_of, line_entries
from ..host.linker_symbols import symbol_at
from ..host.charset import is_fortran, name_of

_FREES = re.compile(r"free(?:@|$)")  # the C library calls it __libc_free, too
_OPTIMISED_BY_GCC = re.compile(r"^GNU .* -O(?!0)")


def is_of_first_call(name: str, frame: gdb.Frame, code: WaitReader) -> bool:
    """Tell whether NAME is told from what the function of FRAME was called with, which may be a loop
    that was made of its calls of itself. FRAME must be selected."""
    block = block_of(frame)
    while block is not None and block.function is None:
        block = block.superblock
    file = frame.find_sal().symtab
    if block is None or file is None or not (file.producer or "").startswith("GNU "):
        return False
    own = next(locals_named(name, frame), None)
    if own is None or not (
        own.is_argument and is_constant(own, frame) or is_from_entry(name, frame)
    ):
        return False
    ways = code.at(frame.pc()).ways_inside
    return any(to <= begin for begin, to in ways) and _may_call_itself(block)


def _may_call_itself(block: gdb.Block) -> bool:
    """Tell whether the text of the function of BLOCK has its name once more, or is not there."""
    own = block.function
    if not is_known(own.symtab, own.line):
        return True
    table = line_entries(own.symtab)
    last = max(
        (each.line for each in table if block.start <= each.pc < block.end), default=own.line
    )
    name = FunctionName(FunctionName(own.name).without_parameters).without_template_arguments
    called = re.compile(rf"\b{re.escape(name.split('::')[-1])}\s*\(", re.IGNORECASE)
    return len(called.findall("\n".join(lines_between(own.symtab, own.line, last + 1)))) > 1


def is_of_used_register(name: str, frame: gdb.Frame, code: WaitReader) -> bool:
    """Tell whether NAME is described by one register in all of its block, which may hold something
    else here: of what is told from such a one, as by Fortran's contained procedures, what the caller
    has in it. FRAME must be selected."""
    own, file = only_register(name), frame.find_sal().symtab
    register = own or only_base(name)
    if register is None or file is None:
        return False
    at = code.at(frame.pc())
    if at.is_callers(register):
        return True
    if own is None:
        return False
    # GCC goes on to describe a variable by such a register, and others do where it is set anew.
    if not is_clobbered(register, frame) and not _OPTIMISED_BY_GCC.search(file.producer or ""):
        return False
    block = next(
        (b for b in blocks_in_function(block_of(frame)) if any(name_of(s) == name for s in b)), None
    )
    # What a body has from the code around by value it does not change.
    is_unchanged = (
        block is not None and FunctionName(frame.name()).is_gccs_body and bool(block.function)
    )
    if block is None or at.is_set_again(register, block.start, block.end, is_unchanged):
        return block is not None
    # What is put there first may be another variable that is described by the same register.
    others = {name_of(s) for s in local_symbols(frame) if s.needs_frame} - {name}
    return at.times_set(register, block.start, block.end) > 1 and any(
        only_register(other) == register for other in others
    )


def is_freed(name: str, frame: gdb.Frame, code: WaitReader) -> bool:
    """Tell whether the Fortran procedure of FRAME ends, and may have freed NAME, which it has
    allocated. FRAME must be selected."""
    own = next(locals_named(name, frame), None) if is_fortran() else None
    body, at = frame.function(), frame.find_sal()
    if own is None or own.type is None or own.is_argument or body is None or at.line <= body.line:
        return False
    *_, whole = local_blocks(frame)
    entries = (each for each in entries_of(body) if whole.start <= each.pc < whole.end)
    is_led_to = object_type(own).code == gdb.TYPE_CODE_PTR  # a scalar, or text of any length
    if not (is_led_to or object_type(own).dynamic) or any(e.line > at.line for e in entries):
        return False
    before = (call for call in code.at(executed_by(frame)).calls_made if call.address < frame.pc())
    lines = at.line, own.line  # one of automatic length is freed where it is declared
    called = (symbol_at(c.target) for c in before if gdb.find_pc_line(c.address).line in lines)
    return any(each is not None and _FREES.search(each.name) for each in called)
