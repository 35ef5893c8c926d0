# SPDX-License-Identifier: Apache-2.0
"""The answer of ``ompd why``, as values: what is shown as text and as JSON."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, Optional

from ..model import Location, Region, TargetConstruct
from .facts import Crash, Overflow

UNKNOWN_CODE = "?"  # in a group's "outside"
HELPER = "OpenMP helper"  # in a group's "phase"


class Verdict(str, Enum):
    """The one word that the sentence begins with."""

    CRASHED = "crashed"
    DEADLOCK = "deadlock"
    WAITING = "waiting"
    UNKNOWN = "unknown"
    IDLE = "idle"
    RUNNING = "running"


Said = tuple[Verdict, str]  # with the whole sentence


class Group(NamedTuple):
    """Threads that do the same at the same place. KIND is what they wait for, None for
    those that wait for nothing of OpenMP; ARRIVED, whether they have come to the barrier
    that others of the team wait at, None where nobody waits at one. OUTSIDE is "?" where it
    is not known whose code they are in. RUNNING tells that
    they have not been stopped, SIGNAL names the one that stopped them and ends the program.
    PHASE says of threads at a barrier what they do there but wait, or that it is complete, and of
    those of the runtime's own what they are. POLLS is what a loop of theirs reads again and
    again, TARGET the innermost target construct that they are in. ENDLESS tells that they are in a
    loop that reads nothing and has no end."""

    gdb_nums: tuple[int, ...]
    thread_nums: tuple[int, ...]
    kind: Optional[str]
    name: Optional[str]
    address: Optional[int]
    outside: Optional[str]
    location: Optional[Location]
    arrived: Optional[bool] = None
    running: bool = False
    signal: Optional[str] = None
    phase: Optional[str] = None
    polls: tuple[str, ...] = ()
    target: Optional[TargetConstruct] = None
    endless: bool = False


class Team(NamedTuple):
    """One region's team; REGION is None for threads outside of every region. MISSING are the thread
    numbers of those that are not in this process, UNKNOWN those of threads that were not found.
    BARRIER is where those are that wait for the others, None where that is not known or none do.
    KNOWN tells that the threads outside of every region are certain to be there."""

    region: Optional[Region]
    groups: tuple[Group, ...]
    missing: tuple[int, ...] = ()
    barrier: Optional[Location] = None
    known: bool = True
    unknown: tuple[int, ...] = ()


class Lock(NamedTuple):
    """A lock, critical or mutex that is waited for. SOURCE tells how HOLDERS are known:
    "runtime", "inferred" or, where nobody is, None. HOLDER_ENDED tells that the runtime
    has recorded one which is no thread of this process, CERTAIN that the holders cannot be
    others, DESTROYED that nobody gets the lock any more. HOLDER_ELSEWHERE is the LWP of a holder
    that is no thread of this process, of a mutex that it shares with others."""

    kind: str
    address: Optional[int]
    name: Optional[str]
    waiters: tuple[int, ...]
    holders: tuple[int, ...]
    source: Optional[str]
    held: Optional[bool]
    holder_ended: bool = False
    certain: bool = True
    destroyed: bool = False
    holder_elsewhere: Optional[int] = None


class Step(NamedTuple):
    """One member of a cycle, what it waits for, and for whom: for each of them, or, if
    ANY, for one that is not known."""

    gdb_num: int
    what: str
    location: Optional[Location]
    waits_for: tuple[int, ...]
    any: bool = False


class Report(NamedTuple):
    """Everything that ``ompd why`` says. DETACHED are the places of tasks whose events
    nobody has fulfilled."""

    verdict: Verdict
    text: str
    teams: tuple[Team, ...]
    locks: tuple[Lock, ...]
    cycles: tuple[tuple[Step, ...], ...]
    notes: tuple[str, ...] = ()
    qualified: bool = False
    overflows: tuple[Overflow, ...] = ()
    waiting_tasks: Optional[tuple[tuple[str, int], ...]] = None
    crashes: tuple[Crash, ...] = ()
    detached: tuple[Optional[Location], ...] = ()
