# SPDX-License-Identifier: Apache-2.0
"""Gathers what ``ompd why`` concludes from: each thread's wait, its place in the code,
and the runtime's own words for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Iterator, Mapping, Optional, Sequence

import gdb

from . import _native
from .code_map import CodeMap
from .frames.waits import Kind, Wait
from .held_locks import HeldLocks
from .model import Region, Thread, ThreadKind
from .runtime_words import RuntimeWords, phase, works_on_task
from .system_calls import in_system_call, mutex_of, owner_of
from .why.facts import At, Facts
from .why.needs import MUTEXES, POOL, TEAM_BARRIERS

Frames = Callable[[int], Iterator[gdb.Frame]]
MAX_RUNTIME_FRAMES = 24
# What called the region's body, which leaves no frame where it ends in a tail call.
CALLER = "__kmp_invoke_microtask"
_OMP = (ThreadKind.INITIAL, ThreadKind.WORKER)
# Calls of the kernel that give the processor away and wait for nothing.
_YIELDS = ("sched_yield",)


class HangReader:
    """Reads the facts of one inferior at one stop."""

    def __init__(
        self, space: _native.AddressSpace, code: CodeMap, held: HeldLocks, frames: Frames
    ) -> None:
        self._space = space
        self._code = code
        self._held = held
        self._frames = frames

    def read(
        self,
        threads: Sequence[Thread],
        waits: Mapping[int, Wait],
        regions: tuple[Region, ...],
        tasks: Callable[[int], tuple[int, ...]],
    ) -> Facts:
        """Return the facts. TASKS gives a thread's task and its ancestors."""
        words = RuntimeWords({t.pthread_id: t.gdb_num for t in threads if t.pthread_id})
        by_lwp = {thread.lwp: thread.gdb_num for thread in threads}
        found = [self._at(t, waits.get(t.gdb_num), words, by_lwp, tasks) for t in threads]
        wanted = {
            (at.wait.kind, at.wait.address)
            for at in found
            if at.wait.kind in MUTEXES and at.wait.address is not None
        }
        locks = tuple(
            (address, words.lock(kind, address))
            for kind, address in sorted(wanted, key=str)
            if kind is not None and address is not None
        )
        return Facts(tuple(found), regions, locks, not any(t.running for t in threads))

    def _at(
        self,
        thread: Thread,
        wait: Optional[Wait],
        words: RuntimeWords,
        by_lwp: Mapping[int, int],
        tasks: Callable[[int], tuple[int, ...]],
    ) -> At:
        number = thread.gdb_num
        at = At(
            number,
            wait or Wait(),
            thread.running or wait is None,
            thread.kind in _OMP or thread.kind is None,
            thread.thread_num,
            thread.region,
        )
        if wait is None or wait.kind in POOL or thread.kind is ThreadKind.HELPER:
            return at
        names = self._runtime_names(number) if wait.kind is not None else []
        at = replace(at, busy=works_on_task(names))
        if wait.kind is Kind.REGION_BARRIER or wait.kind in TEAM_BARRIERS:
            at = replace(at, blocked=words.kept_at_barrier(number, wait.kind, phase(names)))
        elif wait.kind is Kind.ORDERED:
            at = replace(at, blocked=words.kept_at_ordered(number))
        elif wait.kind is None:
            at = self._outside(at, by_lwp)
        return replace(
            at,
            held=self._held.of(self._frames(number)),
            tasks=tasks(number) if at.is_omp else (),
            children=words.children(number),
        )

    def _runtime_names(self, gdb_num: int) -> list[Optional[str]]:
        """Return the names of the frames below the user's innermost."""
        found: list[Optional[str]] = []
        for count, frame in enumerate(self._frames(gdb_num)):
            name = frame.name()
            if count == MAX_RUNTIME_FRAMES or self._code.is_user(frame.pc()) or name == CALLER:
                break
            found.append(name)
        return found

    def _outside(self, at: At, by_lwp: Mapping[int, int]) -> At:
        """Add which call of the kernel a thread is in, and whose mutex it waits for."""
        frame = next(self._frames(at.gdb_num), None)
        if frame is None or not in_system_call(frame, self._space):
            return at
        called = (at.wait.outside or frame.name() or "").removeprefix("libc_")
        if not called or called in _YIELDS:
            return at
        mutex = mutex_of(frame, called)
        if mutex is None:
            return replace(at, system_call=called)
        owner = owner_of(mutex, self._space)
        holder = by_lwp.get(owner) if owner is not None else None
        return replace(at, system_call=called, mutex=mutex, owner=holder)
