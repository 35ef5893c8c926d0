# SPDX-License-Identifier: Apache-2.0
"""The lines of `ompd tasks`."""

from __future__ import annotations

from typing import Optional

from gdb_ompd.model import Task, TaskFrames, TaskKind
from gdb_ompd.render.style import Style
from gdb_ompd.render.tasks import lines

FRAMES = TaskFrames(0x7FFFF6DFF3A0, 0x7FFFF6DFF4B0)


def task(gdb_num: int, depth: int, kind: TaskKind, generating: Optional[int]) -> Task:
    return Task(
        gdb_num=gdb_num,
        depth=depth,
        task_id=100 * gdb_num + depth,
        kind=kind,
        function="fib",
        file="src/fib.c",
        line=9,
        final=False,
        frames=FRAMES._replace(exit=0x7FFFF6DFF4B0 + gdb_num),
        generating=generating,
        scheduling=generating,
        running=depth == 0,
    )


def chain(gdb_num: int, explicit: int = 1) -> list[Task]:
    """Return a thread's chain: explicit tasks, an implicit one, the initial one."""
    tasks = [task(gdb_num, depth, TaskKind.EXPLICIT, depth + 1) for depth in range(explicit)]
    implicit = task(gdb_num, explicit, TaskKind.IMPLICIT, explicit + 1)
    initial = task(gdb_num, explicit + 1, TaskKind.INITIAL, None)
    return [
        *tasks,
        implicit._replace(function="main", line=20, scheduling=None),
        initial._replace(function=None, file=None, line=None, frames=TaskFrames(None, None)),
    ]


def test_a_chain_is_innermost_first() -> None:
    tasks = chain(3)
    tasks[0] = tasks[0]._replace(final=True)
    assert list(lines(tasks)) == [
        "GDB thread 3",
        "  Task               Generating  Scheduling  Enter frame     Exit frame      Where",
        "  0 explicit, final  1           1           0x7ffff6dff3a0  0x7ffff6dff4b3  "
        "fib at fib.c:9",
        "   1 implicit        2           -           0x7ffff6dff3a0  0x7ffff6dff4b3  "
        "main at fib.c:20",
        "    2 initial        -           -",
    ]


def test_no_tasks() -> None:
    assert list(lines([])) == ["No tasks."]


def test_a_task_of_which_only_the_kind_is_known() -> None:
    bare = Task(
        1, 0, 1, TaskKind.EXPLICIT, None, None, None, None, TaskFrames(None, None), None, None, True
    )
    assert list(lines([bare])) == [
        "GDB thread 1",
        "  Task        Generating  Scheduling",
        "  0 explicit  -           -",
    ]


def test_equal_chains_of_many_threads_are_shown_once_without_frames() -> None:
    tasks = [one for gdb_num in range(1, 65) for one in chain(gdb_num)]
    tasks += chain(65, explicit=2)
    shown = list(lines(tasks))
    assert shown[:5] == [
        "GDB threads 1-64",
        "  Task         Generating  Scheduling  Where",
        "  0 explicit   1           1           fib at fib.c:9",
        "   1 implicit  2           -           main at fib.c:20",
        "    2 initial  -           -",
    ]
    assert shown[5] == "GDB thread 65"
    unfolded = list(lines(tasks, fold=False))
    assert sum(line.startswith("GDB thread ") for line in unfolded) == 65


def test_a_recursion_is_one_line_where_it_is_long() -> None:
    deep = chain(1, explicit=30)
    assert list(lines(deep)) == [
        "GDB thread 1",
        "  Task                 Generating  Scheduling  Enter frame     Exit frame      Where",
        "  0-29 explicit        1-30        1-30"
        "                                        fib at fib.c:9",
        "          30 implicit  31          -           "
        "0x7ffff6dff3a0  0x7ffff6dff4b1  main at fib.c:20",
        "          31 initial   -           -",
    ]
    assert len(list(lines(deep, fold=False))) == 1 + 1 + 32


def test_a_long_name_is_shortened_only_to_a_given_width() -> None:
    long = [task(1, 0, TaskKind.EXPLICIT, None)._replace(function="quicksort<" + "T, " * 30 + ">")]
    assert len(list(lines(long))[2]) > 120
    shortened = list(lines(long, Style(width=100)))[2]
    assert shortened.endswith("  0x7ffff6dff4b1  quicksort<...> at fib.c:9")
    narrow = list(lines(long, Style(width=60)))  # the frames give way
    assert narrow[1] == "  Task        Generating  Scheduling  Where"
    assert narrow[2] == "  0 explicit  -           -           quicksort<...> at"
    assert narrow[3].strip() == "fib.c:9"
