# SPDX-License-Identifier: Apache-2.0
"""Whether a thread has run off the end of its stack.

It has where it stands at a SIGSEGV below its stack and its callers are in it. Where a
thread's stack is, glibc keeps in the thread's descriptor, to which its pthread_t
points: block, size and guard, one after the other (``struct pthread``, nptl/descr.h of
glibc); what they hold tells them from the descriptor's other words. The initial
thread's grows below ``__libc_stack_end`` for as long as it may.
"""

from __future__ import annotations

from typing import Mapping, Optional, Sequence

import gdb

from .. import _native
from ..model import Thread, ThreadKind
from ..host.fatal_signals import FatalSignal
from ..host.selection import evaluate, kept_selection
from ..explain.facts import Overflow

FAULTS = (1, 2)  # SEGV_MAPERR, SEGV_ACCERR: those that have an address
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
    stack: Optional[tuple[int, int]] = None
    if initial:
        stack = _initial_stack(space)
    elif thread.pthread_id is not None:
        stack = _native.stack_of(space, thread.pthread_id)
    if stack is None or not _native.ran_off(space, signal.address, stack, _stack_pointers()):
        return None
    worker = None if thread.kind is None else thread.kind is ThreadKind.WORKER
    return Overflow(thread.gdb_num, stack[1] - stack[0], initial, worker)


def _stack_pointers() -> list[int]:
    """Return the stack pointers of the selected thread's innermost frames."""
    found: list[int] = []
    try:
        frame: Optional[gdb.Frame] = gdb.newest_frame()
        while frame is not None and len(found) < FEW_FRAMES:
            found.append(int(frame.read_register("sp")) & ((1 << 64) - 1))
            frame = frame.older()
    except (gdb.error, ValueError):
        pass
    return found


def _initial_stack(space: _native.AddressSpace) -> Optional[tuple[int, int]]:
    """Return the initial thread's stack as far as it has grown."""
    try:
        return _native.initial_stack(space, int(evaluate("*(unsigned long *) &__libc_stack_end")))
    except gdb.error:
        return None
