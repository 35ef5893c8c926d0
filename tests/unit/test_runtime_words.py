# SPDX-License-Identifier: Apache-2.0
"""Who is kept at a barrier, from a hand-made runtime's memory."""

from __future__ import annotations

import pytest
from runtime_memory import Memory

from gdb_ompd.model.waits import Kind
from gdb_ompd.providers.ompd.graph import Graph
from gdb_ompd.stop.runtime_words import STATE_BUMP, Phase, RuntimeWords, works_on_task

COMPLETE = 8 * STATE_BUMP
ASLEEP = 1
BAR, TEAM_BAR, SLEEP_LOC, GROUP = 0x600, 0x680, 0x700, 0x740
PLACES = {
    "kmp_base_info_t.th_bar": (BAR, 24),
    "kmp_base_info_t.th_sleep_loc": (SLEEP_LOC, 8),
    "kmp_balign_t": (0, 8),
    "kmp_balign_t.bb": (0, 8),
    "kmp_bstate_t.b_arrived": (0, 8),
    "kmp_base_team_t.t_bar": (TEAM_BAR, 24),
    "kmp_balign_team_t": (0, 8),
    "kmp_balign_team_t.b_arrived": (0, 8),
    "kmp_flag_64<false, true>.loc": (0, 8),
    "kmp_taskdata_t.td_taskgroup": (GROUP, 8),
    "kmp_taskgroup_t.parent": (0, 8),
}


class Team:
    """Three threads, GDB's 1 to 3, in one team whose plain barrier was completed before."""

    def __init__(self) -> None:
        self.memory = memory = Memory()
        self.threads = [memory.thread() for _ in range(3)]
        team = memory.team(self.threads, level=1)
        memory.words[team + TEAM_BAR] = COMPLETE
        for number, thread in enumerate(self.threads):
            memory.join(thread, team, number, memory.task(team))
            memory.words[thread + BAR] = COMPLETE
            inner = memory.layout.access("kmp_base_info_t", "th_info")
            at = inner + memory.layout.access("kmp_desc_base_t", "ds_thread")
            memory.words[thread + at] = 0x7000 + number

    def words(self) -> RuntimeWords:
        array = self.memory.array(self.threads)
        graph = Graph(self.memory, self.memory.layout, array)  # type: ignore[arg-type]
        known = {gtid + 1: graph.thread(gtid) for gtid in range(3)}
        return RuntimeWords(graph, PLACES, {n: t for n, t in known.items() if t}, None)

    def arrive(self, number: int) -> None:
        self.memory.words[self.threads[number] + BAR] += STATE_BUMP

    def sleep(self, number: int, word: int) -> None:
        self.memory.words[word] |= ASLEEP
        self.memory.words[self.threads[number] + SLEEP_LOC] = self.memory.array([word])

    def kept(self, number: int, at: Phase | None = None) -> bool | None:
        return self.words().kept_at_barrier(number + 1, Kind.EXPLICIT_BARRIER, at)


@pytest.fixture
def team() -> Team:
    return Team()


def test_who_has_told_its_arrival_is_kept(team: Team) -> None:
    team.arrive(1)
    assert team.kept(1) is True


def test_who_may_be_leaving_the_barrier_before_is_not_known_to_be_kept(team: Team) -> None:
    team.arrive(1)
    assert team.kept(2) is None and team.kept(0) is None
    assert team.kept(2, Phase(gathers=False)) is False
    assert team.kept(2, Phase(gathers=True)) is True


def test_who_sleeps_until_a_mate_comes_is_kept(team: Team) -> None:
    team.sleep(0, team.threads[2] + BAR)
    assert team.kept(0) is True


def test_who_is_being_woken_or_sleeps_for_something_else_is_not(team: Team) -> None:
    team.sleep(0, team.threads[2] + BAR)
    team.arrive(2)
    assert team.kept(0) is None
    team.sleep(0, team.memory.array([0]))
    assert team.kept(0) is None


def test_a_word_of_another_barrier_says_nothing(team: Team) -> None:
    team.arrive(1)
    assert team.words().kept_at_barrier(2, Kind.REGION_BARRIER, None) is None


def test_members_that_left_are_those_whose_pthread_is_no_more(team: Team) -> None:
    assert team.words().gone(1, frozenset({0x7000, 0x7002})) == (1,)
    assert team.words().gone(1, frozenset({0x7000, 0x7001, 0x7002})) == ()


def test_taskgroups_are_listed_from_the_inside_and_a_ring_ends(team: Team) -> None:
    ring = team.memory.array([0])
    inner = team.memory.array([ring])
    team.memory.words[ring] = ring
    task = team.words()._threads[1].task
    team.memory.words[task + GROUP] = inner
    found = team.words().groups(1)
    assert found[:2] == (inner, ring) and len(found) <= 1024


def test_without_names_a_thread_with_a_task_at_its_barrier_may_work_on_that() -> None:
    waits = ["__kmp_wait_4", "__kmp_hyper_barrier_gather(barrier_type)", "__kmp_barrier"]
    assert works_on_task([None, None], explicit=True)
    assert not works_on_task([None, None], explicit=False)
    assert not works_on_task(waits, explicit=True)
    assert works_on_task(["__kmp_task_finish<false>", *waits], explicit=False)
