# SPDX-License-Identifier: Apache-2.0
"""Task chains from memory: kinds, shared records of serialized regions, damage."""

from __future__ import annotations

import pytest
from runtime_memory import Memory

from gdb_ompd.errors import Inconsistent
from gdb_ompd.model import TaskKind
from gdb_ompd.providers.ompd import task_chain
from gdb_ompd.providers.ompd.graph import Graph, OmpThread


def chain(memory: Memory, initial: int) -> list[task_chain.TaskRecord]:
    graph = Graph(memory, memory.layout, memory.array([initial]))  # type: ignore[arg-type]
    thread = graph.thread(0)
    assert isinstance(thread, OmpThread)
    return list(task_chain.chain(graph, thread))


@pytest.fixture
def memory() -> Memory:
    return Memory()


def test_kinds_follow_flags_and_teams(memory: Memory) -> None:
    initial = memory.thread()
    root = memory.team([initial], level=0)
    team = memory.team([initial, memory.thread()], level=1, parent=root)
    first = memory.task(root)
    implicit = memory.task(team, parent=first)
    explicit = memory.task(team, parent=implicit, flags=memory.layout.flag("tasktype"))
    memory.join(initial, team, 0, explicit)
    assert [task.kind for task in chain(memory, initial)] == [
        TaskKind.EXPLICIT,
        TaskKind.IMPLICIT,
        TaskKind.INITIAL,
    ]


def test_serialized_regions_that_share_a_record_have_a_task_each(memory: Memory) -> None:
    initial = memory.thread()
    root = memory.team([initial], level=0)
    team = memory.team([initial], level=3, parent=root)
    implicit = memory.task(team, parent=memory.task(root))
    memory.join(initial, team, 0, implicit)
    found = chain(memory, initial)
    assert [task.kind for task in found] == [TaskKind.IMPLICIT] * 3 + [TaskKind.INITIAL]
    assert [task.nest for task in found] == [2, 1, 0, 0]
    assert len({task.identity for task in found}) == 4


def test_the_tasks_of_a_league_and_its_initial_team_are_one(memory: Memory) -> None:
    initial = memory.thread()
    root = memory.team([initial], level=0)
    league = memory.team([initial, memory.thread()], level=0, parent=root)
    inner = memory.team([initial], level=0, parent=league)
    task = memory.task(inner, parent=memory.task(league, parent=memory.task(root)))
    memory.join(initial, inner, 0, task)
    assert [task.kind for task in chain(memory, initial)] == [TaskKind.INITIAL] * 2


def test_ancestors_without_end_are_refused(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_chain, "MAX_CHAIN", 50)
    initial = memory.thread()
    team = memory.team([initial], level=0)
    task = 0
    for _ in range(60):
        task = memory.task(team, parent=task)
    memory.join(initial, team, 0, task)
    with pytest.raises(Inconsistent, match="no end"):
        chain(memory, initial)


@pytest.mark.parametrize("length", [1, 2, 5])
def test_ancestors_in_a_circle_are_refused_at_once(memory: Memory, length: int) -> None:
    """To walk it up to the bound would take seconds for each thread."""
    initial = memory.thread()
    team = memory.team([initial], level=0)
    first = task = memory.task(team)
    for _ in range(length - 1):
        task = memory.task(team, parent=task)
    memory.put(first, "kmp_taskdata_t", "td_parent", task)
    memory.join(initial, team, 0, task)
    memory.reads = 0
    with pytest.raises(Inconsistent, match="no end"):
        chain(memory, initial)
    assert 0 < memory.reads < 50 * length


def test_a_task_without_a_team_is_refused(memory: Memory) -> None:
    initial = memory.thread()
    memory.join(initial, memory.team([initial], level=0), 0, memory.task(0))
    with pytest.raises(Inconsistent, match="no team"):
        chain(memory, initial)
