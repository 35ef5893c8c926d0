# SPDX-License-Identifier: Apache-2.0
"""The functions of tasks of which the runtime does not keep them: GCC's keeps none of a task that
is executed at once, by the call which makes it. They are taken from the stack, from the innermost
task on, for as long as each body on the stack fits the task in the runtime's chain."""

from __future__ import annotations

from itertools import chain as chain_of, groupby
from typing import Callable, Iterator, Sequence

from .._native import EntryPoint, TaskView, WaitingView
from ..model import TaskKind
from ..model.waits import Kind
from ..providers.facts import has_no_function

# A function of the user's, 0 where it is not known, and the name of what has called it.
Body = tuple[int, str]


def with_functions(
    views: Sequence[TaskView], bodies: Callable[[int], Sequence[Body]]
) -> list[TaskView]:
    """Return VIEWS with the functions that BODIES of a thread's stack tell."""
    found: dict[int, int] = {}  # by the task's id: other threads' chains lead to it, too
    for gdb_num, chain in groupby(views, lambda view: view.task.gdb_num):
        tasks = list(chain)
        if any(map(has_no_function, tasks)):
            found.update(_functions(tasks, bodies(gdb_num)))
    return [
        view.with_function(found[view.task.task_id])
        if has_no_function(view) and view.task.task_id in found
        else view
        for view in views
    ]


def suspended_with_functions(
    views: Sequence[WaitingView], chains: Sequence[TaskView]
) -> list[WaitingView]:
    """Return VIEWS with the functions of those that are in threads' CHAINS."""
    known = {view.task.task_id: view.function for view in chains if view.function is not None}
    return [
        view.with_functions(
            view.function or known.get(view.task.task_id),
            view.creator_function or known.get(view.task.generated_by or 0),
        )
        for view in views
    ]


def _functions(chain: Sequence[TaskView], bodies: Sequence[Body]) -> Iterator[tuple[int, int]]:
    """Yield tasks' ids and functions, from the innermost on."""
    left: Iterator[Body] = iter(bodies)
    for position, view in enumerate(chain):
        function, caller = next(left, (0, ""))
        entry = EntryPoint(caller)
        if view.task.kind is TaskKind.IMPLICIT and entry.makes_task:
            # The thread is at the end of a region, behind its body: that is of the next task.
            left = chain_of([(function, caller)], left)
        elif has_no_function(view):
            if not entry.makes_task:
                return
            if function:
                yield view.task.task_id, function
        elif view.task.kind is TaskKind.EXPLICIT:
            # It executes children of the task that calls it, and no other tasks.
            is_child = entry.waits_for == Kind.TASKWAIT.value
            is_above_next = is_child or view.task.scheduling == position + 1
            if not is_above_next or function not in (0, view.function):
                return
        elif not entry.begins_region:
            return
