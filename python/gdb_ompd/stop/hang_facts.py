# SPDX-License-Identifier: Apache-2.0
"""Gathers what ``ompd why`` concludes from: each thread's wait, its place in the code,
and the runtime's own words for it."""

from __future__ import annotations

from itertools import islice, takewhile
from typing import Callable, Iterator, Mapping, NamedTuple, Optional, Sequence

import gdb

from .. import _native
from .._native import CodeMap
from ..errors import OmpdToolError
from ..model.waits import BARRIERS, Kind, MUTEXES, Wait
from .held_locks import HeldLocks
from ..model import OMP_KINDS, Region, TaskKind, Thread, ThreadKind
from ..host import object_names
from ..host.fatal_signals import FatalSignal
from ..providers.provider import Provider
from .places import Stacks
from .waiting import given_frames
from .runtime_stack import MAX_BODY_FRAMES, RuntimeStacks, capabilities_of
from ..explain.facts import At, Crash, Facts, LockWord
from ..explain.needs import POOL

MAX_ABORT_FRAMES = 12
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
# Barriers whose threads record that they have arrived.
_PATTERNS = ("__kmp_hyper_barrier_", "__kmp_linear_barrier_", "__kmp_tree_barrier_")
# While one of these is on the stack the thread begins or ends a task.
_TASK_WORK = ("__kmp_invoke_task", "__kmp_task_start", "__kmp_task_finish")
_TYPES = {
    Kind.REGION_BARRIER: _native.BarrierType.FORKJOIN,
    Kind.REDUCTION: _native.BarrierType.REDUCTION,
}
_LOCK_KINDS = {kind: _native.Mutex.LOCK for kind in MUTEXES} | {
    Kind.CRITICAL: _native.Mutex.CRITICAL,
    Kind.NEST_LOCK: _native.Mutex.NEST_LOCK,
}
# The barrier at a region's end.
_JOIN = "__kmp_join_barrier"
_COME = {"region": _native.BarrierType.FORKJOIN, "team": _native.BarrierType.PLAIN}
# Calls of the kernel that give the processor away and wait for nothing.
_YIELDS = ("sched_yield",)
_LOCKING = ("pthread_mutex_lock", "lll_lock_wait", "pthread_mutex_timedlock")


class TaskChain(NamedTuple):
    """The identities of a thread's current task and of its ancestors, innermost first, and
    the current one's outlined FUNCTION."""

    ids: tuple[int, ...] = ()
    function: Optional[int] = None


class _Alive(NamedTuple):
    """The process's threads: GDB's numbers by LWP, the pthread_t of each, nothing
    unless all are known, and by GDB's numbers pthread_t and LWP."""

    by_lwp: Mapping[int, int]
    pthreads: frozenset[int]
    own: Mapping[int, tuple[Optional[int], int]]


