# SPDX-License-Identifier: Apache-2.0
"""The part of `ompd tasks -all` on tasks that no thread executes."""

from __future__ import annotations

from typing import Hashable, Iterator, Optional

from ..model import Creator, TaskKind, WaitingTask, WaitingTasks
from . import folding, table
from .style import PLAIN, Role, Span, Style, Text, text
from .words import numbered, place

COLUMNS = (
    table.Column("Count", right=True),
    table.Column("State"),
    table.Column("Task"),
    table.Column("Created by"),
)


def lines(
    waiting: WaitingTasks,
    style: Style = PLAIN,
    *,
    max_width: Optional[int] = None,
    prefix: str = "",
) -> Iterator[str]:
    """Show the tasks, equal ones on one line, and the notes. PREFIX is what GDB writes
    before a thread's number."""
    alike = sorted(folding.groups(waiting.tasks, _shown), key=lambda same: _order(same[0]))
    if alike:
        yield style.paint(text(Span("Tasks that no thread executes", Role.TITLE)))
        rows = [_row(same[0], len(same), prefix) for same in alike]
        room = None if max_width is None else max_width - 2
        for line in table.lines(COLUMNS, rows, style, max_width=room):
            yield "  " + line
    yield from waiting.notes


def _row(one: WaitingTask, count: int, prefix: str) -> table.Row:
    queue = f" with {numbered('GDB thread', [one.queue], prefix)}" if one.queue else ""
    final = ", final" if one.final else ""
    where = place(one.function, one.file, one.line)
    return table.Row(
        (text(str(count)), text(f"{one.where.value}{queue}{final}"), where, _creator(one.creator))
    )


def _creator(creator: Optional[Creator]) -> Text:
    if creator is None:
        return ()
    kind = f"{creator.kind.value} task"
    if creator.kind is TaskKind.IMPLICIT and creator.thread_num is not None:
        kind += f" {creator.thread_num}"
    where = place(creator.function, creator.file, creator.line)
    return text(kind, ", ", *where) if where else text(kind)


def _shown(task: WaitingTask) -> Hashable:
    where = (task.function, task.file, task.line)
    return task.where, task.queue, where, task.final, task.creator


def _order(task: WaitingTask) -> tuple[str, int, str, int]:
    return task.where.value, task.queue or 0, task.file or "", task.line or 0
