# SPDX-License-Identifier: Apache-2.0
"""The functions of tasks that the runtime does not keep, from stacks."""

from __future__ import annotations

from typing import Optional

import pytest
from gdb_ompd.model import Task, TaskFrames, TaskKind
from gdb_ompd._native import TaskView, with_functions

TASK = TaskKind.EXPLICIT
IMPLICIT = TaskKind.IMPLICIT


def view(
    kind: TaskKind,
    task_id: int,
    function: Optional[int] = None,
    gdb_num: int = 1,
    scheduling: Optional[int] = None,
) -> TaskView:
    frames = TaskFrames(None, None)
    task = Task(gdb_num, 0, task_id, kind, None, None, None, False, frames, None, scheduling, True)
    return TaskView(task, function, None)


@pytest.mark.parametrize(
    "chain, bodies, functions",
    [
        ([view(TASK, 1)], [(0x10, "GOMP_task")], [0x10]),
        ([view(TASK, 1)], [(0x10, "GOMP_taskloop_ull")], [0x10]),
        # Executed in another call than the one that made it, or by nobody who has a name.
        ([view(TASK, 1)], [(0x10, "GOMP_taskgroup_end")], [None]),
        ([view(TASK, 1)], [(0x10, "")], [None]),
        ([view(TASK, 1)], [(0, "GOMP_task")], [None]),
        ([view(TASK, 1)], [], [None]),
        # One in another.
        (
            [view(TASK, 2), view(TASK, 1), view(IMPLICIT, 0)],
            [(0x20, "GOMP_task"), (0x10, "GOMP_task"), (0x30, "GOMP_parallel")],
            [0x20, 0x10, None],
        ),
        # What ended with a jump has left no frame, but it was called.
        ([view(TASK, 2), view(TASK, 1)], [(0, "GOMP_task"), (0x10, "GOMP_task")], [None, 0x10]),
        (
            [view(TASK, 2, 0x20), view(TASK, 1)],
            [(0, "GOMP_taskwait"), (0x10, "GOMP_task")],
            [0x20, 0x10],
        ),
        # A child that its parent waits for, in that one's frames.
        (
            [view(TASK, 2, 0x20), view(TASK, 1)],
            [(0x20, "GOMP_taskwait"), (0x10, "GOMP_task")],
            [0x20, 0x10],
        ),
        # A task of another's, and what this thread has below it is not that one's.
        (
            [view(TASK, 2, 0x20), view(TASK, 1)],
            [(0x20, "GOMP_taskgroup_end"), (0x10, "GOMP_task")],
            [0x20, None],
        ),
        # The task in which a region was begun.
        (
            [view(IMPLICIT, 2), view(TASK, 1)],
            [(0x30, "GOMP_parallel"), (0x10, "GOMP_task")],
            [None, 0x10],
        ),
        ([view(IMPLICIT, 2), view(TASK, 1)], [(0x30, "qsort"), (0x10, "GOMP_task")], [None, None]),
        # In a task that the thread executes at the end of a region, which was begun in a task.
        (
            [view(TASK, 3, 0x30, scheduling=1), view(IMPLICIT, 2), view(TASK, 1)],
            [(0x30, ""), (0x10, "GOMP_task")],
            [0x30, None, 0x10],
        ),
        # At the end of a region, whose body is on the stack no more.
        ([view(IMPLICIT, 2), view(TASK, 1)], [(0x10, "GOMP_task")], [None, 0x10]),
    ],
)
def test_what_a_stack_tells(
    chain: list[TaskView], bodies: list[tuple[int, str]], functions: list[Optional[int]]
) -> None:
    found = with_functions(chain, lambda gdb_num: bodies)
    assert [each.function for each in found] == functions


def test_other_threads_chains_lead_to_the_same_task() -> None:
    views = [view(TASK, 1), view(IMPLICIT, 3, gdb_num=2), view(TASK, 1, gdb_num=2)]
    stacks = {1: [(0x10, "GOMP_task")], 2: [(0x30, "gomp_thread_start")]}
    found = with_functions(views, lambda gdb_num: stacks[gdb_num])
    assert [each.function for each in found] == [0x10, None, 0x10]
