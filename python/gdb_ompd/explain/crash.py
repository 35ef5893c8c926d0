# SPDX-License-Identifier: Apache-2.0
"""The words for threads that a signal has stopped which ends the program, and for a stack
that has overflowed with what cures it."""

from __future__ import annotations

from typing import Optional, Sequence

from .facts import At, Facts, Overflow
from .phrases import as_many, named, named_in_full, place

WORKER = ("OMP_STACKSIZE", "KMP_STACKSIZE")
INITIAL = ("ulimit -s",)
OTHER = ("pthread_attr_setstacksize", "ulimit -s")
KIB, MIB = 1 << 10, 1 << 20


def sentence(facts: Facts) -> str:
    """Say which threads have crashed, where and why, "" if none has: those of one place and
    reason together."""
    threads = {thread.gdb_num: thread for thread in facts.threads}
    alike: dict[tuple[str, str], list[At]] = {}
    for crash in facts.crashes:
        at = threads.get(crash.gdb_num, At(crash.gdb_num))
        overflow = next((o for o in facts.overflows if o.gdb_num == crash.gdb_num), None)
        cause = f" ({crash.cause})" if crash.cause else ""
        what = f"{crash.signal}{cause}{_place(at)}{_region(at, facts)}"
        key = what, "" if overflow is None else _overflow(overflow)
        alike.setdefault(key, []).append(at)
    said = [f"{_name(same)}, {what}{_own(same, why)}" for (what, why), same in alike.items()]
    return "; ".join(as_many(said, "place"))


def _name(same: Sequence[At]) -> str:
    return named_in_full(same[0]) if len(same) == 1 else named(at.gdb_num for at in same)


def _own(same: Sequence[At], why: str) -> str:
    whose = "its stack" if len(same) == 1 else "their stacks"
    return f": {whose} {why}" if why else ""


def settings(overflow: Overflow) -> tuple[str, ...]:
    """Return what sets the size of the thread's stack."""
    if overflow.initial:
        return INITIAL
    return WORKER if overflow.worker is not False else OTHER


def _place(at: At) -> str:
    """Say "in memcpy() called at heat.c:52, in sweep"."""
    spot = at.wait.location
    outside = at.wait.outside or at.wait.entry_point
    called = f" in {outside}()" if outside and outside != "?" else ""
    where = place(spot)
    if not where:
        return called or " in code without source"
    function = f", in {spot.function}" if spot is not None and spot.file and spot.function else ""
    return f"{called}{', called' if called else ''}{where}{function}"


def _region(at: At, facts: Facts) -> str:
    region = next((r for r in facts.regions if r.id == at.region), None)
    where = place(region)
    return f", in the region{where}" if where else ""


def _overflow(overflow: Overflow) -> str:
    first, *others = settings(overflow)
    more = f" (or {others[0]})" if others else ""
    unsure = " if it is a worker of OpenMP," if overflow.worker is None else ""
    unsure = "" if overflow.initial else unsure
    return (
        f"of {size(overflow.size)} overflowed:"
        f"{unsure} a larger {first}{more} cures it, unless a recursion has no end"
    )


def size(number: int) -> str:
    """Write a number of bytes as "8 MiB", "1.5 MiB" or "260 KiB"."""
    if number < MIB:
        return f"{number // KIB} KiB"
    return f"{round(number / MIB, 1):g} MiB"


def others(facts: Facts, waiting: int, rest: Optional[str]) -> str:
    """Say what the other threads do: WAITING wait for those that have crashed alone, or
    else REST is the sentence on them."""
    if rest:
        return f"; {rest}"
    if not waiting:
        return ""
    threads = "1 other thread waits" if waiting == 1 else f"{waiting} other threads wait"
    return f"; {threads} for {'it' if len(facts.crashes) == 1 else 'them'}"
