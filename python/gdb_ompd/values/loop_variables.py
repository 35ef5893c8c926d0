# SPDX-License-Identifier: Apache-2.0
"""The variables that count a loop of clang's, which it describes wrongly without optimisation. In
each iteration it computes them from the iteration's number, and stores them where it describes
nothing. The code tells where that is."""

from __future__ import annotations

from typing import Iterable, Iterator, Mapping

import gdb

from .._native import LoopCounter, WaitReader
from ..host.charset import name_of
from ..host.expressions import address_of
from ..host.locations import local_symbols
from .first_values import ITERATION, first_valued, frame_pointer, loop_block


def counters(frame: gdb.Frame, code: WaitReader) -> Mapping[str, gdb.Value]:
    """Return the variables that count the innermost loop of FRAME, as the code stores them, by
    name. There are none where it has not stored them yet in this iteration, or where they cannot be
    told apart."""
    described, base, pc = first_valued(frame), frame_pointer(frame), frame.pc()
    if not described or base is None:
        return {}
    own = (symbol for symbol in loop_block(frame) or () if name_of(symbol) == ITERATION)
    at = next(_places(own, frame), None)
    if at is None:
        return {}
    known = {address - base for address in _places(local_symbols(frame), frame)}
    stores = code.at(pc).loop_counters(at - base)
    found = {each.offset: each for each in reversed(stores) if each.offset not in known}
    # The user's variables are before what the compiler puts aside, and in the order of the loops.
    chosen = [found[offset] for offset in sorted(found, reverse=True)[: len(described)]]
    in_order = sorted(chosen, key=lambda each: each.stored_at)
    if len(chosen) < len(described) or chosen != in_order:
        return {}
    if not all(each.stored_at <= pc <= each.loop_ends for each in chosen):
        return {}
    if not all(map(_fits, chosen, described.values())):
        return {}
    return {
        name: gdb.Value(base + each.offset).cast(symbol.type.pointer()).dereference()
        for each, (name, symbol) in zip(chosen, described.items())
    }


def _fits(counter: LoopCounter, symbol: gdb.Symbol) -> bool:
    """Tell whether a variable may be what the code stores: of a class is what it passes on."""
    kind = symbol.type.strip_typedefs()
    width = 0 if kind.code == gdb.TYPE_CODE_STRUCT else kind.sizeof
    return bool(counter.width == width)


def _places(symbols: Iterable[gdb.Symbol], frame: gdb.Frame) -> Iterator[int]:
    """Yield where variables of FRAME are in memory, as they are described."""
    for symbol in symbols:
        is_placed = symbol.is_variable or symbol.is_argument
        try:
            address = address_of(symbol.value(frame)) if is_placed else None
        except gdb.error:
            continue
        if address is not None:
            yield address
