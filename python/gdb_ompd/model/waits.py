# SPDX-License-Identifier: Apache-2.0
"""What a thread waits for, as its stack shows it."""

from __future__ import annotations

from enum import Enum
from typing import Iterable, NamedTuple, Optional

from . import Location, Thread


class Kind(str, Enum):
    """What a thread can wait for in an OpenMP runtime. The words are those of the
    JSON document's ``waits_for.kind``."""

    EXPLICIT_BARRIER = "explicit barrier"
    LOOP_BARRIER = "loop barrier"  # the end of a worksharing loop
    SECTIONS_BARRIER = "sections barrier"
    SINGLE_BARRIER = "single barrier"
    WORKSHARING_BARRIER = "worksharing barrier"  # one of those three
    BARRIER = "barrier"  # explicit or worksharing: the program's code is the same
    REGION_BARRIER = "end-of-region barrier"
    CRITICAL = "critical"
    LOCK = "lock"
    NEST_LOCK = "nest lock"
    ATOMIC = "atomic"
    ORDERED = "ordered"
    DOACROSS = "doacross"
    REDUCTION = "reduction"
    TASKWAIT = "taskwait"
    TASKGROUP = "taskgroup"
    TASKLOOP = "taskloop"
    DEPENDENCE = "task dependence"
    COPYPRIVATE = "copyprivate"
    TASK_EVENT = "task event"  # of a detached task that the thread executes at once
    TARGET = "target"  # for the device that executes the region
    TARGET_MAP = "target map"  # until data are mapped or unmapped
    TARGET_UPDATE = "target update"  # until they are copied
    NOT_BEGUN = "begin of region"  # a worker that was woken for it: it can go on
    IDLE = "idle"  # a worker in the pool
    IDLE_OR_REGION_BARRIER = "end of region or idle"  # the stack alone cannot tell


AT_DEVICE = frozenset({Kind.TARGET, Kind.TARGET_MAP, Kind.TARGET_UPDATE})
# Those inside a region, and all at which a team waits for its members.
TEAM_BARRIERS = frozenset(
    {
        Kind.EXPLICIT_BARRIER,
        Kind.LOOP_BARRIER,
        Kind.SECTIONS_BARRIER,
        Kind.SINGLE_BARRIER,
        Kind.WORKSHARING_BARRIER,
        Kind.BARRIER,
    }
)
BARRIERS = TEAM_BARRIERS | {Kind.REGION_BARRIER}
LOCKS = frozenset({Kind.LOCK, Kind.NEST_LOCK})
MUTEXES = frozenset({Kind.CRITICAL, Kind.LOCK, Kind.NEST_LOCK, Kind.ATOMIC})


UNNAMED = "?"  # an entry point whose name is not known
RUNTIME = "the OpenMP runtime"  # said of a function of it that has no name


MUTEX = "pthread mutex"
RWLOCK = "pthread rwlock"
SPIN_LOCK = "pthread spin lock"
SYSTEMS_LOCK = "system lock"
RUNTIMES_LOCK = "runtime lock"
ONCE = "pthread_once"
REPEATS = "repeats"


class SystemCall(NamedTuple):
    """What a thread that waits for nothing of OpenMP's does in the kernel.

    CALLS_WORKERS tells that it gathers or wakes those of a region. FUNCTION names the one in
    which it is, JOINS the thread whose end it waits for there, by its GDB number. MUTEX is the lock
    that it waits for. LOCK is its kind: SYSTEMS_LOCK is one of that function's own, RUNTIMES_LOCK
    one of an OpenMP runtime's. ONCE is a control that others wait for while a thread executes its
    routine. OWNER is the GDB number of the thread that holds it, OWNER_ENDED the LWP of one that is
    no thread of this process. IS_TIMED tells that it gives up at a time. SLEEP tells how it sleeps:
    "until woken" by another thread of the process, or "repeats": for a time, but then again unless
    another thread changes what it looks at. TAKEN_BY is the GDB number of the thread that has taken
    what it waits for, as far as the code tells. SEMAPHORE is the one that it waits for, by its
    address: who may post it, the code tells. READERS tells how often the lock is held for reading.
    OWNER_ELSEWHERE is the LWP of an owner that is no thread of this process, of a mutex that others
    share.
    """

    calls_workers: bool = False
    function: Optional[str] = None
    mutex: Optional[int] = None
    lock: str = MUTEX
    owner: Optional[int] = None
    owner_ended: Optional[int] = None
    joins: Optional[int] = None
    is_timed: bool = False
    sleep: Optional[str] = None
    taken_by: Optional[int] = None
    semaphore: Optional[int] = None
    readers: int = 0
    owner_elsewhere: Optional[int] = None


class Wait(NamedTuple):
    """Where a thread is, and what it waits for.

    KIND is None for a thread that waits for nothing of OpenMP. It is in the user's code, or OUTSIDE
    names the function that it called of the system or of another library ("read",
    "pthread_mutex_lock"). Or ENTRY_POINT names one of the runtime's that is not known to wait.
    ADDRESS is the user's object: the lock variable, the critical's word (not the runtime's own
    lock); NAME what the user calls it ("gate", "locks[3]", "" for the unnamed critical), None where
    that is not known. LIBRARY is the function of another library's that the user's code called,
    where that called OUTSIDE; IN_LIBRARY tells that only the call which began the region can show
    it. ENTRY_POINT is the runtime's function that the user's code called, "?" for one whose name is
    not known, LOCATION the innermost place in the user's code. UNDEFERRED tells of a task
    dependence that it is one of a task which the thread is about to execute. SINK has the numbers
    of the iteration that a doacross loop waits for.
    """

    kind: Optional[Kind] = None
    address: Optional[int] = None
    name: Optional[str] = None
    entry_point: Optional[str] = None
    location: Optional[Location] = None
    outside: Optional[str] = None
    undeferred: bool = False
    sink: Optional[int] = None
    library: Optional[str] = None
    in_library: bool = False


def of_several(
    waits: Iterable[tuple[Optional[str], Optional[str], Optional[int]]],
) -> set[tuple[str, str]]:
    """Return the kinds and names of what is waited for that mean several objects ("*lock" in
    several threads). Each of WAITS is a kind, a name and an address."""
    meant: dict[tuple[str, str], set[Optional[int]]] = {}
    for kind, name, address in waits:
        if kind and name:
            meant.setdefault((kind, name), set()).add(address)
    return {named for named, addresses in meant.items() if len(addresses) > 1}


def told_apart(name: str, address: int) -> str:
    """Return a name that means several objects, with the address of one of them."""
    return f"{name} at 0x{address:x}"


def distinct(threads: tuple[Thread, ...]) -> tuple[Thread, ...]:
    """Return THREADS with the address added to a name that means several objects."""
    named = [t.waits_for for t in threads if t.waits_for and t.waits_for.name]
    several = of_several((w.kind, w.name, w.address) for w in named)
    return tuple(map(lambda thread: _named(thread, several), threads)) if several else threads


def _named(thread: Thread, several: set[tuple[str, str]]) -> Thread:
    waits = thread.waits_for
    if waits is None or not waits.name or waits.address is None:
        return thread
    if (waits.kind, waits.name) not in several:
        return thread
    return thread._replace(waits_for=waits._replace(name=told_apart(waits.name, waits.address)))
