# SPDX-License-Identifier: Apache-2.0
"""Variables that GCC describes as unchanged between the copies of a loop's body that it has made.

Where GCC unrolls a loop late, it counts the copies with another register. It goes on to describe
what the loop changes by the first one: a line has the same value in two copies.
"""

from __future__ import annotations

import re
from typing import Iterator

import gdb

from .._native import WaitReader
from ..host.directives import line_text
from ..host.line_table import line_entries
from ..host.locations import Described, described_at, executed_by, local_blocks, locals_named
from ..host.source_text import is_known

_UNROLLS = re.compile(r"GNU .* -f(?:unroll-(?:all-)?loops|profile-use)")
_PRAGMA = re.compile(r"#\s*pragma\s+GCC\s+unroll|!GCC\$\s+unroll", re.IGNORECASE)
_CHANGED = r"(?:\+\+|--)\s*{0}\b|\b{0}\s*(?:\+\+|--|(?:<<|>>|[-+*/%&|^])?=(?!=))"

_MOST_DIRECTIVES = 3  # before the loop that declares a variable


def is_of_another_copy(name: str, frame: gdb.Frame, code: WaitReader) -> bool:
    """Tell whether NAME, which its loop changes, is described by one value where FRAME executes a
    line and in another copy of that. FRAME must be selected."""
    at, own = frame.find_sal(), next(locals_named(name, frame), None)
    if own is None or at.symtab is None or own.addr_class != gdb.SYMBOL_LOC_COMPUTED:
        return False
    lines = range(own.line, _last_line(frame, at.line) + 1)
    if not _unrolls(at.symtab, range(own.line - _MOST_DIRECTIVES, lines.stop)):
        return False
    pc = executed_by(frame)
    places = set(_same_calls(pc, at.line, code)) or _places(at.symtab, at.line)
    here = max((place for place in places if place <= pc), default=None)
    if here is None:
        return False
    described = dict(zip(places, described_at(name, list(places))))
    value = described.pop(here)

    def leads(first: int, last: int, known: Described) -> bool:
        return code.at(first).may_stay(last, known.registers, known.slots)

    if value is None:
        return False
    others = [other for other in described.values() if other is not None and other.registers]
    # GCC 14 may have the first copy's value in another register: that it is the same is not seen.
    has_other = value.registers and any(value.registers != other.registers for other in others)
    if not has_other and not any(
        leads(place, here, value) or leads(here, place, value)
        for place, other in described.items()
        if other == value
    ):
        return False
    return _is_changed(name, own, lines) or any(
        leads(here, place, Described("", [], [])) for place in _places(own.symtab, own.line)
    )


def _unrolls(symtab: gdb.Symtab, lines: range) -> bool:
    """Tell whether GCC was asked to unroll loops, by an option or in one of the lines."""
    producer = symtab.producer or ""
    return _UNROLLS.match(producer) is not None or (
        producer.startswith("GNU ") and any(_PRAGMA.search(line_text(symtab, n)) for n in lines)
    )


def _places(symtab: gdb.Symtab, line: int) -> set[int]:
    """Return where the code of a line begins, as far as GDB has kept that."""
    return {entry.pc for entry in symtab.linetable().line(line) or ()}


def _same_calls(pc: int, line: int, code: WaitReader) -> Iterator[int]:
    """Yield where a line calls the function that it calls at PC, if it does."""
    calls = code.at(pc).calls_made
    own = next((call.target for call in calls if call.address <= pc < call.returns_to), None)
    for call in calls:
        if call.target == own and gdb.find_pc_line(call.address).line == line:
            yield call.address


def _last_line(frame: gdb.Frame, line: int) -> int:
    """Return the last line of FRAME's function."""
    *_, whole = local_blocks(frame)
    table = line_entries(frame.find_sal().symtab)
    return max((e.line for e in table if whole.start <= e.pc < whole.end), default=line)


def _is_changed(name: str, own: gdb.Symbol, lines: range) -> bool:
    """Tell whether a line of these may change the variable NAME, but for its declaration."""
    if not is_known(own.symtab, own.line):
        return not own.is_argument
    changed = re.compile(_CHANGED.format(re.escape(name)), re.IGNORECASE)
    for line in lines:
        for found in changed.finditer(line_text(own.symtab, line)):
            if line > own.line or not found.group().endswith("="):
                return True
    return False
