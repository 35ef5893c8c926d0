# SPDX-License-Identifier: Apache-2.0
"""The part of `ompd tasks -all` on tasks that no thread executes."""

from __future__ import annotations

from gdb_ompd.model import Creator, TaskKind, WaitingTask, WaitingTasks, Whereabouts
from gdb_ompd.render import json_document
from gdb_ompd.render.tasks import waiting_lines

IMPLICIT = Creator(TaskKind.IMPLICIT, "main", "src/fib.c", 20, 0)
EXPLICIT = Creator(TaskKind.EXPLICIT, "fib", "src/fib.c", 9)


def task(where: Whereabouts, line: int, number: int, creator: Creator) -> WaitingTask:
    queue = 1 if where is Whereabouts.QUEUED else None
    return WaitingTask(number, where, "fib", "src/fib.c", line, line == 11, queue, creator)


TASKS = (
    *(task(Whereabouts.QUEUED, 9, number, IMPLICIT) for number in range(3)),
    task(Whereabouts.BLOCKED, 10, 4, IMPLICIT),
    task(Whereabouts.QUEUED, 11, 5, EXPLICIT),
)


def test_equal_tasks_are_one_line() -> None:
    assert list(waiting_lines(WaitingTasks(TASKS, ("A note.",)), prefix="2.")) == [
        "Tasks that no thread executes",
        "  Count  State                              Task             Created by",
        "      1  blocked on dependences             fib at fib.c:10  "
        "implicit task 0, main at fib.c:20",
        "      3  queued with GDB thread 2.1         fib at fib.c:9   "
        "implicit task 0, main at fib.c:20",
        "      1  queued with GDB thread 2.1, final  fib at fib.c:11  "
        "explicit task, fib at fib.c:9",
        "A note.",
    ]


def test_without_tasks_only_the_notes_are_shown() -> None:
    assert list(waiting_lines(WaitingTasks())) == []
    assert list(waiting_lines(WaitingTasks((), ("A note.",)))) == ["A note."]


def test_each_task_is_a_row_of_the_document() -> None:
    document = json_document.tasks([], WaitingTasks(TASKS[-1:], ("A note.",)))
    assert document == {
        "schema": 1,
        "tasks": [
            {
                "gdb_num": None,
                "depth": None,
                "kind": "explicit",
                "function": "fib",
                "file": "src/fib.c",
                "line": 11,
                "code": None,
                "final": True,
                "frames": {"enter": None, "exit": None},
                "generating": None,
                "scheduling": None,
                "running": False,
                "where": "queued",
                "queue": 1,
                "creator": {
                    "kind": "explicit",
                    "function": "fib",
                    "file": "src/fib.c",
                    "line": 9,
                    "thread_num": None,
                    "code": None,
                },
                "sources": {},
                "unknown": {},
            }
        ],
        "notes": ["A note."],
    }
