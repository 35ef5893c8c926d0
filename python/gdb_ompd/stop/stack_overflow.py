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

from ..model import Thread, ThreadKind
from ..host.fatal_signals import FatalSignal
from ..host.selection import evaluate, kept_selection
from ..explain.facts import Overflow
from .places import Stacks

FAULTS = (1, 2)  # SEGV_MAPERR, SEGV_ACCERR: those that have an address


def overflows(
    inferior: gdb.Inferior,
    stacks: Stacks,
    threads: Sequence[Thread],
    signals: Mapping[int, FatalSignal],
) -> tuple[Overflow, ...]:
    """Return which of THREADS of the selected INFERIOR stand where their stack ended.
    SIGNALS are those that have stopped them."""
    with kept_selection():
        found = [
            _overflow(thread, inferior.pid, stacks, signals[thread.gdb_num])
            for thread in threads
            if thread.gdb_num in signals
        ]
    return tuple(overflow for overflow in found if overflow is not None)


def _overflow(thread: Thread, pid: int, stacks: Stacks, signal: FatalSignal) -> Optional[Overflow]:
    address, initial = signal.address, thread.lwp == pid
    if signal.name != "SIGSEGV" or address is None or signal.code not in FAULTS:
        return None
    start = _place_in_initial_stack() if initial else None
    if start is None and (initial or thread.pthread_id is None):
        return None
    size = stacks.whole.overflowed(thread.gdb_num, address, start, thread.pthread_id or 0)
    worker = None if thread.kind is None else thread.kind is ThreadKind.WORKER
    return None if size is None else Overflow(thread.gdb_num, size, initial, worker)


def _place_in_initial_stack() -> Optional[int]:
    try:
        return int(evaluate("*(unsigned long *) &__libc_stack_end"))
    except gdb.error:
        return None
