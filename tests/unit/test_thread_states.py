# SPDX-License-Identifier: Apache-2.0
"""One state from what the runtime recorded and what the stack shows."""

from __future__ import annotations

from typing import Optional

import pytest
from gdb_ompd.stop.states import disagreement, state_of, wait_of, waits_for
from gdb_ompd.model.waits import Kind, RUNTIME, UNNAMED, Wait
from gdb_ompd.model import WaitsFor

USER = Wait()


@pytest.mark.parametrize(
    "recorded, wait, level, state",
    [
        ("work_parallel", Wait(Kind.TASKWAIT), 1, "wait_taskwait"),
        ("wait_lock", Wait(Kind.CRITICAL, 0x40, "gate"), 1, "wait_critical"),
        ("wait_barrier_implementation", Wait(Kind.BARRIER), 1, "wait_barrier"),
        ("wait_barrier_explicit", Wait(Kind.BARRIER), 1, "wait_barrier_explicit"),
        (None, Wait(Kind.ORDERED), 1, "wait_ordered"),
        ("overhead", USER, 1, "work_parallel"),
        ("overhead", USER, 0, "work_serial"),
        ("overhead", Wait(entry_point="__kmpc_fork_call"), 0, "overhead"),
        ("work_reduction", USER, 1, "work_reduction"),
        (None, USER, 1, "work_parallel"),
        (None, USER, 0, "work_serial"),
        (None, Wait(entry_point="GOMP_parallel"), 0, "overhead"),
        (None, Wait(entry_point=UNNAMED), 0, None),
        (None, Wait(entry_point=UNNAMED, outside=RUNTIME), 1, "overhead"),
        ("wait_barrier_implementation", Wait(Kind.COPYPRIVATE), 1, "wait_barrier_implementation"),
    ],
)
def test_state(recorded: Optional[str], wait: Wait, level: int, state: Optional[str]) -> None:
    assert state_of(recorded, wait, False, level) == state


def test_a_worker_without_a_task_is_at_the_end_of_its_region() -> None:
    at_end = WaitsFor("end-of-region barrier")
    assert waits_for(USER, True, "wait_barrier_implicit_parallel") == at_end
    assert waits_for(USER, True, None) == at_end
    assert waits_for(USER, True, "work_parallel") is None


def test_a_worker_between_its_wait_and_its_body_is_not_idle() -> None:
    assert state_of("idle", Wait(entry_point="?"), False, 1) == "overhead"
    assert state_of("work_parallel", Wait(entry_point="?"), False, 1) == "work_parallel"


def test_the_state_of_a_worker_is_what_it_waits_for() -> None:
    assert state_of(None, USER, True, 1) == "wait_barrier_implicit_parallel"
    assert state_of("work_parallel", USER, True, 1) == "work_parallel"
    assert state_of("idle", USER, True, 1) == "wait_barrier_implicit_parallel"


def test_a_blocked_thread_is_at_no_barrier() -> None:
    blocked = Wait(outside="read")
    assert wait_of(blocked, False, False, "wait_barrier_implicit_parallel") == blocked
    assert waits_for(blocked, False, None) is None


@pytest.mark.parametrize(
    "idle, state, kind",
    [
        (True, "idle", Kind.IDLE),
        (False, "wait_barrier_implicit_parallel", Kind.REGION_BARRIER),
        (False, None, Kind.REGION_BARRIER),
        (False, "work_parallel", None),
    ],
)
def test_one_rule_for_a_worker_in_no_task(
    idle: bool, state: Optional[str], kind: Optional[Kind]
) -> None:
    assert wait_of(USER, True, idle, state).kind is kind


def test_what_is_waited_for_is_passed_on() -> None:
    wait = Wait(Kind.LOCK, 0x40, "lock")
    assert waits_for(wait, False, "wait_lock") == WaitsFor("lock", 0x40, "lock")
    assert waits_for(USER, False, "work_parallel") is None


@pytest.mark.parametrize(
    "recorded, wait, differs",
    [
        ("wait_lock", Wait(Kind.EXPLICIT_BARRIER), True),
        ("wait_barrier_explicit", Wait(Kind.LOCK), True),
        ("wait_taskwait", USER, True),
        ("wait_lock", Wait(Kind.CRITICAL), False),
        ("work_parallel", Wait(Kind.TASKWAIT), False),
        ("wait_barrier_explicit", Wait(entry_point="__kmpc_fork_call"), False),
        (None, Wait(Kind.LOCK), False),
    ],
)
def test_disagreement(recorded: Optional[str], wait: Wait, differs: bool) -> None:
    assert (disagreement(recorded, wait, False) is not None) is differs
