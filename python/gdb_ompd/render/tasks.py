# SPDX-License-Identifier: Apache-2.0
"""`ompd tasks`: the chain of each thread, innermost first, and tasks that none executes."""

from __future__ import annotations

from typing import Hashable, Iterator, Optional, Sequence

from ..model import Creator, Task, TaskKind, WaitingTask, WaitingTasks, place_key
from . import folding, table
from .style import PLAIN, Role, Span, Style, Text, after, text
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
OF_WAITING = (
    table.Column("Count", right=True),
    table.Column("State"),
    table.Column("Task"),
    table.Column("Created by"),
)


def lines(
    tasks: Sequence[Task],
    style: Style = PLAIN,
    *,
    fold: Optional[bool] = None,
    prefix: str = "",
) -> Iterator[str]:
    """Show TASKS, a chain for each thread. Generating and scheduling tasks are
    named by their depth in the same chain.

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
        yield from table.indented(COLUMNS, rows, style)


def _row(part: Sequence[Task], frames: bool) -> table.Row:
    """Write one task, or several neighbours that are alike."""
    one = part[0]
    depths = folding.ranges(task.depth for task in part)
    indent = " " * min(one.depth, DEEPEST_INDENT)
    own_frames = frames and len(part) == 1
    kind = one.kind.value if one.kind else "unknown"
    return table.Row(
        (
            text(f"{indent}{depths} {kind}{', final' if one.final else ''}"),
            _depths([task.generating for task in part]),
            _depths([task.scheduling for task in part]),
            address(one.frames.enter) if own_frames else (),
            address(one.frames.exit) if own_frames else (),
            place(one),
        )
    )


def _depths(depths: Sequence[Optional[int]]) -> Text:
    known = [depth for depth in depths if depth is not None]
    return text(folding.ranges(known) if known else UNKNOWN)


def _links(task: Task) -> Hashable:
    """Return what is shown of a task, its relations counted from its own depth."""
    return (
        (task.kind, place_key(task), task.final),
        None if task.generating is None else task.generating - task.depth,
        None if task.scheduling is None else task.scheduling - task.depth,
    )


def _shown(chain: Chain) -> Hashable:
    return tuple(_links(task) for task in chain)


def waiting_lines(
    waiting: WaitingTasks, style: Style = PLAIN, *, prefix: str = ""
) -> Iterator[str]:
    """Show the tasks, equal ones on one line, and the notes."""
    alike = sorted(folding.groups(waiting.tasks, _waiting_shown), key=lambda same: _order(same[0]))
    if alike:
        yield style.paint(text(Span("Tasks that no thread executes", Role.TITLE)))
        rows = [_waiting_row(same[0], len(same), prefix) for same in alike]
        yield from table.indented(OF_WAITING, rows, style)
    yield from waiting.notes


def _waiting_row(one: WaitingTask, count: int, prefix: str) -> table.Row:
    queue = f" with {numbered('GDB thread', [one.queue], prefix)}" if one.queue else ""
    final = ", final" if one.final else ""
    where = place(one)
    return table.Row(
        (text(str(count)), text(f"{one.where.value}{queue}{final}"), where, _creator(one.creator))
    )


def _creator(creator: Optional[Creator]) -> Text:
    if creator is None:
        return ()
    kind = f"{creator.kind.value} task"
    if creator.kind is TaskKind.IMPLICIT and creator.thread_num is not None:
        kind += f" {creator.thread_num}"
    return text(kind, *after(", ", place(creator)))


def _waiting_shown(task: WaitingTask) -> Hashable:
    return task.where, task.queue, place_key(task), task.final, task.creator


def _order(task: WaitingTask) -> tuple[str, int, str, int]:
    return task.where.value, task.queue or 0, task.file or "", task.line or 0
