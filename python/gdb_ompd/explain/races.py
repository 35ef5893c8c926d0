# SPDX-License-Identifier: Apache-2.0
"""Whether the threads of a team write one object without a lock in common: what each write
held, and what all of them had in common."""

from __future__ import annotations

from typing import NamedTuple, Optional

from ..model import Location, TaskKind
from .facts import Held

# A lock by its kind, and its address or, of a critical without one, its name.
LockKey = tuple[str, Optional[int], Optional[str]]


class Write(NamedTuple):
    """One write. THREAD_NUM, TEAM_SIZE and LEVEL are those of the thread in its team, None
    outside of OpenMP; HELD is None where the locks that it holds are not known."""

    gdb_num: int
    thread_num: Optional[int] = None
    team_size: Optional[int] = None
    level: Optional[int] = None
    task: Optional[TaskKind] = None
    place: Optional[Location] = None
    held: Optional[tuple[Held, ...]] = None


class Race(NamedTuple):
    """Two writes by different threads of which no lock is in common to all that were seen."""

    before: Write
    now: Write


class Writes:
    """The writes to one object within one parallel region."""

    def __init__(self) -> None:
        self._last: dict[int, Write] = {}  # by GDB's number of the thread
        self._common: Optional[frozenset[LockKey]] = None

    def add(self, write: Write) -> Optional[Race]:
        """Add a write; return the race that it makes with one of another thread, if it does."""
        if not write.level:  # only one thread is there: what was before is over
            self.forget()
            return None
        own = frozenset(map(_key, write.held or ()))
        self._common = own if self._common is None else self._common & own
        others = [last for number, last in self._last.items() if number != write.gdb_num]
        self._last.pop(write.gdb_num, None)
        self._last[write.gdb_num] = write
        if not others or self._common:
            return None
        return Race(_most_telling(others, own), write)

    def forget(self) -> None:
        """Forget the writes: what follows comes after all of them."""
        self._last.clear()
        self._common = None


def _most_telling(others: list[Write], own: frozenset[LockKey]) -> Write:
    """Return the last write that has no lock in common with this one, else the last."""
    apart = [write for write in others if not own & frozenset(map(_key, write.held or ()))]
    return (apart or others)[-1]


def _key(held: Held) -> LockKey:
    return held.kind, held.address, held.name if held.address is None else None
