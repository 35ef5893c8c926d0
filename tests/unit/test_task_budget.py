# SPDX-License-Identifier: Apache-2.0
"""Walks over lists end in damaged memory, too."""

from __future__ import annotations

from typing import Any

from gdb_ompd.providers.ompd.dependences import Dependences
from gdb_ompd.providers.ompd.task_record import Budget

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
