# SPDX-License-Identifier: Apache-2.0
"""Walks over lists end in damaged memory, too."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gdb_ompd.providers.ompd.dependences import Dependences
from gdb_ompd.providers.ompd.task_record import Budget
from gdb_ompd.providers.ompd.waiting_tasks import MOST_STRANGERS, Search

STEPS = 1000


class Circles:
    """A memory in which every pointer leads to the same place."""

    def __init__(self) -> None:
        self.reads = 0
        self.size = 0

    def word(self, address: int, size: int = 8) -> int:
        self.reads += 1
        return 0x10000

    def field(self, address: int, name: str) -> int:
        return self.word(address)

    def read(self, address: int) -> None:
        return None


class Task:
    """A task whose children's dependences are such a circle."""

    dephash = 0x10000


def test_lists_that_lead_into_each_other_are_left() -> None:
    memory: Any = Circles()
    task: Any = Task()
    budget = Budget(STEPS)
    assert list(Dependences(memory, budget).of_children(task)) == []
    assert budget.is_spent
    assert STEPS < memory.reads < 10 * STEPS


def test_a_budget_that_suffices_is_not_spent() -> None:
    budget = Budget(2)
    assert budget.take() and budget.take() and not budget.is_spent
    assert not budget.take() and budget.is_spent


class Rubbish:
    """A memory in which no record is a task's."""

    size = 0x100

    def __init__(self) -> None:
        self.reads = 0

    def read_field(self, address: int, record: str, name: str) -> int:
        return 0x10000

    def read(self, address: int) -> None:
        self.reads += 1


def test_a_size_that_no_team_has_is_not_believed() -> None:
    memory = Rubbish()
    one: Any = object.__new__(Search)
    one.graph = one.reader = memory
    team: Any = SimpleNamespace(address=0x4000, nproc=1 << 16)
    assert len(list(one._implicit(team))) == MOST_STRANGERS
    assert memory.reads == MOST_STRANGERS + 1
