# SPDX-License-Identifier: Apache-2.0
"""Facts: one thing gdb-ompd said beside the same thing as the program recorded it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Fact:
    """One comparison. SUBJECT names the thread, region, task or ICV."""

    stop: str
    subject: str
    name: str
    said: Any
    truth: Any

    @property
    def right(self) -> bool:
        return bool(self.said == self.truth)

    def __str__(self) -> str:
        return f"{self.stop}: {self.subject}: {self.name}: said {self.said!r}, truth {self.truth!r}"


@dataclass
class Tally:
    """How many facts were compared, and those that are not right.

    UNKNOWN are those answered with null where the program knows better.
    """

    compared: int = 0
    wrong: list[Fact] = field(default_factory=list)
    unknown: list[Fact] = field(default_factory=list)

    def add(self, facts: Iterable[Fact]) -> None:
        """Count FACTS."""
        for fact in facts:
            self.compared += 1
            if not fact.right:
                (self.unknown if fact.said is None else self.wrong).append(fact)

    def lines(self) -> Iterator[str]:
        """Yield a summary line, then one for each fact that is not right."""
        yield (
            f"{self.compared} facts compared, {len(self.wrong)} wrong, "
            f"{len(self.unknown)} unknown"
        )
        for fact in self.wrong:
            yield f"  wrong    {fact}"
        for fact in self.unknown:
            yield f"  unknown  {fact}"
