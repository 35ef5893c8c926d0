# SPDX-License-Identifier: Apache-2.0
"""Which of the functions that are inlined at one program counter each frame is of, and where a
block's function begins."""

from __future__ import annotations

from typing import Optional

import gdb


def begin_of(block: gdb.Block) -> int:
    """Return where the function begins that BLOCK, perhaps of an inlined one, is of: not with the
    lowest address where GCC has moved what is seldom executed elsewhere."""
    entry = int(block.function.value().address)
    return entry if block.start <= entry < block.end else int(block.start)


class InlineDepths:
    """Counts the frames of one stack, from the inside outwards, that have one program counter.

    A thread that stops where an inlined function begins, or several do, may be shown by GDB in
    the function around them: the depth of its innermost frame is then not 0, so that the depth of
    a function is the same in all threads that are at one place.
    """

    def __init__(self) -> None:
        self._pc: Optional[int] = None
        self._depth = 0

    def next(self, frame: gdb.Frame, pc: int) -> int:
        """Return the depth of the next FRAME, which is at PC."""
        if self._pc is None:
            self._depth = _not_entered(frame, pc)
        else:
            self._depth = self._depth + 1 if pc == self._pc else 0
        self._pc = pc
        return self._depth


def _not_entered(newest: gdb.Frame, pc: int) -> int:
    """Return how many functions that are inlined at PC the NEWEST frame is about to enter."""
    try:
        return _functions(gdb.block_for_pc(pc)) - _functions(newest.block())
    except RuntimeError:
        return 0  # no debug information


def _functions(block: Optional[gdb.Block]) -> int:
    """Return how many functions are inlined into each other where BLOCK is, with the outermost."""
    count = 0
    while block is not None and not (block.is_static or block.is_global):
        count += block.function is not None
        block = block.superblock
    return count
