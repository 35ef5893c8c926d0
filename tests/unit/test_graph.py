# SPDX-License-Identifier: Apache-2.0
"""Teams and memberships from memory: the nesting rules, and damaged memory."""

from __future__ import annotations

import pytest
from runtime_memory import Memory

from gdb_ompd.errors import Inconsistent
from gdb_ompd.model import Membership
from gdb_ompd.providers.ompd.graph import Graph, OmpThread, innermost_region, memberships


def graph_of(memory: Memory, threads: list[int]) -> Graph:
    return Graph(memory, memory.layout, memory.array(threads))  # type: ignore[arg-type]


def the_thread(graph: Graph, gtid: int) -> OmpThread:
    thread = graph.thread(gtid)
    assert thread is not None
    return thread


@pytest.fixture
def memory() -> Memory:
    return Memory()


def test_a_thread_outside_regions_is_alone_at_level_0(memory: Memory) -> None:
    initial = memory.thread()
    memory.join(initial, memory.team([initial], level=0), 0)
    thread = the_thread(graph_of(memory, [initial]), 0)
    assert thread.team is not None and thread.team.levels == 0
    assert memberships(thread.team, 0) == (Membership(0, 1),)
    assert innermost_region(thread.team) is None


def test_three_serialized_levels_are_three_regions_of_one_team(memory: Memory) -> None:
    initial = memory.thread()
    root = memory.team([initial], level=0)
    memory.join(initial, memory.team([initial], level=3, parent=root), 0)
    team = the_thread(graph_of(memory, [initial]), 0).team
    assert team is not None and team.levels == 3
    assert memberships(team, 0) == (Membership(0, 1),) * 4


def test_a_nested_primary_keeps_its_number_in_the_outer_team(memory: Memory) -> None:
    initial, worker, inner_worker = memory.thread(), memory.thread(), memory.thread()
    root = memory.team([initial], level=0)
    outer = memory.team([initial, worker], level=1, parent=root)
    inner = memory.team([worker, inner_worker], level=2, parent=outer, master_tid=1)
    memory.join(initial, outer, 0)
    memory.join(worker, inner, 0)
    memory.join(inner_worker, inner, 1)
    thread = the_thread(graph_of(memory, [initial, worker, inner_worker]), 2)
    assert thread.team is not None
    assert memberships(thread.team, thread.thread_num) == (
        Membership(1, 2),
        Membership(1, 2),
        Membership(0, 1),
    )


def test_a_worker_is_idle_once_its_primary_has_left_the_team(memory: Memory) -> None:
    initial, worker = memory.thread(), memory.thread()
    root = memory.team([initial], level=0)
    finished = memory.team([initial, worker], level=1, parent=root)
    memory.join(initial, root, 0)
    memory.join(worker, finished, 1)
    assert the_thread(graph_of(memory, [initial, worker]), 1).team is None


def test_a_worker_kept_in_reserve_by_a_smaller_team_is_idle(memory: Memory) -> None:
    initial, worker, reserve = memory.thread(), memory.thread(), memory.thread()
    root = memory.team([initial], level=0)
    team = memory.team([initial, worker], level=1, parent=root)
    memory.join(initial, team, 0)
    memory.join(worker, team, 1)
    memory.join(reserve, team, 2)
    graph = graph_of(memory, [initial, worker, reserve])
    assert the_thread(graph, 1).team is not None
    assert the_thread(graph, 2).team is None


def test_parents_that_form_a_cycle_are_refused(memory: Memory) -> None:
    initial = memory.thread()
    first = memory.team([initial], level=1)
    second = memory.team([initial], level=1, parent=first)
    memory.put(first, "kmp_base_team_t", "t_parent", second)
    memory.join(initial, second, 0)
    with pytest.raises(Inconsistent, match="cycle"):
        graph_of(memory, [initial]).thread(0)


@pytest.mark.parametrize(
    ("field", "value"),
    [("t_nproc", 0), ("t_nproc", 1 << 20), ("t_level", 1 << 30)],
)
def test_impossible_teams_are_refused(memory: Memory, field: str, value: int) -> None:
    initial = memory.thread()
    team = memory.team([initial], level=0)
    memory.put(team, "kmp_base_team_t", field, value)
    memory.join(initial, team, 0)
    with pytest.raises(Inconsistent, match="damaged"):
        graph_of(memory, [initial]).thread(0)


def test_a_global_number_without_a_thread_is_none(memory: Memory) -> None:
    initial = memory.thread()
    memory.join(initial, memory.team([initial], level=0), 0)
    assert graph_of(memory, [initial, 0]).thread(1) is None
