# SPDX-License-Identifier: Apache-2.0
"""`ompd tasks`: the chain of tasks of each thread, innermost first."""

from __future__ import annotations

from typing import Hashable, Iterator, Optional, Sequence

from ..model import Task
from . import folding, table
from .style import PLAIN, Role, Span, Style, Text, text
from .words import UNKNOWN, address, numbered, place

DEEPEST_INDENT = 8  # the depth is written out, so longer chains need no more room

Chain = list[Task]
COLUMNS = (
    table.Column("Task"),
    table.Column("Generating"),
    table.Column("Scheduling"),
    table.Column("Enter frame", dropped=1),
    table.Column("Exit frame", dropped=2),
    table.Column("Where"),
)


def lines(
    tasks: Sequence[Task],
    style: Style = PLAIN,
    *,
    fold: Optional[bool] = None,
    max_width: Optional[int] = None,
    prefix: str = "",
) -> Iterator[str]:
    """Show TASKS, a chain for each thread. Generating and scheduling tasks are
    named by their depth in the same chain. PREFIX is what GDB writes before a
    thread's number.

    FOLD shows chains that differ only in their threads once, and a recursion's
    equal tasks on one line, both without frames; None folds what would not fit
    a screen.
    """
    chains: list[Chain] = folding.groups(tasks, lambda task: task.gdb_num)
    folded = folding.wanted(fold, len(tasks))
    sets = folding.groups(chains, _shown) if folded else [[chain] for chain in chains]
    if not sets:
        yield "No tasks."
    for alike in sets:
        threads = numbered("GDB thread", (chain[0].gdb_num for chain in alike), prefix)
        yield style.paint(text(Span(threads, Role.TITLE)))
        chain = alike[0]
        parts = folding.runs(chain, _links) if folded else [[task] for task in chain]
        rows = [_row(part, len(alike) == 1) for part in parts]
        room = None if max_width is None else max_width - 2
        for line in table.lines(COLUMNS, rows, style, max_width=room):
            yield "  " + line


def _row(part: Sequence[Task], frames: bool) -> table.Row:
    """Write one task, or several neighbours that are alike."""
    one = part[0]
    depths = folding.ranges(task.depth for task in part)
    indent = " " * min(one.depth, DEEPEST_INDENT)
    own_frames = frames and len(part) == 1
    return table.Row(
        (
            text(
                f"{indent}{depths} {one.kind.value if one.kind else 'unknown'}{', final' if one.final else ''}"
            ),
            _depths([task.generating for task in part]),
            _depths([task.scheduling for task in part]),
            address(one.frames.enter) if own_frames else (),
            address(one.frames.exit) if own_frames else (),
            place(one.function, one.file, one.line),
        )
    )


def _depths(depths: Sequence[Optional[int]]) -> Text:
    known = [depth for depth in depths if depth is not None]
    return text(folding.ranges(known) if known else UNKNOWN)


def _links(task: Task) -> Hashable:
    """Return what is shown of a task, its relations counted from its own depth."""
    return (
        (task.kind, task.function, task.file, task.line, task.final),
        None if task.generating is None else task.generating - task.depth,
        None if task.scheduling is None else task.scheduling - task.depth,
    )


def _shown(chain: Chain) -> Hashable:
    return tuple(_links(task) for task in chain)
