# SPDX-License-Identifier: Apache-2.0
"""`gdb-ompd report -o`: a parallel job as one page, of the same parts as that of one stop."""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

from ..explain.job import Doing, Fold, Job
from ..explain.report import Verdict
from . import folding, job as words, page
from .pictures import GAP, LINE, PAD, SIDE, WIDTH, said, svg
from .page import Section
from .style import plain
from .words import location, state

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


def html(job: Job) -> str:
    """Return the page."""
    first, others = words.sentence(job), words.verdict(job)
    known = {fold.one.verdict for fold in job.folds}
    worst = next((verdict.value for verdict in Verdict if verdict in known), "")
    head = [page.verdict(first, worst, "verdict")]
    head += [page.verdict(text, "waiting", f"across{n}") for n, text in enumerate(others)]
    head.append(page.notes(words.notes(job)))
    return page.document(words.processes_of(job), "an OpenMP job", "\n".join(head), _sections(job))


def _sections(job: Job) -> Iterator[Section]:
    legend = "".join(f'<span><i class="{each}"></i>{what}</span>' for each, what in LEGEND.items())
    shown = f'<p class="legend" aria-hidden="true">{legend}</p>' + page.scroll(ranks(job))
    yield "ranks", "Ranks", shown if any(fold.ranks for fold in job.folds) else ""
    yield "states", "States, the rare ones first", page.table(
        ("State", "Processes", "Number", "Verdict", "Why", "Saved in"),
        (
            (
                str(number),
                words.who(fold),
                str(len(fold.ranks) + len(fold.names)),
                fold.one.verdict.value if fold.one.verdict else "unknown",
                fold.one.text,
                fold.one.name,
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


def _row(number: int, fold: Fold, index: int, doing: Doing) -> Sequence[str]:
    numbers = folding.ranges(fold.numbers[index]) if fold.numbers else "differ"
    thread = doing.thread
    what, where = plain(state(thread)), plain(location(thread.location))
    return str(number), str(doing.threads), numbers, doing.call or "", what, where


def ranks(job: Job) -> str:
    """Draw a square for each rank; those in the most common state are pale."""
    folds: dict[int, Optional[int]] = dict.fromkeys(job.missing)
    for index, fold in enumerate(job.folds):
        folds.update(dict.fromkeys(fold.ranks, index))
    order = sorted(folds)
    parts: list[str] = []
    for row in range(0, len(order), ROW):
        top, column = PAD + row // ROW * (SIDE + GAP), 0
        parts.append(f'<text class="small" x="{PAD}" y="{top + 12}">{order[row]}</text>')
        for same in folding.runs(order[row : row + ROW], folds.__getitem__):
            parts.append(_squares(job, same, folds[same[0]], column, top))
            column += len(same)
    height = 2 * PAD + -(-len(order) // ROW) * (SIDE + GAP)
    return svg("Ranks by their states", WIDTH, height, parts)


def _squares(job: Job, numbers: Sequence[int], index: Optional[int], column: int, top: int) -> str:
    """Draw neighbours of one state."""
    lefts = (PAD + 3 * LINE + (column + n) * (SIDE + GAP) for n in range(len(numbers)))
    squares = "".join(f"M{left} {top}h{SIDE}v{SIDE}h-{SIDE}z" for left in lefts)
    what, kind = "not saved", "unknown"
    if index is not None:
        fold = job.folds[index]
        what, kind = f"state {index + 1}: {words.does(fold)}", _colour(fold)
        if 0 < index == len(job.folds) - 1:
            kind += " inner"
    title = said(f"{words.named(numbers)}: {what}")
    return f'<path class="{kind}" d="{squares}"><title>{title}</title></path>'


def _colour(fold: Fold) -> str:
    if fold.one.verdict is None:
        return "unknown"
    called = any(doing.call for doing in fold.one.doing)
    return (
        "waiting" if called and fold.one.verdict is Verdict.RUNNING else COLOURS[fold.one.verdict]
    )
