# SPDX-License-Identifier: Apache-2.0
"""The queues of tasks, in a hand-made runtime's memory, whole and damaged."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from runtime_memory import Memory

from gdb_ompd.errors import Inconsistent
from gdb_ompd.providers.ompd.graph import Graph, Team
from gdb_ompd.providers.ompd.task_fields import FIELDS, NEWER, TaskFields
from gdb_ompd.providers.ompd.task_queues import MAX_QUEUE, Queues
from gdb_ompd.providers.ompd.task_record import Budget, RecordReader

TASK_TEAM = 0x780  # in a team
DATA = 0x80  # the size of a thread's queue
TASKS = [0xA0, 0xB0, 0xC0, 0xD0]


def fields() -> TaskFields:
    """Give each field of a record eight bytes of its own."""
    places = {
        f"{record}.{name}": (8 * position, 8)
        for record in {**FIELDS, **NEWER}
        for position, name in enumerate(FIELDS.get(record, ()) + NEWER.get(record, ()))
    }
    places["kmp_base_team_t.t_task_team"] = (TASK_TEAM, 16)
    places["kmp_thread_data_t"] = (0, DATA)
    places["kmp_task_pri_t"] = (0, 0)
    places["kmp_task_pri_t.td"] = (8, DATA)
    places["kmp_task_pri_t.next"] = (0, 8)
    places["kmp_task_team_list_t.next"] = (8, 8)
    return TaskFields(places)


class Queued:
    """A team of two threads. What is queued is put into its memory."""

    def __init__(self, members: int = 2) -> None:
        self.memory = Memory()
        self.threads = [self.memory.thread() for _ in range(members)]
        self.address = self.memory.team(self.threads, level=1)

    def team(self) -> Team:
        return self.graph().team(self.address)

    def graph(self) -> Graph:
        array = self.memory.array(self.threads)
        return Graph(self.memory, self.memory.layout, array)  # type: ignore[arg-type]

    def read(self, limit: int = 100, steps: int = 1000) -> Queues:
        """Read the queues of the team."""
        places = fields()
        reader = RecordReader(self.graph(), places, ())
        queues = Queues(places, reader, limit, Budget(steps))
        queues.read(self.team())
        return queues

    def ring(self, thread: int, tasks: Sequence[int], head: int = 0, **other: int) -> list[int]:
        """Return the words of a thread's queue, a ring of four: which thread's, where, its
        size, head, tail and number of tasks."""
        words = [0, 0, 0, 0]
        for position, task in enumerate(tasks):
            words[(head + position) % 4] = task
        queue = {"size": 4, "head": head, "tail": (head + len(tasks)) % 4, "count": len(tasks)}
        queue.update(other)
        return [thread, self.memory.array(words), *queue.values()]

    def task_team(self, *rings: list[int], priorities: int = 0, count: int = 2) -> int:
        """Make a task team with these queues."""
        data = self.memory.array([0])
        for number, ring in enumerate(rings):
            for position, word in enumerate(ring):
                self.memory.words[data + number * DATA + 8 * position] = word
        return self.memory.array([data, 1, count, 2, priorities])

    def put(self, first: int, second: int = 0) -> None:
        """Let the team have two task teams."""
        self.memory.words[self.address + TASK_TEAM] = first
        self.memory.words[self.address + TASK_TEAM + 8] = second


def test_each_task_is_in_its_threads_queue_and_a_ring_may_wrap() -> None:
    queued = Queued()
    one, other = queued.threads
    queued.put(queued.task_team(queued.ring(one, TASKS[:3], head=2), queued.ring(other, TASKS[3:])))
    found = queued.read()
    assert found.owner == {**dict.fromkeys(TASKS[:3], one), TASKS[3]: other}
    assert found.thread_of(TASKS[0]) == one and not found.is_cut


def test_a_full_ring_is_told_from_an_empty_one_by_its_count() -> None:
    queued = Queued()
    one, other = queued.threads
    queued.put(queued.task_team(queued.ring(one, TASKS), queued.ring(other, [])))
    assert queued.read().owner == dict.fromkeys(TASKS, one)


def test_the_last_task_is_not_there_while_it_is_taken_out() -> None:
    queued = Queued()
    one, other = queued.threads
    taken = queued.ring(one, [], count=1)
    queued.put(queued.task_team(taken, queued.ring(other, [])))
    assert queued.read().owner == {}


def test_a_task_with_a_priority_is_nobodys() -> None:
    queued = Queued()
    one, other = queued.threads
    node = queued.memory.array([0, *queued.ring(one, TASKS[:1])])
    empty = [queued.ring(one, []), queued.ring(other, [])]
    queued.put(queued.task_team(*empty, priorities=node))
    found = queued.read()
    assert found.owner == {TASKS[0]: 0}
    assert found.thread_of(TASKS[0]) is None


def test_priorities_that_lead_in_a_ring_end() -> None:
    queued = Queued()
    node = queued.memory.array([0, *queued.ring(0, TASKS[:1])])
    queued.memory.words[node] = node
    empty = [queued.ring(thread, []) for thread in queued.threads]
    queued.put(queued.task_team(*empty, priorities=node))
    assert queued.read(steps=50).budget.is_spent


def test_one_thread_keeps_task_teams_that_it_has_set_aside() -> None:
    queued = Queued(members=1)
    (one,) = queued.threads
    now, *aside = (queued.task_team(queued.ring(one, [task]), count=1) for task in TASKS[:3])
    last = queued.memory.array([aside[1], 0])
    queued.put(now, queued.memory.array([aside[0], last]))
    assert queued.read().owner == dict.fromkeys(TASKS[:3], one)
    queued.memory.words[last + 8] = last  # a ring
    assert queued.read().owner == dict.fromkeys(TASKS[:3], one)


def test_no_more_is_read_than_is_wanted() -> None:
    queued = Queued()
    one, other = queued.threads
    queued.put(queued.task_team(queued.ring(one, TASKS), queued.ring(other, [])))
    found = queued.read(limit=2)
    assert len(found.owner) == 2 and found.is_cut
    assert queued.read(steps=3).is_cut
    assert queued.read(steps=0).owner == {}


@pytest.mark.parametrize(
    "damage",
    [{"size": 5}, {"size": 0}, {"size": 2 * MAX_QUEUE}, {"head": 4}, {"tail": 9}],
    ids=str,
)
def test_a_ring_that_cannot_be_is_refused(damage: dict[str, int]) -> None:
    queued = Queued()
    one, other = queued.threads
    broken = queued.ring(one, TASKS[:2])
    for name, value in damage.items():
        broken[2 + ("size", "head", "tail").index(name)] = value
    queued.put(queued.task_team(broken, queued.ring(other, [])))
    with pytest.raises(Inconsistent, match="a queue of .* OpenMP tasks from .* cannot be"):
        queued.read()


def test_a_queue_of_no_thread_of_the_team_is_refused() -> None:
    queued = Queued()
    one, _ = queued.threads
    queued.put(queued.task_team(queued.ring(one, TASKS[:1]), queued.ring(0xE0, TASKS[1:2])))
    with pytest.raises(Inconsistent, match="no thread's of its OpenMP team"):
        queued.read()


def test_a_task_team_of_more_threads_than_can_be_is_refused() -> None:
    queued = Queued()
    empty = [queued.ring(thread, []) for thread in queued.threads]
    queued.put(queued.task_team(*empty, count=1 << 30))
    with pytest.raises(Inconsistent, match="a task team of 1073741824 OpenMP threads cannot be"):
        queued.read()