class HangReader:
    """Reads the facts of one inferior at one stop."""

    def __init__(
        self,
        space: _native.AddressSpace,
        code: CodeMap,
        reader: _native.WaitReader,
        stacks: Stacks,
        providers: Sequence[Provider],
        known_code: Optional[Callable[[int], bool]] = None,
        innermost: Optional[Mapping[int, Provider]] = None,
    ) -> None:
        """KNOWN_CODE tells whether an address is in a file that could be read; None where
        all runtimes could. INNERMOST tells whose regions threads are in that several know."""
        self._innermost = innermost or {}
        self._space = space
        self._code = code
        self._reader = reader
        self._held = HeldLocks(reader)
        self._frames = stacks.frames
        self._known_code = known_code
        self._own = RuntimeStacks(space, code, stacks)
        self._holding_nothing = stacks.holding_nothing
        self._bodies = stacks.begun.bodies
        self._free: frozenset[int] = frozenset()  # threads that hold no lock for certain
        self._gone: dict[Optional[int], tuple[int, ...]] = {}  # by region
        found = ((one, capabilities_of(one)) for one in providers)
        self._runtimes = [(one, reads) for one, reads in found if reads is not None]

    def read(
        self,
        threads: Sequence[Thread],
        waits: Mapping[int, Wait],
        regions: tuple[Region, ...],
        tasks: Callable[[Sequence[int]], Mapping[int, TaskChain]],
    ) -> Facts:
        """Return the facts. TASKS gives threads' tasks and the ancestors of these."""
        alive = _alive(threads)
        active = [t for t in threads if _is_active(t, waits.get(t.gdb_num))]
        self._own.prepare([t.gdb_num for t in active])
        in_tasks = tasks([t.gdb_num for t in active if _is_omp(t)])
        self._free = self._holding_nothing([t.gdb_num for t in active])
        found = [self._at(t, waits.get(t.gdb_num), alive, in_tasks) for t in threads]
        locks: dict[int, LockWord] = {}
        for at in found:
            runtime, kind, address = self._runtime(at.gdb_num), at.wait.kind, at.wait.address
            if runtime and kind in MUTEXES and address is not None:
                locks.setdefault(address, _lock_word(runtime, at, alive))
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
        names = [frame.name() or "" for frame in islice(self._frames(gdb_num), MAX_ABORT_FRAMES)]
        return next((said for name, said in _CAUSES.items() if name in names), None)

    def _runtime(self, gdb_num: int) -> Optional[_native.Capabilities]:
        """Return what reads the runtime that knows a thread, None where none can be."""
        knowing = ((one, reads) for one, reads in self._runtimes if reads.knows(gdb_num))
        return next((r for one, r in knowing if self._innermost.get(gdb_num, one) is one), None)

    def _at(
        self,
        thread: Thread,
        wait: Optional[Wait],
        alive: _Alive,
        in_tasks: Mapping[int, TaskChain],
    ) -> At:
        number = thread.gdb_num
        at = At(
            number,
            wait or Wait(),
            thread.running or wait is None,
            _is_omp(thread),
            thread.thread_num,
            thread.region,
            team_size=thread.team_size,
            in_explicit_task=thread.task is TaskKind.EXPLICIT,
        )
        if wait is None or not _is_active(thread, wait):
            return at
        chain = in_tasks.get(number, TaskChain())
        if wait.kind is not None:
            explicit = at.in_explicit_task and not self._is_in_body(number, chain.function)
            at = self._in_runtime(at, alive, explicit)
        else:
            at = self._outside(at, alive)
            if not self._is_in_known_code(number):
                # GDB's frames, by another file or none, lead nowhere.
                at = at._replace(in_known_code=False, wait=at.wait._replace(location=None))
        if at.in_explicit_task or at.wait.kind in BARRIERS:
            at = at._replace(come=self._come(at))
        held = self._held.of(self._frames(number)) if number not in self._free else ()
        return at._replace(held=held, tasks=chain.ids)

    def _is_in_known_code(self, gdb_num: int) -> bool:
        """Tell whether a thread's innermost code but the system's is in a file that could be
        read: it is in no runtime then that could not."""
        if self._known_code is None:
            return next(self._own.pcs(gdb_num), None) is not None
        pc = self._not_the_systems(gdb_num)
        return pc is not None and self._known_code(pc)

    def _not_the_systems(self, gdb_num: int) -> Optional[int]:
        """Return the innermost address of a thread that is not in the system's code."""
        pcs = self._own.pcs(gdb_num)
        return next((pc for pc in pcs if self._code.code_at(pc) != "system"), None)

    def _in_runtime(self, at: At, alive: _Alive, explicit: bool) -> At:
        """Add what the runtime records of a thread that waits in it. EXPLICIT tells that
        its current task is an explicit one, which may be just beginning."""
        number, kind = at.gdb_num, at.wait.kind
        names, runtime = self._own.names(number), self._runtime(at.gdb_num)
        is_barrier = kind in BARRIERS
        at = at._replace(busy=works_on_task(names, explicit and is_barrier))
        if runtime is None or kind is None:
            return at
        at = at._replace(
            children=runtime.children(number, at.wait.undeferred),
            groups=tuple(runtime.groups(number)),
            gone=self._gone_of(at, runtime, alive),
        )
        if is_barrier:
            found = phase(names)
            words = [] if found is _native.BarrierPhase.GATHERS else self._own.words(number)
            futex = self._own.futex(number)
            stack = _native.StackOfThread(
                number, _TYPES.get(kind, _native.BarrierType.PLAIN), found, words, futex
            )
            return at._replace(blocked=runtime.kept_at_barrier(stack))
        if kind is Kind.ORDERED:
            return at._replace(blocked=runtime.turn_is_to_come(number))
        sink = None if at.wait.sink is None else runtime.sink(number, at.wait.sink)
        if sink is not None:
            iteration, left = tuple(sink.iteration), frozenset(sink.left)
            return at._replace(blocked=sink.is_to_come, iteration=iteration, left=left)
        return at

    def _gone_of(self, at: At, runtime: _native.Capabilities, alive: _Alive) -> tuple[int, ...]:
        """Return the numbers in a thread's team of those that have left the process."""
        if not alive.pthreads:
            return ()
        if at.region is None or at.region not in self._gone:
            self._gone[at.region] = tuple(runtime.gone(at.gdb_num, set(alive.pthreads)))
        return self._gone[at.region]

    def _come(self, at: At) -> Optional[frozenset[str]]:
        """Return which barriers a thread has come to (see At), also where it executes a task
        while it waits there; None of one in a task whose runtime does not tell."""
        gdb_num = at.gdb_num
        runtime = self._runtime(gdb_num)
        if runtime is None:
            if not at.in_explicit_task:
                return frozenset()
            # The barrier is on its stack, below the task.
            come = frozenset({"region" if at.wait.kind is Kind.REGION_BARRIER else "team"})
            return come if at.wait.kind in BARRIERS else None
        if not runtime.tells_who_has_come:
            return self._come_by_stack(gdb_num) if at.in_explicit_task else frozenset()
        names, words = self._own.below_task(gdb_num)
        at_end = any(name is not None and name.startswith(_JOIN) for name in names)
        found = phase(names)
        if found is _native.BarrierPhase.GATHERS:
            return frozenset({"region" if at_end else "team"})
        return frozenset(
            name
            for name, kind in _COME.items()
            if runtime.has_come(_native.StackOfThread(gdb_num, kind, found, words))
        )

    def _come_by_stack(self, gdb_num: int) -> frozenset[str]:
        """Return the barrier in which a thread executes the task that it is in."""
        frames = list(islice(self._frames(gdb_num), MAX_BODY_FRAMES))
        is_users = [self._code.is_user(frame.pc()) for frame in frames]
        for first in range(1, len(frames)):
            if is_users[first] or not is_users[first - 1]:
                continue
            user = next((n for n in range(first, len(frames)) if is_users[n]), None)
            runtimes = [
                n for n in range(first, user or len(frames)) if self._is_runtimes(frames[n])
            ]
            given = given_frames(frames[first:], self._reader)
            found = self._reader.read(given, None if user is None else user - first)
            kind = Kind(found[2]) if found[2] else None
            # The barrier's function calls that which executes tasks.
            at_barrier = len(runtimes) > 1
            if user is None or kind is Kind.REGION_BARRIER:
                return frozenset({"region"} if at_barrier else ())
            if kind in BARRIERS and at_barrier:
                return frozenset({"team"})
        return frozenset()

    def _is_runtimes(self, frame: gdb.Frame) -> bool:
        return self._code.code_at(frame.pc()) == "runtime"

    def _is_in_body(self, gdb_num: int, function: Optional[int]) -> bool:
        """Tell whether the task with the outlined FUNCTION is one of the user's innermost
        frames: it called what the thread waits in, and is not just beginning. The user's
        own code may have called it: that of an undeferred task with a false "if"."""
        if function is None:
            return False
        below = False
        for frame in islice(self._frames(gdb_num), MAX_BODY_FRAMES):
            is_user = self._code.is_user(frame.pc())
            if is_user and _executes(frame, function):
                return True
            if below and not is_user:
                break
            below = below or is_user
        # One that has ended with a jump has no frame: the call that made the task tells it.
        called, by = next(iter(self._bodies(gdb_num)), (0, ""))
        return called == function and _native.makes_task(by)

    def _outside(self, at: At, alive: _Alive) -> At:
        """Add which call of the kernel a thread is in, and whose mutex it waits for."""
        given = self._own.given_to_kernel(at.gdb_num)
        if given is None:
            return at
        own = self._own.pcs(at.gdb_num)
        pcs = list(takewhile(lambda pc: self._code.code_at(pc) == "system", own))
        if not at.wait.outside and not pcs and _native.begins_region(at.wait.entry_point or ""):
            # It gathers or wakes its workers, which may be done.
            return at._replace(wait=at.wait._replace(outside=at.wait.entry_point))
        # A runtime that calls the kernel itself stands for what it was called for.
        called = at.wait.outside or self._reader.outside(pcs) or at.wait.entry_point
        if not called or called in _YIELDS:
            return at
        # The word that is given to futex is the mutex's first.
        mutex = given[0] if called.endswith(_LOCKING) else None
        caller = None if at.wait.outside else self._not_the_systems(at.gdb_num)
        if mutex is not None and caller is not None and self._code.code_at(caller) == "runtime":
            called, mutex = at.wait.entry_point, None  # the mutex is the runtime's own
        if mutex is None:
            return at._replace(system_call=called)
        owner, shared = _native.read_mutex(self._space, mutex)
        holder = alive.by_lwp.get(owner) if owner is not None else None
        # One of another process may hold a mutex that is shared with it.
        pthread, lwp = alive.own.get(at.gdb_num, (None, 0))
        known = pthread is not None and _native.has_own_number(self._space, pthread, lwp)
        ended = owner if holder is None and known and not shared else None
        users = (frame for frame in self._frames(at.gdb_num) if self._code.is_user(frame.pc()))
        wait = at.wait._replace(name=object_names.variable_name(mutex, next(users, None)))
        return at._replace(
            system_call=called, mutex=mutex, owner=holder, owner_ended=ended, wait=wait
        )


