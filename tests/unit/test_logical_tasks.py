# SPDX-License-Identifier: Apache-2.0
"""How the logical stack of a task goes on where the task was created."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from gdb_ompd.stacks.logical import logical_stack
from gdb_ompd.stacks.teams import LogicalFacts
from gdb_ompd.model import Region, Snapshot, Task, TaskFrames, TaskKind, Thread, ThreadKind
from gdb_ompd.render import stacks
from gdb_ompd.model.stacks import Boundary, Construct, Segment, Stack, StackFrame

REGION = Region(1, 100, None, 1, 1, 2, False, "main", "a.c", 10, (1, 2))
OF_PRIMARY, OF_WORKER, EXECUTED, SUSPENDED, INNER = range(21, 26)  # the tasks' identities


def frame(number: int, function: str, line: int, outlined: bool = False) -> StackFrame:
    return StackFrame(number, function, "a.c", line, 0x1000 + line, outlined=outlined)


IN_TASK = (frame(1, "step", 30), frame(2, "main", 16, outlined=True))
IN_REGION = Segment((frame(5, "main", 11, outlined=True),), Boundary(Construct.REGION))
IN_MAIN = Segment((frame(7, "main", 10),), None)
AT_END = Segment((), Boundary(Construct.REGION, bottom=True))
PRIMARY = Stack(1, (), (IN_REGION, IN_MAIN))
WORKER = Stack(2, (), (Segment(IN_TASK, Boundary(Construct.TASK)), AT_END))
BELOW_REGION = [
    "GDB 1 #5 main at a.c:11",
    "--  parallel region 1, level 1, thread 0 of 2: main at a.c:10",
    "GDB 1 #7 main () at a.c:10",
]


def task(
    gdb_num: int,
    identity: int,
    kind: TaskKind,
    generating: Optional[int] = None,
    scheduling: Optional[int] = None,
) -> Task:
    place = ("main", "a.c", identity) if kind is TaskKind.EXPLICIT else (None, None, None)
    frames = TaskFrames(None, None)
    return Task(gdb_num, 0, identity, kind, *place, False, frames, generating, scheduling, True)


PRIMARYS = task(1, OF_PRIMARY, TaskKind.IMPLICIT)
WORKERS = task(2, OF_WORKER, TaskKind.IMPLICIT)
CREATED_BY_PRIMARY = (
    task(2, EXECUTED, TaskKind.EXPLICIT, generating=2, scheduling=1),
    WORKERS,
    PRIMARYS._replace(gdb_num=2),
)


def shown(
    gdb_num: int,
    all_stacks: Sequence[Stack],
    chains: Mapping[int, tuple[Task, ...]],
    executes: TaskKind = TaskKind.EXPLICIT,
) -> list[str]:
    """Return the lines of a thread's stack; CHAINS are the threads' tasks."""
    threads = tuple(
        Thread(1, n, 10 + n, kind=ThreadKind.WORKER, level=1, region=1, task=executes)
        for n in (1, 2)
    )
    found = {stack.gdb_num: stack for stack in all_stacks}
    given = LogicalFacts(
        Snapshot(threads, (REGION,)),
        found.get,
        lambda number: chains.get(number, ()),
        lambda _region: (PRIMARYS, WORKERS),
    )
    return list(stacks.lines(logical_stack(given, gdb_num), given.thread(gdb_num)))


def test_a_task_goes_on_in_the_implicit_task_that_created_it() -> None:
    assert shown(2, [PRIMARY, WORKER], {2: CREATED_BY_PRIMARY}) == [
        "GDB thread 2",
        "#1  step () at a.c:30",
        "#2  main at a.c:16",
        f"--  task: main at a.c:{EXECUTED}; created by GDB thread 1",
        *BELOW_REGION,
    ]


def test_a_task_goes_on_in_a_task_that_another_thread_has_suspended() -> None:
    """Thread 1 executes a task above the one that created thread 2's."""
    inner = Segment((frame(1, "other", 40, outlined=True),), Boundary(Construct.TASK))
    suspended = Segment((frame(3, "main", 20, outlined=True),), Boundary(Construct.TASK))
    primary = Stack(1, (), (inner, suspended, IN_REGION, IN_MAIN))
    chains = {
        1: (
            task(1, INNER, TaskKind.EXPLICIT, generating=2, scheduling=1),
            task(1, SUSPENDED, TaskKind.EXPLICIT, generating=2, scheduling=2),
            PRIMARYS,
        ),
        2: (
            task(2, EXECUTED, TaskKind.EXPLICIT, generating=2, scheduling=1),
            WORKERS,
            task(2, SUSPENDED, TaskKind.EXPLICIT, generating=3),
            PRIMARYS,
        ),
    }
    assert shown(2, [primary, WORKER], chains)[3:] == [
        f"--  task: main at a.c:{EXECUTED}; created by GDB thread 1",
        "GDB 1 #3 main at a.c:20",
        f"--  task: main at a.c:{SUSPENDED}",
        *BELOW_REGION,
    ]


