# SPDX-License-Identifier: Apache-2.0
"""What was found at the stops of generated programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Findings:
    """Facts that were compared: those that are wrong, that contradict each other, and that are
    not known, with why."""

    facts: int = 0
    wrong: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)

    def true(self, subject: str, name: str, said: Any, truth: Any, why: str = "") -> None:
        """Compare what is SAID with the TRUTH; WHY it is not known if nothing is said."""
        self.among(subject, name, said, (truth,), why)

    def among(self, subject: str, name: str, said: Any, truths: Any, why: str = "") -> None:
        """Compare what is SAID with several things, each of which can be true."""
        self.facts += 1
        if said in truths:
            return
        if said is None:
            self.unknown[f"{name}: {why or 'no reason'}"] += 1
        else:
            expected = " or ".join(map(repr, truths))
            self.wrong.append(f"{subject}: {name}: said {said!r}, truth {expected}")

    def same(self, subject: str, name: str, one: Any, other: Any) -> None:
        """Compare what two documents say of one thing."""
        self.facts += 1
        if one != other:
            self.contradictions.append(f"{subject}: {name}: {one!r} and {other!r}")