def _executes(frame: gdb.Frame, function: int) -> bool:
    """Tell whether a frame executes the code of the function that begins at FUNCTION, which
    may be inlined there."""
    try:
        block = _function_block(frame.block())
    except RuntimeError:
        return False  # it has no debug information
    if block is None or frame.type() != gdb.INLINE_FRAME:
        return block is not None and bool(block.start == function)
    own = _function_block(gdb.block_for_pc(function))
    if own is None or own.function is None or block.function is None:
        return False
    same_file = own.function.symtab.filename == block.function.symtab.filename
    return same_file and bool(own.function.name == block.function.name)


def _function_block(block: Optional[gdb.Block]) -> Optional[gdb.Block]:
    while block is not None and block.function is None:
        block = block.superblock
    return block


def _is_omp(thread: Thread) -> bool:
    """Tell whether a thread is, or may be, one of OpenMP's."""
    return thread.kind in OMP_KINDS or thread.kind is None


def _is_active(thread: Thread, wait: Optional[Wait]) -> bool:
    """Tell whether a thread stands still, and not only to be given something to do or on its
    way into its region."""
    passive = wait is None or wait.kind in POOL or wait.kind is Kind.NOT_BEGUN
    return not passive and thread.kind is not ThreadKind.HELPER


def _alive(threads: Sequence[Thread]) -> _Alive:
    pthreads = [thread.pthread_id for thread in threads if thread.pthread_id]
    complete = len(pthreads) == len(threads)
    return _Alive(
        {t.lwp: t.gdb_num for t in threads},
        frozenset(pthreads if complete else ()),
        {t.gdb_num: (t.pthread_id, t.lwp) for t in threads},
    )