def test_a_task_whose_creator_nobody_executes_goes_on_where_it_was_scheduled() -> None:
    gone = (
        task(2, EXECUTED, TaskKind.EXPLICIT, generating=2, scheduling=1),
        WORKERS,
        task(2, SUSPENDED, TaskKind.EXPLICIT),
    )
    assert shown(2, [PRIMARY, WORKER], {2: gone})[3:] == [
        f"--  task: main at a.c:{EXECUTED}; its creator is on no stack, executed in",
        "--  parallel region 1, level 1, thread 1 of 2: main at a.c:10; begun by GDB thread 1",
        "GDB 1 #7 main () at a.c:10",
    ]


def test_the_creator_of_a_task_that_is_not_known_is_not_known() -> None:
    alone = Stack(2, (), (Segment(IN_TASK, Boundary(Construct.TASK)),))
    assert shown(2, [PRIMARY, alone], {2: CREATED_BY_PRIMARY})[3:] == [
        "--  task",
        "(the task's creator is not known)",
    ]


def test_what_the_runtime_called_for_no_known_reason_is_said_to_be_that() -> None:
    called = Segment((frame(1, "callback", 50),), Boundary(Construct.UNKNOWN))
    assert shown(1, [Stack(1, (), (called, *PRIMARY.segments))], {})[1:3] == [
        "#1  callback () at a.c:50",
        "--  called by the OpenMP runtime",
    ]
    assert shown(2, [Stack(2, (), (called,))], {})[2:] == [
        "--  called by the OpenMP runtime",
        "(who called this through the OpenMP runtime is not known)",
    ]


def test_a_body_that_the_stack_does_not_tell_is_what_the_thread_executes() -> None:
    """As where the runtime's functions have no names."""
    body = Segment(IN_TASK, Boundary(Construct.UNKNOWN))
    stack = Stack(2, (), (body, AT_END))
    said = f"--  task: main at a.c:{EXECUTED}; created by GDB thread 1"
    assert shown(2, [PRIMARY, stack], {2: CREATED_BY_PRIMARY})[3] == said
    not_outlined = Stack(2, (), (Segment(IN_TASK[:1], Boundary(Construct.UNKNOWN)), AT_END))
    shown_as = shown(2, [PRIMARY, not_outlined], {2: CREATED_BY_PRIMARY})
    assert shown_as[2] == "--  called by the OpenMP runtime"
    end = Stack(2, (), (Segment(IN_TASK, Boundary(Construct.UNKNOWN, bottom=True)),))
    implicit = shown(2, [PRIMARY, end], {2: (WORKERS,)}, executes=TaskKind.IMPLICIT)
    assert implicit[3].startswith("--  parallel region 1, level 1, thread 1 of 2: main at a.c:10;")


def test_a_stack_that_ends_too_early_and_a_thread_that_runs() -> None:
    cut = PRIMARY._replace(complete=False)
    assert shown(1, [cut], {})[-1] == "(the stack of GDB thread 1 cannot be unwound further)"
    assert shown(2, [PRIMARY], {}) == ["GDB thread 2", "(the thread is running)"]
