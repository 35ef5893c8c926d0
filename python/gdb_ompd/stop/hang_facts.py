# SPDX-License-Identifier: Apache-2.0
"""Gathers what ``ompd why`` concludes from: each thread's wait, its place in the code,
and the runtime's own words for it; who has crashed, and whose stack has overflowed. Native
code decides, GDB names."""

from __future__ import annotations

from itertools import islice
from typing import Any, Callable, Collection, Mapping, NamedTuple, Optional, Sequence

import gdb

from .. import _native
from .._native import TaskView
from ..errors import LibraryFailed, OmpdToolError
from ..model.waits import Kind, MUTEXES, RUNTIME, Wait
from .not_begun import capabilities_of
from ..model import OMP_KINDS, Region, TaskKind, Thread, ThreadKind
from ..host.fatal_signals import FatalSignal
from ..host.locations import executed_by
from ..host.inlined import begin_of, block_of, function_around
from ..host.selection import evaluate, kept_selection
from ..providers.provider import Provider
from .places import Stacks
from .states import state_of
from .system_calls import is_outside, Outside, SystemCalls, WORKS
from ..explain.facts import At, Crash, Facts, LockWord, Overflow
from ..explain.needs import POOL

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


class TaskChain(NamedTuple):
    """The identities of a thread's current task and of its ancestors, innermost first, and
    the current one's outlined FUNCTION."""

    ids: tuple[int, ...] = ()
    function: Optional[int] = None


_Tasks = Callable[[Sequence[int]], Sequence[TaskView]]


def _task_chains(tasks: _Tasks, gdb_nums: Sequence[int]) -> dict[int, TaskChain]:
    """Return by GDB number threads' current tasks with the ancestors of these. One
    thread that cannot be read does not hide the others."""
    found: dict[int, TaskChain] = {}
    try:
        views = tasks(gdb_nums)
    except LibraryFailed:
        raise
    except OmpdToolError:
        if len(gdb_nums) > 1:
            for number in gdb_nums:
                found.update(_task_chains(tasks, [number]))
        return found
    ancestor: dict[int, Optional[int]] = {}  # the next one's depth, by GDB number
    for view in views:
        number = view.task.gdb_num
        if ancestor.setdefault(number, 0) == view.task.depth:
            ancestor[number] = view.task.generating
            known = found.get(number, TaskChain((), view.function))
            found[number] = TaskChain((*known.ids, view.task.task_id), known.function)
    return found


