# SPDX-License-Identifier: Apache-2.0
"""Variables that GCC goes on to describe by what was there before they changed, or ended.

Of calls by a function of itself it makes a loop, where it can, and tells its arguments by those of
the first call. A variable that has only one place, a register, it describes by that in all of the
block, also where the register has something else by now.
"""

from __future__ import annotations

import re

import gdb

from .._native import FunctionName, WaitReader
from ..host.locations import (
    block_of,
    blocks_in_function,
    is_clobbered,
    is_constant,
    is_from_entry,
    local_symbols,
    locals_named,
    only_register,
)
from ..host.source_text import is_known, lines_between
from ..host.line_table import line_entries
from ..host.charset import name_of

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
    else here. FRAME must be selected."""
    register, file = only_register(name), frame.find_sal().symtab
    if register is None or file is None:
        return False
    at = code.at(frame.pc())
    if at.is_callers(register):
        return True
    # GCC goes on to describe a variable by such a register, and others do where it is set anew.
    if not is_clobbered(register, frame) and not _OPTIMISED_BY_GCC.search(file.producer or ""):
        return False
    own = next(
        (b for b in blocks_in_function(block_of(frame)) if any(name_of(s) == name for s in b)), None
    )
    # What a body has from the code around by value it does not change.
    is_unchanged = (
        own is not None and FunctionName(frame.name()).is_gccs_body and bool(own.function)
    )
    if own is None or at.is_set_again(register, own.start, own.end, is_unchanged):
        return own is not None
    # What is put there first may be another variable that is described by the same register.
    others = {name_of(s) for s in local_symbols(frame) if s.needs_frame} - {name}
    return at.times_set(register, own.start, own.end) > 1 and any(
        only_register(other) == register for other in others
    )
