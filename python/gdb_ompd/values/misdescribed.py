# SPDX-License-Identifier: Apache-2.0
"""Variables of which a compiler's debug information says something else than their value.

Of a loop whose number of iterations is not a constant clang first makes variables to find
out whether there are any, and describes the loop's own by these: without optimisation GDB
shows the first value all along.
"""

from __future__ import annotations

from typing import Iterator, Optional

import gdb

from ..host.charset import name_of
from ..host.expressions import address_of
from ..host.locations import block_of, names_in

ITERATION, BEFORE, AFTER = ".omp.iv", ".capture_expr.", ".omp.lb"


def why_wrong(expression: str, frame: gdb.Frame) -> Optional[str]:
    """Return the name in the expression that is described wrongly in FRAME, None if none is."""
    loop = _loop(frame)
    if loop is None:
        return None
    names = set(names_in(expression)) & set(loop)
    before = [address for address in loop[BEFORE] if address is not None]
    after = next(iter(loop.get(AFTER, ())), None) or 0
    for name in sorted(names):
        found = [address for address in loop[name] if address is not None]
        if before and any(after < address < min(before) for address in found):
            return name
    return None


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


def _block(frame: gdb.Frame) -> Optional[gdb.Block]:
    for block in _blocks(frame):
        if any(name_of(symbol) == ITERATION for symbol in block):
            return block
    return None


def _blocks(frame: gdb.Frame) -> Iterator[gdb.Block]:
    """Yield the blocks of FRAME's function, innermost first."""
    block = block_of(frame)
    while block is not None and not (block.is_static or block.is_global):
        yield block
        if block.function is not None:
            return
        block = block.superblock


def _address(symbol: gdb.Symbol, frame: gdb.Frame) -> Optional[int]:
    try:
        return address_of(symbol.value(frame))
    except gdb.error:
        return None
