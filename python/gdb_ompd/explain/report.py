# SPDX-License-Identifier: Apache-2.0
"""The answer of ``ompd why``, as values: what is shown as text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Optional

from ..model import Location, Region
from .facts import Overflow


class Verdict(str, Enum):
    """The one word that the sentence begins with."""

    DEADLOCK = "deadlock"
    WAITING = "waiting"
    IDLE = "idle"
    RUNNING = "running"


@dataclass(frozen=True, slots=True)
class Group:
    """Threads that do the same at the same place. KIND is what they wait for, None for
    those that wait for nothing of OpenMP; ARRIVED, whether they have come to the barrier
    that others of the team wait at, None where nobody waits at one."""

    gdb_nums: tuple[int, ...]
    thread_nums: tuple[int, ...]
    kind: Optional[str]
    name: Optional[str]
    address: Optional[int]
    outside: Optional[str]
    location: Optional[Location]
    arrived: Optional[bool] = None


@dataclass(frozen=True, slots=True)
class Team:
    """One region's team; REGION is None for threads outside of every region. MISSING
    are the thread numbers that nothing is known of."""

    region: Optional[Region]
    groups: tuple[Group, ...]
    missing: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock, critical or mutex that is waited for. SOURCE tells how HOLDERS are known:
    "runtime", "inferred" or, where nobody is, None."""

    kind: str
    address: Optional[int]
    name: Optional[str]
    waiters: tuple[int, ...]
    holders: tuple[int, ...]
    source: Optional[str]
    held: Optional[bool]


@dataclass(frozen=True, slots=True)
class Step:
    """One member of a cycle, what it waits for, and for whom: for each of them, or, if
    ANY, for one that is not known."""

    gdb_num: int
    what: str
    location: Optional[Location]
    waits_for: tuple[int, ...]
    any: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that ``ompd why`` says."""

    verdict: Verdict
    text: str
    teams: tuple[Team, ...]
    locks: tuple[Lock, ...]
    cycles: tuple[tuple[Step, ...], ...]
    notes: tuple[str, ...] = ()
    qualified: bool = False
    overflows: tuple[Overflow, ...] = ()
    waiting_tasks: Optional[tuple[tuple[str, int], ...]] = None
