# SPDX-License-Identifier: Apache-2.0
"""The verdict on many threads takes work in proportion to their number, by Python's instructions.

The square of it is a second at 1,000 threads, where GDB's own listing takes a fortieth.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Callable

import pytest
from gdb_ompd.explain.facts import At, Facts, LockWord
from gdb_ompd.explain.verdict import explain
from gdb_ompd.model import Region
from gdb_ompd.model.waits import Kind, SystemCall, Wait

LOCK = 0x1000
FEW, MANY = 50, 200


def _sleeps(number: int) -> At:
    call = SystemCall(function="pthread_cond_wait", sleep="pthread_cond_wait")
    return At(number, region=1, call=call)


def _one_works(number: int) -> At:
    return At(number, region=1) if number == 1 else _sleeps(number)


def _waits_for_a_lock(number: int) -> At:
    return At(number, Wait(Kind.LOCK, LOCK), region=1, blocked=True)


def _waits_for_a_mutex(number: int) -> At:
    call = SystemCall(function="pthread_mutex_lock", mutex=LOCK, lock="pthread mutex", owner=1)
    barrier = At(1, Wait(Kind.BARRIER), region=1, blocked=True)
    return barrier if number == 1 else At(number, region=1, call=call)


def _waits_for_its_turn(number: int) -> At:
    return At(number, Wait(Kind.ORDERED), region=1, blocked=True)


def _waits_for_tasks(number: int) -> At:
    tasks = (number, 1000)
    return At(number, Wait(Kind.TASKWAIT), region=1, tasks=tasks, children=1, in_explicit_task=True)


def _steps(what: Callable[[int], At], number: int) -> int:
    """Count Python's instructions for the verdict on NUMBER threads that each do WHAT."""
    numbers = tuple(range(1, number + 1))
    threads = tuple(map(what, numbers))
    words = ((LOCK, LockWord(held=True, queued=frozenset(numbers))),)
    region = Region(1, 1, None, 1, 1, number, False, "main", "heat.c", 5, numbers)
    facts = Facts(threads, (region,), words, waiting_tasks=())
    steps = 0

    def count(frame: FrameType, event: str, what: Any) -> Any:
        nonlocal steps
        frame.f_trace_opcodes = True
        steps += event == "opcode"
        return count

    sys.settrace(count)
    try:
        explain(facts)
    finally:
        sys.settrace(None)
    return steps


@pytest.mark.parametrize(
    "what",
    [
        _sleeps,
        _one_works,
        _waits_for_a_lock,
        _waits_for_a_mutex,
        _waits_for_its_turn,
        _waits_for_tasks,
    ],
)
def test_four_times_the_threads_take_four_times_the_work(what: Callable[[int], At]) -> None:
    assert _steps(what, MANY) < 1.2 * MANY / FEW * _steps(what, FEW)
