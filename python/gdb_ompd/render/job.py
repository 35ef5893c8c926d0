# SPDX-License-Identifier: Apache-2.0
"""`gdb-ompd report`: a parallel job, ranks in equal states on one line, the outliers first; and as
one page, of the same parts as that of one stop."""

from __future__ import annotations

from types import MappingProxyType
from typing import Callable, Iterator, Mapping, Optional, Sequence, Union

from ..errors import printable
from ..explain.job import Doing, Fold, Job, ONE_SIDED, across, calls_of
from ..explain.phrases import counted
from ..explain.report import Verdict
from ..model import Thread, ThreadKind
from . import folding, page
from .page import Link, Section
from .pictures import GAP, LINE, PAD, SIDE, said, svg
from .style import plain
from .words import location, numbered, state

WIDEST_LIST = 48
MOST_NAMED = 3  # threads, or files; of more their number is said
COLLECTIVE_IS = "which every rank of its communicator must call"
TOGETHER = {Verdict.CRASHED: ", crashed,", Verdict.DEADLOCK: ", deadlocked by itself,"}
TOLD = (Verdict.CRASHED, Verdict.DEADLOCK, Verdict.WAITING, Verdict.UNKNOWN)


def lines(job: Job) -> Iterator[str]:
    """Show a job."""
    yield sentence(job)
    yield from verdict(job)
    yield from job.slow
    for fold in job.folds:
        yield f"{who(fold)}: {does(fold) or 'no threads'}"
        if fold.one.verdict in (*TOLD, None):
            others = _count([fold]) > 1
            yield f"  {f'{first(fold)}: ' if others else ''}{printable(fold.one.text)}"
    yield from notes(job)


def notes(job: Job) -> Iterator[str]:
    """Say what is not known of a job."""
    if job.after >= 1000:
        yield f"The last stop was saved {job.after / 1000:.0f} s after the first."
    if job.missing:
        yield f"Not saved: {named(job.missing)}"
    yield from job.notes


def verdict(job: Job) -> Iterator[str]:
    """Say what the processes' stops tell together, if anything."""
    found = across(job)
    if found.all_in is not None:
        calls = sorted({call for fold in job.folds for call in calls_of(fold)})
        other = next(what for what in ONE_SIDED if what != found.all_in)
        yield (
            f"All {job.processes} are in calls that {found.all_in} "
            f"({printable(', '.join(calls))}), none is in one that {other}s."
        )
    if not found.collective or not (found.outside or job.missing or found.collective[1:]):
        return
    parts = [
        f"{who(fold)}{TOGETHER.get(fold.one.verdict or Verdict.RUNNING, '')} {_are([fold])} {_in(fold)}"
        for fold in found.outside[:MOST_NAMED]
    ]
    if len(found.outside) > MOST_NAMED:
        rest = found.outside[MOST_NAMED:]
        parts.append(f"{_of(rest)} neither")
    if job.missing:
        parts.append(f"{named(job.missing)} {'are' if job.missing[1:] else 'is'} not saved")
    for call, folds in sorted(found.collective, key=lambda each: _count(each[1])):
        spots = {_place(doing) for fold in folds for doing in fold.one.doing if doing.call == call}
        spot = f" ({spots.pop()})" if len(spots) == 1 else f" (at {len(spots)} places)"
        parts.append(f"{_of(folds)} {_are(folds)} in {printable(call)}{spot}")
    several = len(found.collective) > 1
    end = ": none of these calls completes another" if several else f", {COLLECTIVE_IS}"
    text = "; ".join(parts)
    yield f"{text[:1].upper()}{text[1:]}{end}."


def _in(fold: Fold) -> str:
    """Say that a process is in no collective call, and who of it is in another, or at a barrier."""
    if not calls_of(fold):
        return f"in no MPI call ({does(fold) or 'no threads'})"
    waits = does(fold, lambda doing: doing.call is not None or _is_at_barrier(doing.thread))
    return f"in no collective call ({waits})"


