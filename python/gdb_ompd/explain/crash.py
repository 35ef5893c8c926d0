# SPDX-License-Identifier: Apache-2.0
"""The words for a thread whose stack has overflowed, and for what cures it."""

from __future__ import annotations

from .facts import Facts, Overflow
from .phrases import place

WORKER = ("OMP_STACKSIZE", "KMP_STACKSIZE")
INITIAL = ("ulimit -s",)
OTHER = ("pthread_attr_setstacksize", "ulimit -s")
KIB, MIB = 1 << 10, 1 << 20


def sentence(facts: Facts) -> str:
    """Say whose stacks have overflowed, "" if nobody's has."""
    return "; ".join(_of_one(overflow, facts) for overflow in facts.overflows)


def settings(overflow: Overflow) -> tuple[str, ...]:
    """Return what sets the size of the thread's stack."""
    if overflow.initial:
        return INITIAL
    return WORKER if overflow.worker is not False else OTHER


def _of_one(overflow: Overflow, facts: Facts) -> str:
    where = next((t.wait.location for t in facts.threads if t.gdb_num == overflow.gdb_num), None)
    first, *others = settings(overflow)
    more = f" (or {others[0]})" if others else ""
    unsure = " if it is a worker of OpenMP," if overflow.worker is None else ""
    unsure = "" if overflow.initial else unsure
    return (
        f"thread {overflow.gdb_num}'s stack of {size(overflow.size)} overflowed{place(where)}:"
        f"{unsure} a larger {first}{more} cures it, unless its recursion has no end"
    )


def size(number: int) -> str:
    """Write a number of bytes as "8 MiB", "1.5 MiB" or "260 KiB"."""
    if number < MIB:
        return f"{number // KIB} KiB"
    return f"{round(number / MIB, 1):g} MiB"
