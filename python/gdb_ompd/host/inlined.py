# SPDX-License-Identifier: Apache-2.0
"""The functions that code is of, perhaps inlined into each other: around a block, and by one
program counter of each frame."""

from __future__ import annotations

from typing import Iterator, Optional

import gdb

_MOST_CALLED = 16


def functions_around(block: Optional[gdb.Block]) -> Iterator[gdb.Block]:
    """Yield the blocks of the functions that BLOCK is in, those that are inlined first."""
    while block is not None:
        if block.function is not None:
            yield block
        block = block.superblock


def function_around(block: Optional[gdb.Block]) -> Optional[gdb.Block]:
    """Return the first of them, None for code of no function that is known."""
    return next(functions_around(block), None)


def block_of(address: int) -> Optional[gdb.Block]:
    """Return the block of the function, perhaps an inlined one, around ADDRESS."""
    return function_around(gdb.block_for_pc(address))


def begin_of(block: gdb.Block) -> int:
    """Return where the function begins that BLOCK, perhaps of an inlined one, is of: not with the
    lowest address where GCC has moved what is seldom executed elsewhere."""
    entry = int(block.function.value().address)
    return entry if block.start <= entry < block.end else int(block.start)


def physical(frame: gdb.Frame) -> gdb.Frame:
    """Return the frame that FRAME's function was inlined into, itself if it was not."""
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return frame


def end_of_stack(frame: gdb.Frame) -> Optional[int]:
    """Return where FRAME's part of the stack ends; None where its caller is not known."""
    caller = physical(frame).older()
    while caller is not None and caller.type() == gdb.INLINE_FRAME:
        caller = caller.older()
    return int(caller.read_register("sp")) if caller is not None else None


def has_called(frame: gdb.Frame) -> bool:
    """Tell whether a frame's registers are those before a call; a signal has kept all."""
    newer = frame.newer()
    while newer is not None and newer.type() == gdb.INLINE_FRAME:  # it is a part of this one
        newer = newer.newer()
    return newer is not None and newer.type() != gdb.SIGTRAMP_FRAME


def called_in(frame: gdb.Frame) -> Optional[tuple[int, ...]]:
    """Return where the functions are that FRAME has called, and these in turn, the innermost first,
    up to one that a signal has interrupted. None where there are too many, or GDB made a frame."""
    found: list[int] = []
    newer = frame.newer()
    while newer is not None and newer.type() != gdb.SIGTRAMP_FRAME:
        if newer.type() == gdb.NORMAL_FRAME:
            found.append(newer.pc())
        if newer.type() not in (gdb.NORMAL_FRAME, gdb.INLINE_FRAME) or len(found) > _MOST_CALLED:
            return None
        newer = newer.newer()
    return tuple(reversed(found))


class InlineDepths:
    """Counts the frames of one stack, from the inside outwards, that have one program counter.

    A thread that stops where an inlined function begins, or several do, may be shown by GDB in the
    function around them. The depth of its innermost frame is then not 0. So the depth of a function
    is the same in all threads that are at one place.
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
        inner, entered = gdb.block_for_pc(pc), newest.block()
    except RuntimeError:
        return 0  # no debug information
    return len(list(functions_around(inner))) - len(list(functions_around(entered)))


def may_begin_inlined(pc: int) -> bool:
    """Tell whether a thread at PC may be about to enter a function that is inlined. Only GDB can
    say in which of the two it is, by how the thread came there."""
    functions = functions_around(gdb.block_for_pc(pc))
    return any(each.start == pc and not each.superblock.is_static for each in functions)


def executes(frame: gdb.Frame, function: int) -> bool:
    """Tell whether a frame executes the code of the function that begins at FUNCTION, which
    may be inlined there."""
    block = function_around(frame.block())
    if block is None or frame.type() != gdb.INLINE_FRAME:
        return block is not None and begin_of(block) == function
    own = block_of(function)
    if own is None or own.function is None or block.function is None:
        return False
    same_file = own.function.symtab.filename == block.function.symtab.filename
    return same_file and bool(own.function.name == block.function.name)
