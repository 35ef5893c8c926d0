# SPDX-License-Identifier: Apache-2.0
"""Choosing threads and frames: by number, range, team, state, count."""

from __future__ import annotations

import pytest
from gdb_ompd.errors import NotFound, UsageError
from gdb_ompd.explain import choosing
from gdb_ompd.model import Region, Thread, ThreadKind, WaitsFor
from gdb_ompd.model.stacks import Construct, Frames, LogicalStack, Mark, StackFrame
from gdb_ompd.stacks.logical import MORE, some_frames

THREADS = (
    Thread(1, 1, 11, kind=ThreadKind.INITIAL, state="work_parallel"),
    Thread(1, 2, 12, kind=ThreadKind.WORKER, state="wait_barrier_explicit"),
    Thread(1, 3, 13, state="work_parallel", waits_for=WaitsFor("critical", 64, "gate")),
    Thread(1, 4, 14, kind=ThreadKind.WORKER, state="idle", idle=True),
    Thread(1, 5, 15, running=True, error="the thread is running"),
    Thread(1, 6, 16, kind=ThreadKind.NATIVE, signal="SIGSEGV"),
    Thread(2, 1, 21),
)


def _ids(threads: list[Thread]) -> list[tuple[int, int]]:
    return [(thread.inferior, thread.gdb_num) for thread in threads]


def test_by_number_and_range_and_inferior() -> None:
    assert _ids(choosing.by_numbers(THREADS, ["3"])) == [(1, 3)]
    assert _ids(choosing.by_numbers(THREADS, ["5-9", "2-3"])) == [(1, 2), (1, 3), (1, 5), (1, 6)]
    assert _ids(choosing.by_numbers(THREADS, ["1"])) == [(1, 1), (2, 1)]
    assert _ids(choosing.by_numbers(THREADS, ["2.1"])) == [(2, 1)]
    with pytest.raises(NotFound, match="no GDB thread 9"):
        choosing.by_numbers(THREADS, ["1", "9"])
    for wrong in ("x", "1-", "-2", "1.x", "x.1", ""):
        with pytest.raises(UsageError):
            choosing.by_numbers(THREADS, [wrong])


def test_by_state() -> None:
    for word, numbers in (
        ("working", [1]),
        ("waiting", [2, 3]),
        ("idle", [4]),
        ("running", [5]),
        ("crashed", [6]),
        ("other", [6]),
        ("unreadable", []),
        ("barrier", [2]),
        ("critical", [3]),
        ("gate", [3]),
    ):
        assert [t.gdb_num for t in choosing.by_state(THREADS, word)] == numbers, word
    with pytest.raises(NotFound, match="known are working, waiting"):
        choosing.by_state(THREADS, "sleeping")


def test_by_team() -> None:
    region = Region(3, 3, None, 1, 1, 2, False, None, None, None, (1, 3))
    assert _ids(choosing.by_team(THREADS, 1, (region,), "3")) == [(1, 1), (1, 3)]
    with pytest.raises(NotFound, match="no region 4"):
        choosing.by_team(THREADS, 1, (region,), "4")


def _frame(number: int, hidden: bool = False) -> StackFrame:
    return StackFrame(number, 64 + number, f"f{number}", "a.c", number, hidden=hidden)


STACK = LogicalStack(
    1,
    (
        Frames(1, (_frame(0, hidden=True), _frame(1), _frame(2))),
        Mark(Construct.REGION, 1),
        Frames(2, (_frame(3), _frame(4))),
    ),
)


def _numbers(stack: LogicalStack) -> list[object]:
    return [
        part if isinstance(part, Mark) else frame.number
        for part in stack.parts
        for frame in (part.frames if isinstance(part, Frames) else (None,))
    ]


def test_some_frames_of_a_stack() -> None:
    mark = STACK.parts[1]
    assert _numbers(some_frames(STACK, 1, False)) == [0, 1]
    assert some_frames(STACK, 1, False).ends == MORE
    assert _numbers(some_frames(STACK, 1, True)) == [0]
    assert _numbers(some_frames(STACK, 3, False)) == [0, 1, 2, mark, 3]
    assert some_frames(STACK, 4, False) is STACK and some_frames(STACK, 9, False) is STACK
    assert _numbers(some_frames(STACK, -1, False)) == [4]
    assert _numbers(some_frames(STACK, -3, False)) == [2, mark, 3, 4]
    assert some_frames(STACK, -9, False) is STACK
    assert _numbers(some_frames(STACK, 0, False)) == []