class HangReader:
    """Reads the facts of one inferior at one stop."""

    def __init__(
        self,
        code: _native.CodeMap,
        stacks: Stacks,
        system_calls: SystemCalls,
        providers: Sequence[Provider],
        innermost: Mapping[int, Provider],
    ) -> None:
        """INNERMOST tells whose regions threads are in that several know."""
        self._code = code
        self._stacks = stacks
        self._system_calls = system_calls
        self._innermost = innermost
        found = ((one, capabilities_of(one)) for one in providers)
        self._runtimes = [(one, reads) for one, reads in found if reads is not None]

    def read(
        self,
        threads: Sequence[Thread],
        waits: Mapping[int, Wait],
        in_runtime: Collection[int],
        regions: tuple[Region, ...],
        tasks: _Tasks,
    ) -> Facts:
        """Return the facts. IN_RUNTIME are those of THREADS that have no frame of the user's; TASKS
        gives the chains of threads' tasks."""
        active = [t for t in threads if _is_active(t, waits.get(t.gdb_num))]
        chains = _task_chains(tasks, [t.gdb_num for t in active if _is_omp(t)])
        reader = self._system_calls.reader
        all_waits = {t.gdb_num: waits[t.gdb_num] for t in active}
        outside = self._system_calls.read({n: w for n, w in all_waits.items() if is_outside(w)})
        asked = [self._asked(t, all_waits[t.gdb_num]) for t in active]
        read = dict(zip(all_waits, reader.read(self._stacks.whole, asked)))
        found = [
            self._at(
                t,
                waits.get(t.gdb_num),
                t.gdb_num in in_runtime,
                read.get(t.gdb_num),
                outside.get(t.gdb_num),
                chains.get(t.gdb_num),
            )
            for t in threads
        ]
        locks: dict[int, LockWord] = {}
        for number, wait in waits.items():
            kind, address = wait.kind, wait.address
            if kind in MUTEXES and address is not None and address not in locks:
                runtime = self._runtime(number)
                if runtime is not None:
                    locks[address] = LockWord(*reader.lock(runtime, kind.value, address))
        complete = not any(t.running for t in threads)
        return Facts(tuple(found), regions, tuple(sorted(locks.items())), complete)

    def crashes(self, signals: Mapping[int, FatalSignal]) -> tuple[Crash, ...]:
        """Return the threads that SIGNALS have stopped, with what their stacks say of why."""
        return tuple(
            Crash(number, signal.name, signal.address, self._cause(number))
            for number, signal in sorted(signals.items())
        )

    def _cause(self, gdb_num: int) -> Optional[str]:
        """Say what has aborted the program, by what called abort."""
        frames = islice(self._stacks.frames(gdb_num), MAX_ABORT_FRAMES)
        names = [frame.name() or "" for frame in frames]
        return next((said for name, said in _CAUSES.items() if name in names), None)

    def _runtime(self, gdb_num: int) -> Optional[_native.Capabilities]:
        """Return what reads the runtime that knows a thread, None where none can be."""
        knowing = ((one, reads) for one, reads in self._runtimes if reads.knows(gdb_num))
        return next((r for one, r in knowing if self._innermost.get(gdb_num, one) is one), None)

    def _asked(self, thread: Thread, wait: Wait) -> _native.StandingThread:
        """Return a thread as native code takes it."""
        return _native.StandingThread(
            thread.gdb_num,
            self._runtime(thread.gdb_num),
            "" if wait.kind is None else wait.kind.value,
            wait.address if wait.sink is None else wait.sink,
            wait.undeferred,
            wait.outside or "",
            wait.entry_point or "",
            thread.region,
            thread.task is TaskKind.EXPLICIT,
        )

    def _at(
        self,
        thread: Thread,
        wait: Optional[Wait],
        in_runtime: bool,
        read: Optional[dict[str, Any]],
        outside: Optional[Outside],
        chain: Optional[TaskChain],
    ) -> At:
        """Return a thread with what native code has READ of it, None of one that it was not asked
        of, and what it does OUTSIDE of the user's code."""
        number, tasks = thread.gdb_num, chain or TaskChain()
        at = At(
            number,
            wait or Wait(),
            thread.running or wait is None,
            _is_omp(thread),
            thread.thread_num,
            thread.region,
            team_size=thread.team_size,
            in_explicit_task=thread.task is TaskKind.EXPLICIT,
            is_helper=thread.kind is ThreadKind.HELPER,
        )
        if read is None or wait is None:
            return at
        frames = self._stacks.frames
        if read["busy"] is None:
            read["busy"] = not self._is_in_body(number, tasks.function)
        wait, call = outside or Outside(wait, WORKS)
        waits_there = call.mutex is not None or call.joins is not None or call.sleep is not None
        read["polls"] = () if waits_there else self._names(number, read["polls"])
        state = state_of(thread.state, wait, in_runtime, thread.level or 0)
        if state == "overhead" and not (wait.kind or wait.outside or call.function):
            wait = wait._replace(outside=RUNTIME)
        if not read["in_known_code"]:
            # GDB's frames, by another file or none, lead nowhere.
            wait = wait._replace(location=None)
        read["held"] = self._stacks.waits.named(read["held"], lambda: frames(number))
        return at._replace(wait=wait, tasks=tasks.ids, call=call, **read)

    def _names(self, gdb_num: int, addresses: Sequence[int]) -> tuple[str, ...]:
        """Return what the user calls the variables at ADDRESSES, which a thread reads."""
        if not addresses:
            return ()
        from ..host.object_names import variable_name

        frames = self._stacks.frames(gdb_num)
        user = next((frame for frame in frames if self._code.is_user(frame.pc())), None)
        return tuple(variable_name(each, user) or f"0x{each:x}" for each in addresses)

    def _is_in_body(self, gdb_num: int, function: Optional[int]) -> bool:
        """Tell whether the task with the outlined FUNCTION is one of the user's innermost
        frames: it called what the thread waits in, and is not just beginning. The user's
        own code may have called it: that of an undeferred task with a false "if"."""
        if function is None:
            return False
        below = False
        for frame in self._stacks.frames(gdb_num):
            is_user = self._code.is_user(frame.pc())
            if is_user and self._executes(frame, function):
                return True
            if below and not is_user:
                break
            below = below or is_user
        # One that has ended with a jump has no frame: the call that made the task tells it.
        called, by = next(iter(self._stacks.bodies(gdb_num)), (0, ""))
        return called == function and _native.makes_task(by)

    def _executes(self, frame: gdb.Frame, function: int) -> bool:
        try:
            return _executes(frame, function)
        except RuntimeError:  # it has no debug information
            around = self._stacks.waits.reader.function_around(executed_by(frame))
            return around is not None and around.start == function


def overflows(
    inferior: gdb.Inferior,
    stacks: Stacks,
    threads: Sequence[Thread],
    signals: Mapping[int, FatalSignal],
) -> tuple[Overflow, ...]:
    """Return which of THREADS of the selected INFERIOR stand where their stack ended: at a SIGSEGV
    below it, with their callers in it. SIGNALS are those that have stopped them.

    Where a thread's stack is, glibc keeps in the thread's descriptor, to which its pthread_t
    points: block, size and guard, one after the other (``struct pthread``, nptl/descr.h of
    glibc); what they hold tells them from the descriptor's other words. The initial
    thread's grows below ``__libc_stack_end`` for as long as it may.
    """
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


def _executes(frame: gdb.Frame, function: int) -> bool:
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


def _is_omp(thread: Thread) -> bool:
    """Tell whether a thread is, or may be, one of OpenMP's."""
    return thread.kind in OMP_KINDS or thread.kind is None


def _is_active(thread: Thread, wait: Optional[Wait]) -> bool:
    """Tell whether a thread stands still, and not only to be given something to do or on its
    way into its region."""
    passive = wait is None or wait.kind in POOL or wait.kind is Kind.NOT_BEGUN
    return not passive and thread.kind is not ThreadKind.HELPER
