# SPDX-License-Identifier: Apache-2.0
"""What GDB adds to the facts of a hang: who has crashed, and whose stack has
overflowed. Native code reads and decides the rest."""

from __future__ import annotations

from itertools import islice
from typing import Mapping, Optional, Sequence

import gdb

from ... import _native
from ...model import Thread, ThreadKind
from ..fatal_signals import FatalSignal
from ..selection import evaluate, kept_selection
from .stacks import GdbStacks
from ...explain.facts import Callback, Crash, Overflow

MAX_ABORT_FRAMES = 12
FAULTS = (1, 2)  # SEGV_MAPERR, SEGV_ACCERR: those that have an address
# What each of these functions, called by the program, tells; the first that is there counts.
_CAUSES = {
    "__assert_fail": "assertion failed",
    "__GI___assert_fail": "assertion failed",
    "__stack_chk_fail": "stack smashed",
    "__cxa_throw": "uncaught exception",
    "__cxa_rethrow": "uncaught exception",
    "__clang_call_terminate": "uncaught exception",
    "__cxa_call_terminate": "uncaught exception",
    "std::terminate()": "std::terminate",
    "malloc_printerr": "heap damaged",
}


def callbacks(stacks: GdbStacks, found: Sequence[_native.CalledBack]) -> tuple[Callback, ...]:
    """Return the functions FOUND that may let locks go when they are called back, with their
    places."""
    return tuple(Callback(one.lock, stacks.names.begins(one.function)) for one in found)


def crashes(stacks: GdbStacks, signals: Mapping[int, FatalSignal]) -> tuple[Crash, ...]:
    """Return the threads that SIGNALS have stopped, with what their stacks say of why."""
    return tuple(
        Crash(number, signal.name, signal.address, _cause(stacks, number))
        for number, signal in sorted(signals.items())
    )


def _cause(stacks: GdbStacks, gdb_num: int) -> Optional[str]:
    """Say what has aborted the program, by what called abort."""
    frames = islice(stacks.frames.of(gdb_num), MAX_ABORT_FRAMES)
    names = [frame.name() or "" for frame in frames]
    return next((said for name, said in _CAUSES.items() if name in names), None)


def overflows(
    inferior: gdb.Inferior,
    stacks: GdbStacks,
    threads: Sequence[Thread],
    signals: Mapping[int, FatalSignal],
) -> tuple[Overflow, ...]:
    """Return which of THREADS of the selected INFERIOR stand where their stack ended: at a SIGSEGV
    below it, with their callers in it. SIGNALS are those that have stopped them.

    Where a thread's stack is, glibc keeps in the thread's descriptor, to which its pthread_t
    points. It has block, size and guard, one after the other (``struct pthread``, nptl/descr.h of
    glibc). What they hold tells them from the descriptor's other words. The initial thread's grows
    below ``__libc_stack_end`` for as long as it may.
    """
    with kept_selection():
        found = [
            _overflow(thread, inferior.pid, stacks, signals[thread.gdb_num])
            for thread in threads
            if thread.gdb_num in signals
        ]
    return tuple(overflow for overflow in found if overflow is not None)


def _overflow(
    thread: Thread, pid: int, stacks: GdbStacks, signal: FatalSignal
) -> Optional[Overflow]:
    address, initial = signal.address, thread.lwp == pid
    if signal.name != "SIGSEGV" or address is None or signal.code not in FAULTS:
        return None
    start = _place_in_initial_stack() if initial else None
    if start is None and (initial or thread.pthread_id is None):
        return None
    size = stacks.native.overflowed(thread.gdb_num, address, start, thread.pthread_id or 0)
    worker = None if thread.kind is None else thread.kind is ThreadKind.WORKER
    return None if size is None else Overflow(thread.gdb_num, size, initial, worker)


def _place_in_initial_stack() -> Optional[int]:
    try:
        return int(evaluate("*(unsigned long *) &__libc_stack_end"))
    except gdb.error:
        return None
