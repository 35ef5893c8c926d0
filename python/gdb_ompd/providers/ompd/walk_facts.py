# SPDX-License-Identifier: Apache-2.0
"""What a walk has looked at, and what of it cannot be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

from ...errors import OmpdToolError
from ...host.protocols import READ_ERRORS

INT_MAX = (1 << 31) - 1


@dataclass
class Facts:
    """Counts facts, and keeps a line for each kind of violation."""

    violations: list[str] = field(default_factory=list)
    checked: int = 0

    def expect(self, fact: bool, otherwise: str) -> bool:
        """Count a fact; if it is none, keep the line that says so. Return it."""
        self.checked += 1
        if not fact and otherwise not in self.violations:
            self.violations.append(otherwise)
        return fact

    def attempt(self, what: str, body: Callable[[], None]) -> None:
        """Run BODY; memory that cannot be read, or not be true, is a violation."""
        try:
            body()
        except (*READ_ERRORS, OmpdToolError) as error:
            self.expect(False, f"{what}: {error}")


def signed(value: int) -> int:
    """Return the C ``int`` that was read as an unsigned one."""
    return value - (1 << 32) if value > INT_MAX else value


def could_be_address(value: int) -> bool:
    """Tell whether a pointer is null or into memory that a program can have."""
    return value == 0 or 4096 <= value < 1 << 56
