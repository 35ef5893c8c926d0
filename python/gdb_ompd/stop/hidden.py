# SPDX-License-Identifier: Apache-2.0
"""Threads whose records GCC's runtime makes blank while they execute target regions on the host."""

from __future__ import annotations

from typing import Any, Collection, Sequence

from ..model import Membership, TaskKind, Thread, ThreadKind

# What a thread is in a target region that the host executes: the initial one of a team of its own.
INITIAL: dict[str, Any] = {
    "thread_num": 0,
    "team_size": 1,
    "level": 0,
    "active_level": 0,
    "memberships": (Membership(0, 1),),
    "task": TaskKind.INITIAL,
}


def may_be_hidden(thread: Thread) -> bool:
    """Tell whether a thread has a record as if it were not OpenMP's, which GCC's runtime gives one
    while it executes a target region on the host."""
    return thread.kind in (None, ThreadKind.NATIVE) and not thread.error and not thread.running


def executes_on_host(thread: Thread) -> bool:
    """Tell whether a thread executes a target region on the host."""
    return thread.target is not None and thread.target.executes and thread.target.on_host


def with_hidden(threads: Sequence[Thread], workers: Collection[int]) -> tuple[Thread, ...]:
    """Return THREADS, whose target constructs are known, with what those are that are hidden.
    WORKERS are known to be that; others may be initial threads."""

    def told(thread: Thread) -> Thread:
        if not (may_be_hidden(thread) and executes_on_host(thread)):
            return thread
        known = thread._replace(**INITIAL, state=thread.state or "work_serial")
        if thread.gdb_num not in workers:
            return known._replace(kind=None)
        doubts = tuple([doubt for doubt in thread.doubts if doubt.fact != "kind"])
        return known._replace(kind=ThreadKind.WORKER, doubts=doubts)

    return tuple(map(told, threads))
