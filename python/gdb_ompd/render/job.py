# SPDX-License-Identifier: Apache-2.0
"""`gdb-ompd report`: a parallel job, ranks in equal states on one line, the outliers first."""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

from ..errors import printable
from ..explain.job import Doing, Fold, Job
from ..explain.report import Verdict
from . import folding
from .style import plain
from .words import count, location, state

WIDEST_LIST = 48
MOST_NAMED = 3  # threads, or files; of more their number is said
TOLD = (Verdict.CRASHED, Verdict.DEADLOCK, Verdict.WAITING)


def lines(job: Job) -> Iterator[str]:
    """Show a job."""
    yield _sentence(job)
    for fold in job.folds:
        numbers = fold.numbers or (None,) * len(fold.one.doing)
        what = "; ".join(map(_doing, fold.one.doing, numbers))
        yield f"{_who(fold.ranks, fold.names)}: {what or 'no threads'}"
        if fold.one.verdict in (*TOLD, None):
            first = _who(fold.ranks[:1], () if fold.ranks else fold.names[:1])
            others = len(fold.ranks) + len(fold.names) > 1
            yield f"  {f'{first}: ' if others else ''}{printable(fold.one.text)}"
    if job.missing:
        yield f"Not saved: {_who(job.missing)}"
    yield from job.notes


def _sentence(job: Job) -> str:
    """Say who has crashed or waits for itself, and who is in which MPI call."""
    parts = []
    for verdict, words in (
        (Verdict.CRASHED, "crashed"),
        (Verdict.DEADLOCK, "deadlocked by itself"),
    ):
        folds = [fold for fold in job.folds if fold.one.verdict is verdict]
        if folds:
            parts.append(f"{_of(folds)} {words}")
    calls: dict[str, list[Fold]] = {}
    for fold in job.folds:
        for call in {doing.call for doing in fold.one.doing if doing.call is not None}:
            calls.setdefault(call, []).append(fold)
    for call, folds in sorted(calls.items(), key=lambda item: _count(item[1])):
        parts.append(f"{_of(folds)} in {printable(call)}")
    without = [f for f in job.folds if not any(doing.call for doing in f.one.doing)]
    if calls and without:
        parts.append(f"{_of(without)} in no MPI call")
    processes = count(job.processes, "process").replace("processs", "processes")
    said = f": {', '.join(parts)}" if parts else ""
    return f"{processes} in {count(len(job.folds), 'state')}{said}."


def _count(folds: Sequence[Fold]) -> int:
    return sum(len(fold.ranks) + len(fold.names) for fold in folds)


def _of(folds: Sequence[Fold]) -> str:
    numbers = [rank for fold in folds for rank in fold.ranks]
    return _who(numbers, [name for fold in folds for name in fold.names])


def _who(numbers: Sequence[int], names: Sequence[str] = ()) -> str:
    """Name processes: "rank 127", "ranks 0-126", or their files."""
    parts = []
    if numbers:
        plural = "" if len(numbers) == 1 else "s"
        parts.append(f"rank{plural} {folding.ranges(numbers, WIDEST_LIST)}")
    if names:
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        parts.append(", ".join(names[:MOST_NAMED]) + more)
    return printable(", ".join(parts))


def _doing(doing: Doing, numbers: Optional[Sequence[int]]) -> str:
    """Say how many threads do what where: "thread 3 in MPI_Recv, exchange at exchange.c:40"."""
    who = count(doing.threads, "thread")
    if numbers is not None and len(numbers) == doing.threads <= MOST_NAMED:
        who = f"thread{'' if doing.threads == 1 else 's'} {folding.ranges(numbers)}"
    what = f"in {printable(doing.call)}" if doing.call else plain(state(doing.thread))
    where = plain(location(doing.thread.location))
    return f"{who} {what}{f', {where}' if where else ''}"
