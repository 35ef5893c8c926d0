# SPDX-License-Identifier: Apache-2.0
"""The processes of a parallel job, folded: those in equal states are said once."""

from __future__ import annotations

import re
from typing import Hashable, Iterable, Mapping, NamedTuple, Optional

from ..model import Thread
from .machines import OnMachine, notes as notes_on_machines
from .report import Verdict

MOST = 1 << 22  # ranks of a job
# Every rank of a communicator (or window, or file) is to call them.
COLLECTIVE = re.compile(
    "MPI_(?:barrier|bcast|gatherv?|scatterv?|allgatherv?|alltoall[vw]?|reduce|allreduce"
    "|reduce_scatter(?:_block)?|scan|exscan|neighbor_all(?:gatherv?|toall[vw]?)"
    "|comm_(?:create|dup(?:_with_info)?|split(?:_type)?|free|accept|connect|spawn|disconnect)"
    "|(?:cart|graph|dist_graph|intercomm)_create|intercomm_merge"
    "|win_(?:create|allocate|allocate_shared|fence|free)"
    "|file_(?:open|close|set_view|\\w+_all|sync|set_size)|init(?:_thread)?|finalize)",
    re.IGNORECASE,
)
ONE_SIDED = {
    "receive": re.compile("MPI_M?(?:recv|probe)", re.IGNORECASE),
    "send": re.compile("MPI_[BSR]?send", re.IGNORECASE),
}
_WAITS = re.compile("MPI_(?:wait(?:all|any|some)?|sendrecv(?:_replace)?)", re.IGNORECASE)
FORTRAN_2008 = re.compile(r"_(f08(ts)?)?_*$")


def as_in_c(name: str) -> str:
    """Return "MPI_Recv" for "PMPI_Recv", "mpi_recv_" and "mpi_recv_f08_"."""
    own = name[1:] if name[0] in "Pp" else name
    return own if own.startswith("MPI_") else f"MPI_{FORTRAN_2008.sub('', own[4:]).capitalize()}"


def waits_for_others(call: str) -> bool:
    """Return whether an MPI call waits for what other processes do, also while it works."""
    kinds = (COLLECTIVE, _WAITS, *ONE_SIDED.values())
    return any(kind.fullmatch(as_in_c(call)) for kind in kinds)


class Doing(NamedTuple):
    """Threads of one process that do the same at the same place: THREADS of them, like THREAD,
    in the MPI call CALL if that is not None."""

    threads: int
    thread: Thread
    call: Optional[str]


class Process(NamedTuple):
    """One process of the job."""

    rank: Optional[int]  # None where no launcher gave one
    size: Optional[int]  # of the job
    name: str  # of its file
    time: int
    verdict: Optional[Verdict]
    text: str
    doing: tuple[Doing, ...]
    numbers: tuple[tuple[int, ...], ...]  # in the team, of the threads of each of DOING
    key: Hashable  # the same of processes in equal states
    placed: Optional[OnMachine] = None


class Fold(NamedTuple):
    """Processes in the state of ONE. NUMBERS are its threads', None where those of the others
    are not the same."""

    one: Process
    ranks: tuple[int, ...]
    names: tuple[str, ...]
    numbers: Optional[tuple[tuple[int, ...], ...]]


class Job(NamedTuple):
    """All processes, those in rare states first. MISSING are ranks that nobody has saved. The
    last stop was saved so many milliseconds AFTER the first. FILES are where each rank was saved.
    SLOW is what of their machines makes them slow.
    """

    folds: tuple[Fold, ...]
    processes: int
    missing: tuple[int, ...]
    after: int
    notes: tuple[str, ...]
    files: Mapping[int, str]
    slow: tuple[str, ...] = ()


class Folding:
    """Takes one process after the other, and keeps what they do not have in common."""

    def __init__(self) -> None:
        self._latest: dict[Hashable, tuple[int, int, str]] = {}  # by rank: time, state and file
        self._placed: dict[Hashable, OnMachine] = {}
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
            self._latest[who] = process.time, state, process.name
            if process.placed is not None:
                self._placed[who] = process.placed

    def job(self, notes: Iterable[str] = ()) -> Job:
        """Return what was taken."""
        ranks: list[list[int]] = [[] for _ in self._ones]
        names: list[list[str]] = [[] for _ in self._ones]
        for who, (_, state, _) in self._latest.items():
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
        times = [time for time, _, _ in self._latest.values()]
        after = max(times) - min(times) if times else 0
        told = (*notes, *filter(None, [again]))
        files = {who: name for who, (_, _, name) in self._latest.items() if isinstance(who, int)}
        slow = tuple(notes_on_machines(self._placed[who] for who in sorted(self._placed, key=str)))
        return Job(tuple(folds), len(self._latest), missing, after, told, files, slow)


class Across(NamedTuple):
    """The folds that are in collective calls, by the call; those in none; and, where all
    processes are in calls that "receive", or all in such that "send", which."""

    collective: tuple[tuple[str, tuple[Fold, ...]], ...]
    outside: tuple[Fold, ...]
    all_in: Optional[str]


def across(job: Job) -> Across:
    """Conclude what the processes' stops say together."""
    collective: dict[str, list[Fold]] = {}
    outside = []
    for fold in job.folds:
        own = list(filter(COLLECTIVE.fullmatch, sorted(calls_of(fold))))
        for call in own:
            collective.setdefault(call, []).append(fold)
        if not own:
            outside.append(fold)
    calls = [calls_of(fold) for fold in job.folds]
    all_in = None
    if job.processes > 1 and not job.missing:
        for what, kind in ONE_SIDED.items():
            if all(own and all(map(kind.fullmatch, own)) for own in calls):
                all_in = what
    return Across(
        tuple((call, tuple(folds)) for call, folds in collective.items()),
        tuple(outside),
        all_in,
    )


def calls_of(fold: Fold) -> set[str]:
    """Return the MPI calls that the threads of a process are in."""
    return {doing.call for doing in fold.one.doing if doing.call is not None}
