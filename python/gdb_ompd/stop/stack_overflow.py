# SPDX-License-Identifier: Apache-2.0
"""Whether a thread has run off the end of its stack.

It has where it stands at a SIGSEGV below its stack and its callers are in it. Where a
thread's stack is, glibc keeps in the thread's descriptor, to which its pthread_t
points: block, size and guard, one after the other (``struct pthread``, nptl/descr.h of
glibc); what they hold tells them from the descriptor's other words. The initial
thread's grows below ``__libc_stack_end`` for as long as it may.
"""

from __future__ import annotations

from typing import Iterator, Mapping, Optional, Sequence

import gdb

from .. import _native
from ..model import Thread, ThreadKind
from ..host.fatal_signals import FatalSignal
from ..host.protocols import READ_ERRORS
from ..host.target import evaluate, kept_selection
from ..explain.facts import Overflow

FAULTS = (1, 2)  # SEGV_MAPERR, SEGV_ACCERR: those that have an address
PAGE = 4096
STEP = 16 * PAGE
MAX_STACK = 1 << 36
DESCRIPTOR = 2304  # of x86-64; what is behind it is the thread's, too, or another's
WORD = 8
# What is written below the stack pointer: the x86-64 ABI's red zone, a call's return address.
BELOW = 256
FEW_FRAMES = 16


def overflows(
    inferior: gdb.Inferior,
    space: _native.AddressSpace,
    threads: Sequence[Thread],
    signals: Mapping[int, FatalSignal],
) -> tuple[Overflow, ...]:
    """Return which of THREADS of the selected INFERIOR stand where their stack ended.
    SIGNALS are those that have stopped them."""
    numbers = {thread.gdb_num: thread for thread in threads}
    found = []
    with kept_selection():
        for native in inferior.threads():
            signal = signals.get(native.num)
            if signal is not None and signal.name == "SIGSEGV" and native.num in numbers:
                native.switch()
                said = _overflow(numbers[native.num], inferior.pid, space, signal)
                if said is not None:
                    found.append(said)
    return tuple(found)


def _overflow(
    thread: Thread, pid: int, space: _native.AddressSpace, signal: FatalSignal
) -> Optional[Overflow]:
    """Judge the selected thread."""
    if signal.address is None or signal.code not in FAULTS:
        return None
    initial = thread.lwp == pid
    stack = _initial_stack(space) if initial else _stack_of(thread.pthread_id, space)
    if stack is None or not _ran_off(signal.address, stack, space):
        return None
    worker = None if thread.kind is None else thread.kind is ThreadKind.WORKER
    return Overflow(thread.gdb_num, len(stack), initial, worker)


def _ran_off(fault: int, stack: range, space: _native.AddressSpace) -> bool:
    """Tell whether a fault is what happens below the end of STACK.

    With a large frame that is far below: then its own end cannot be used either.
    """
    pointers = list(_stack_pointers())
    if not pointers or not pointers[0] - BELOW <= fault < stack.start:
        return False
    caller = next((pointer for pointer in pointers if pointer >= stack.start), None)
    if caller is None or caller not in stack:
        return False  # a stack of the program's own making
    near = fault < pointers[0] + PAGE or fault >= stack.start - PAGE
    return near or not _is_readable(pointers[0], WORD, space)


def _stack_pointers() -> Iterator[int]:
    """Yield the stack pointers of the selected thread's innermost frames."""
    try:
        frame: Optional[gdb.Frame] = gdb.newest_frame()
        for _ in range(FEW_FRAMES):
            if frame is None:
                return
            yield int(frame.read_register("sp")) & ((1 << 64) - 1)
            frame = frame.older()
    except (gdb.error, ValueError):
        return


def _stack_of(descriptor: Optional[int], space: _native.AddressSpace) -> Optional[range]:
    """Return the stack of the thread that has that pthread_t, None if it is not clear."""
    if descriptor is None:
        return None
    try:
        data = space.read(descriptor, DESCRIPTOR)
    except READ_ERRORS:
        return None
    words = [
        int.from_bytes(data[i : i + WORD], space.byte_order) for i in range(0, len(data), WORD)
    ]
    found = {
        range(block + guard, block + size)
        for block, size, guard in zip(words, words[1:], words[2:])
        if _is_block(block, size, guard, descriptor)
    }
    return found.pop() if len(found) == 1 else None


def _is_block(block: int, size: int, guard: int, descriptor: int) -> bool:
    """Tell a stack's block, size and guard: the descriptor is at the block's upper end."""
    pages = not (block % PAGE or guard % PAGE)
    inside = block < descriptor < block + size <= descriptor + DESCRIPTOR + PAGE
    return pages and inside and 0 < guard < size < MAX_STACK


def _initial_stack(space: _native.AddressSpace) -> Optional[range]:
    """Return the initial thread's stack as far as it has grown."""
    try:
        start = int(evaluate("*(unsigned long *) &__libc_stack_end"))
    except gdb.error:
        return None
    low = high = start & -PAGE
    while start - low < MAX_STACK and _is_readable(low - STEP, STEP, space):
        low -= STEP
    while start - low < MAX_STACK and _is_readable(low - PAGE, PAGE, space):
        low -= PAGE
    while high - start < MAX_STACK and _is_readable(high, PAGE, space):
        high += PAGE
    return range(low, high) if low < high else None


def _is_readable(address: int, size: int, space: _native.AddressSpace) -> bool:
    try:
        space.read(address, size)
        return True
    except READ_ERRORS:
        return False