def _is_at_barrier(thread: Thread) -> bool:
    return thread.waits_for is not None and thread.waits_for.kind.endswith("barrier")


def _are(folds: Sequence[Fold]) -> str:
    return "is" if _count(folds) == 1 else "are"


def sentence(job: Job) -> str:
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
    said = f": {', '.join(parts)}" if parts else ""
    return f"{processes_of(job)} in {counted(len(job.folds), 'state')}{said}."


def does(fold: Fold, wanted: Callable[[Doing], bool] = lambda doing: True) -> str:
    """Say what the threads of a process do, of those that are WANTED."""
    numbers = fold.numbers or (None,) * len(fold.one.doing)
    return "; ".join(_doing(d, n) for d, n in zip(fold.one.doing, numbers) if wanted(d))


def who(fold: Fold) -> str:
    """Name processes that are in one state."""
    return named(fold.ranks, fold.names)


def first(fold: Fold) -> str:
    """Name the one that stands for all."""
    return named(fold.ranks[:1], () if fold.ranks else fold.names[:1])


def processes_of(job: Job) -> str:
    """Say how many processes there are."""
    return "1 process" if job.processes == 1 else f"{job.processes} processes"


def _count(folds: Sequence[Fold]) -> int:
    return sum(len(fold.ranks) + len(fold.names) for fold in folds)


def _of(folds: Sequence[Fold]) -> str:
    numbers = [rank for fold in folds for rank in fold.ranks]
    return named(numbers, [name for fold in folds for name in fold.names])


def named(numbers: Sequence[int], names: Sequence[str] = ()) -> str:
    """Name processes: "rank 127", "ranks 0-126", or their files."""
    parts = []
    if numbers:
        parts.append(numbered("rank", numbers, limit=WIDEST_LIST))
    if names:
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        parts.append(", ".join(names[:MOST_NAMED]) + more)
    return printable(", ".join(parts))


def _doing(doing: Doing, numbers: Optional[Sequence[int]]) -> str:
    """Say how many threads do what where: "thread 3 in MPI_Recv, exchange at exchange.c:40"."""
    own = counted(doing.threads, "thread")
    if is_of_library(doing):
        return f"{own} of libraries"
    # Those of two teams may have one number.
    if numbers is not None and len(set(numbers)) == doing.threads <= MOST_NAMED:
        own = numbered("thread", numbers)
    what = f"in {printable(doing.call)}" if doing.call else plain(state(doing.thread))
    where = _place(doing)
    return f"{own} {what}{f', {where}' if where else ''}"


def is_of_library(doing: Doing) -> bool:
    """Tell whether threads are no OpenMP threads and execute no code of the user's."""
    one = doing.thread
    return doing.call is None and one.kind is ThreadKind.NATIVE and one.location is None


def _place(doing: Doing) -> str:
    return plain(location(doing.thread.location))


ROW = 50  # ranks
COLOURS = {
    Verdict.CRASHED: "crashed",
    Verdict.DEADLOCK: "crashed",
    Verdict.WAITING: "waiting",
    Verdict.UNKNOWN: "unknown",
    Verdict.IDLE: "idle",
    Verdict.RUNNING: "working",
}

LEGEND = {
    "crashed": "crashed, or deadlocked",
    "waiting": "waits, or is in an MPI call",
    "working": "goes on",
    "idle": "idle",
    "unknown": "not known, or not saved",
}


