# SPDX-License-Identifier: Apache-2.0
"""Threads as the runtimes have them, completed by what their stacks show."""

from __future__ import annotations

from dataclasses import replace
from typing import Mapping, NamedTuple, Optional, Sequence

from ..code import states
from ..model import OMP_KINDS, Thread, WaitsFor
from .places import Look

# A thread's state, what it waits for, and how stack and runtime differ.
_Correction = tuple[Optional[str], Optional[WaitsFor], Optional[str]]


class _Seen(NamedTuple):
    thread: Thread
    look: Look
    completed: Thread
    differs: Optional[str]


class SeenThreads:
    """The threads of the last stop; one of which runtime and stack say the same at the
    next is the same object then."""

    def __init__(self) -> None:
        self._last: dict[int, _Seen] = {}

    def read(
        self, threads: Sequence[Thread], looks: Mapping[int, Look]
    ) -> tuple[tuple[Thread, ...], dict[int, str]]:
        """Add to THREADS where they are, and correct states that the runtime does not
        record. Return them, and by GDB number where stack and runtime differ."""
        # By a look, which threads share, by the runtime's state and the level.
        corrections: dict[tuple[int, Optional[str], Optional[int]], _Correction] = {}
        found, seen = [], {}
        for thread in threads:
            if thread.running or thread.idle:
                found.append(thread)  # an idle worker has no frame of the user's
                continue
            look = looks[thread.gdb_num]
            last = self._last.get(thread.gdb_num)
            if last is None or last.thread is not thread or last.look is not look:
                last = _seen(thread, look, corrections)
            seen[thread.gdb_num] = last
            found.append(last.completed)
        self._last = seen
        return tuple(found), {n: s.differs for n, s in seen.items() if s.differs is not None}


def _seen(
    thread: Thread,
    look: Look,
    corrections: dict[tuple[int, Optional[str], Optional[int]], _Correction],
) -> _Seen:
    if thread.kind not in OMP_KINDS:
        return _Seen(thread, look, replace(thread, location=look.wait.location), None)
    key = id(look), thread.state, thread.level
    if key not in corrections:
        corrections[key] = _correction(look, thread.state, thread.level or 0)
    state, waits_for, differs = corrections[key]
    # As dataclasses.replace does, at a third of its cost.
    completed = Thread(
        thread.inferior,
        thread.gdb_num,
        thread.lwp,
        thread.pthread_id,
        thread.kind,
        thread.running,
        thread.selected,
        thread.thread_num,
        thread.team_size,
        thread.level,
        thread.active_level,
        thread.memberships,
        thread.region,
        thread.idle,
        state,
        waits_for,
        thread.task,
        look.wait.location,
        thread.error,
        thread.doubts,
    )
    return _Seen(thread, look, completed, differs)


def _correction(look: Look, state: Optional[str], level: int) -> _Correction:
    return (
        states.state_of(state, look.wait, look.in_runtime, level),
        states.waits_for(look.wait, look.in_runtime, state),
        states.disagreement(state, look.wait, look.in_runtime),
    )
