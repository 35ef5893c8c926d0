# SPDX-License-Identifier: Apache-2.0
"""The processes of a parallel job, folded: those in equal states are said once."""

from __future__ import annotations

from typing import Hashable, Iterable, NamedTuple, Optional

from ..model import Thread
from .report import Verdict

MOST = 1 << 22  # ranks of a job


class Doing(NamedTuple):
    """Threads of one process that do the same at the same place: THREADS of them, like THREAD,
    in the MPI call CALL if that is not None."""

    threads: int
    thread: Thread
    call: Optional[str]


class Process(NamedTuple):
    """One process: its rank, None where no launcher gave one, NAME that of its file. NUMBERS
    are, for each of DOING, the numbers of its threads in the team."""

    rank: Optional[int]
    size: Optional[int]
    name: str
    time: int
    verdict: Optional[Verdict]
    text: str
    doing: tuple[Doing, ...]
    numbers: tuple[tuple[int, ...], ...]
    key: Hashable


class Fold(NamedTuple):
    """Processes in the state of ONE. NUMBERS are its threads', None where those of the others
    are not the same."""

    one: Process
    ranks: tuple[int, ...]
    names: tuple[str, ...]
    numbers: Optional[tuple[tuple[int, ...], ...]]


class Job(NamedTuple):
    """All processes, those in rare states first. MISSING are ranks that nobody has saved. The
    last stop was saved so many milliseconds AFTER the first."""

    folds: tuple[Fold, ...]
    processes: int
    missing: tuple[int, ...]
    after: int
    notes: tuple[str, ...]


class Folding:
    """Takes one process after the other, and keeps what they do not have in common."""

    def __init__(self) -> None:
        self._latest: dict[Hashable, tuple[int, int]] = {}  # by rank: time, and its state
        self._states: dict[Hashable, int] = {}
        self._ones: list[Process] = []
        self._numbers: list[Optional[tuple[tuple[int, ...], ...]]] = []
        self._sizes: set[int] = set()
        self._again = 0

    def add(self, process: Process) -> None:
        """Take a process; of a rank that was saved several times the latest counts."""
        who: Hashable = process.name if process.rank is None else process.rank
        state = self._states.setdefault(process.key, len(self._ones))
        if state == len(self._ones):
            self._ones.append(process)
            self._numbers.append(process.numbers)
        elif self._numbers[state] != process.numbers:
            self._numbers[state] = None
        if process.size is not None:
            self._sizes.add(process.size)
        before = self._latest.get(who)
        self._again += before is not None
        if before is None or before[0] <= process.time:
            self._latest[who] = process.time, state

    def job(self, notes: Iterable[str] = ()) -> Job:
        """Return what was taken."""
        ranks: list[list[int]] = [[] for _ in self._ones]
        names: list[list[str]] = [[] for _ in self._ones]
        for who, (_, state) in self._latest.items():
            if isinstance(who, int):
                ranks[state].append(who)
            else:
                names[state].append(str(who))
        folds = [
            Fold(one, tuple(sorted(ranks[n])), tuple(sorted(names[n])), self._numbers[n])
            for n, one in enumerate(self._ones)
            if ranks[n] or names[n]
        ]
        folds.sort(key=lambda fold: (len(fold.ranks) + len(fold.names), fold.ranks))
        size = max(self._sizes, default=0) if max(self._sizes, default=0) <= MOST else 0
        missing = tuple(rank for rank in range(size) if rank not in self._latest)
        again = f"{self._again} ranks were saved again: the latest is shown." if self._again else ""
        times = [time for time, _ in self._latest.values()]
        after = max(times) - min(times) if times else 0
        told = (*notes, *filter(None, [again]))
        return Job(tuple(folds), len(self._latest), missing, after, told)