def html(job: Job, pages: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the page, which leads to those of processes: PAGES by the files these are saved in."""
    first, others = sentence(job), verdict(job)
    known = {fold.one.verdict for fold in job.folds}
    worst = next((verdict.value for verdict in Verdict if verdict in known), "")
    head = [page.verdict(first, worst, "verdict")]
    head += [page.verdict(text, "waiting", f"across{n}") for n, text in enumerate(others)]
    head += [page.verdict(text, "waiting", f"slow{n}") for n, text in enumerate(job.slow)]
    head.append(page.notes(notes(job)))
    title = f"An OpenMP job of {processes_of(job)}: {worst or 'unknown'}"
    return page.document(title, "\n".join(head), _sections(job, pages))


def _sections(job: Job, pages: Mapping[str, str]) -> Iterator[Section]:
    legend = "".join(f'<span><i class="{each}"></i>{what}</span>' for each, what in LEGEND.items())
    shown = f'<p class="legend" aria-hidden="true">{legend}</p>' + page.scroll(ranks(job, pages))
    yield "ranks", "Ranks", shown if any(fold.ranks for fold in job.folds) else ""
    yield "states", "States, the rare ones first", page.table(
        ("State", "Processes", "Number", "Verdict", "Why", "Saved in"),
        (
            (
                str(number),
                who(fold),
                str(len(fold.ranks) + len(fold.names)),
                fold.one.verdict.value if fold.one.verdict else "unknown",
                fold.one.text,
                _saved_in(fold.one.name, pages),
            )
            for number, fold in enumerate(job.folds, 1)
        ),
    )
    yield "threads", "What their threads do", page.table(
        ("State", "Threads", "Numbers", "MPI call", "OpenMP", "Where"),
        (
            _row(number, fold, index, doing)
            for number, fold in enumerate(job.folds, 1)
            for index, doing in enumerate(fold.one.doing)
        ),
    )


def _saved_in(name: str, pages: Mapping[str, str]) -> Union[str, Link]:
    return Link(name, pages[name]) if name in pages else name


def _row(number: int, fold: Fold, index: int, doing: Doing) -> Sequence[str]:
    numbers = folding.ranges(fold.numbers[index]) if fold.numbers else "differ"
    thread = doing.thread
    what, where = plain(state(thread)), plain(location(thread.location))
    return str(number), str(doing.threads), numbers, doing.call or "", what, where


def ranks(job: Job, pages: Mapping[str, str] = MappingProxyType({})) -> str:
    """Draw a square for each rank, which leads to its page; those in the most common state are pale."""
    folds: dict[int, Optional[int]] = dict.fromkeys(job.missing)
    for index, fold in enumerate(job.folds):
        folds.update(dict.fromkeys(fold.ranks, index))
    order = sorted(folds)
    parts: list[str] = []

    def page_of(rank: int) -> Optional[str]:
        return pages.get(job.files.get(rank, ""))

    for row in range(0, len(order), ROW):
        top, column = PAD + row // ROW * (SIDE + GAP), 0
        parts.append(f'<text class="small" x="{PAD}" y="{top + 12}">{order[row]}</text>')
        for same in folding.runs(order[row : row + ROW], lambda rank: (folds[rank], page_of(rank))):
            shape = _squares(job, same, folds[same[0]], column, top)
            href = page_of(same[0])
            parts.append(f'<a href="{said(href)}">{shape}</a>' if href else shape)
            column += len(same)
    height = 2 * PAD + -(-len(order) // ROW) * (SIDE + GAP)
    return svg("Ranks by their states", height, parts)


def _squares(job: Job, numbers: Sequence[int], index: Optional[int], column: int, top: int) -> str:
    """Draw neighbours of one state."""
    lefts = (PAD + 3 * LINE + (column + n) * (SIDE + GAP) for n in range(len(numbers)))
    squares = "".join(f"M{left} {top}h{SIDE}v{SIDE}h-{SIDE}z" for left in lefts)
    what, kind = "not saved", "unknown"
    if index is not None:
        fold = job.folds[index]
        what, kind = f"state {index + 1}: {does(fold)}", _colour(fold)
        if 0 < index == len(job.folds) - 1:
            kind += " inner"
    title = said(f"{named(numbers)}: {what}")
    return f'<path class="{kind}" d="{squares}"><title>{title}</title></path>'


def _colour(fold: Fold) -> str:
    if fold.one.verdict is None:
        return "unknown"
    called = any(doing.call for doing in fold.one.doing)
    return (
        "waiting" if called and fold.one.verdict is Verdict.RUNNING else COLOURS[fold.one.verdict]
    )