def phase(names: Sequence[Optional[str]]) -> _native.BarrierPhase:
    """Return the phase of a barrier that the names of the runtime's frames show."""
    for name in names:
        if name is not None and name.startswith(_PATTERNS):
            gathers = "_gather" in name
            return _native.BarrierPhase.GATHERS if gathers else _native.BarrierPhase.RELEASED
    return _native.BarrierPhase.UNKNOWN


def works_on_task(names: Sequence[Optional[str]], explicit: bool) -> bool:
    """Tell whether a thread at a barrier, or in another wait, begins or ends a task there:
    by the names of the runtime's frames. Without names one whose current task is EXPLICIT
    may: no barrier is written in one."""
    if any(name is not None and name.startswith(_TASK_WORK) for name in names):
        return True
    return explicit and phase(names) is _native.BarrierPhase.UNKNOWN


def _lock_word(runtime: _native.Capabilities, at: At, alive: _Alive) -> LockWord:
    """Return what is recorded of the lock or critical that a thread waits for."""
    kind = _LOCK_KINDS[at.wait.kind or Kind.LOCK]
    word = runtime.lock(at.wait.address or 0, kind)
    queued = None if word.queued is None else frozenset(word.queued)
    ended = runtime.has_ended(word, set(alive.pthreads))
    return LockWord(word.held, word.owner, queued, ended, word.keeps_owner, word.depth)
