# SPDX-License-Identifier: Apache-2.0
"""What is read of each thread before anything is concluded.

``None`` means "not known". A fact that could be wrong at a busy moment (a barrier that
has just been completed, a lock that has just been handed over) is not known.
"""

from __future__ import annotations

from typing import NamedTuple, Optional

from ..model import Location, Region, WaitingTask
from ..model.waits import SystemCall, Wait


class Held(NamedTuple):
    """A lock or critical that a thread's place in the code is inside of. CERTAIN tells
    that every way through the code to that place enters and none leaves it."""

    kind: str
    address: Optional[int]
    name: Optional[str]
    location: Optional[Location]
    certain: bool


class LockWord(NamedTuple):
    """What the runtime keeps of a lock: whether it is held, its owner where that is
    recorded (a GDB number), and the threads that are queued for it. OWNER_ENDED tells
    that an owner is recorded which is no thread of this process, KEEPS_OWNER whether the
    owner of a lock of this kind is recorded, DEPTH how often the owner of a nest lock has
    set it."""

    held: Optional[bool] = None
    owner: Optional[int] = None
    queued: Optional[frozenset[int]] = None
    owner_ended: bool = False
    keeps_owner: Optional[bool] = None
    depth: Optional[int] = None


class At(NamedTuple):
    """One thread at this stop.

    BLOCKED says of a thread at a barrier, an ordered construct or a doacross loop whether the
    runtime still keeps it there, of one that waits for a lock that it sleeps for it, and so does
    not hold it, AWAITS_TASKS of one at a barrier that it sleeps until the last of its team's tasks
    is done, BUSY of any that it is at work there on a task. TASKS are the
    identities of its current task and of that one's ancestors, innermost first, CHILDREN
    the number of incomplete child tasks, GROUPS the taskgroups that the task is in,
    innermost first, TASKS_OF_GROUP the number of the innermost's incomplete tasks. GONE are the
    numbers in its team of threads that have left the process.
    CALL is the call of the kernel that it is in if it waits for nothing of OpenMP's. COME is
    "region" where it has certainly come to its region's end, "team" to another barrier of its
    team, whatever it executes while it waits there; None of one in a task where that is not told.
    IN_KNOWN_CODE is False where it may be in a runtime that cannot be read. ITERATION is the
    one that it waits for in a doacross loop, its number in each loop from 0, LEFT are those
    of its team that the runtime has recorded to have left that loop (see Sink). IS_HELPER tells of
    a thread that the runtime has for hidden helper tasks, and that has none.
    """

    gdb_num: int
    wait: Wait = Wait()
    running: bool = False
    is_omp: bool = True
    thread_num: Optional[int] = None
    region: Optional[int] = None
    held: tuple[Held, ...] = ()
    blocked: Optional[bool] = None
    busy: bool = False
    tasks: tuple[int, ...] = ()
    children: Optional[int] = None
    groups: tuple[int, ...] = ()
    tasks_of_group: Optional[int] = None
    gone: tuple[int, ...] = ()
    call: SystemCall = SystemCall()
    team_size: Optional[int] = None
    in_explicit_task: bool = False
    in_known_code: bool = True
    come: Optional[frozenset[str]] = frozenset()
    iteration: tuple[int, ...] = ()
    left: frozenset[int] = frozenset()
    awaits_tasks: bool = False
    is_helper: bool = False

    @property
    def object(self) -> Optional[int]:
        """The address of what the thread waits for, a mutex or an object of OpenMP's."""
        return self.wait.address if self.call.mutex is None else self.call.mutex

    @property
    def waited_kind(self) -> Optional[str]:
        """The kind of what the thread waits for, of OpenMP or a mutex."""
        if self.call.mutex is not None:
            return self.call.lock
        return None if self.wait.kind is None else self.wait.kind.value


class Crash(NamedTuple):
    """A thread that was stopped by a SIGNAL which ends the program, the ADDRESS that it
    used where that is a fault, and the CAUSE where its stack names it."""

    gdb_num: int
    signal: str
    address: Optional[int] = None
    cause: Optional[str] = None


class Overflow(NamedTuple):
    """A thread that has used up its stack of SIZE bytes. INITIAL is the process's first
    thread, WORKER one that the runtime has made (None: not known)."""

    gdb_num: int
    size: int
    initial: bool
    worker: Optional[bool]


class Facts(NamedTuple):
    """A program at one stop. LOCKS holds a word for each address that is waited for.
    COMPLETE tells that every thread is known. WAITING_TASKS are the tasks that no
    thread executes, None where they are not known."""

    threads: tuple[At, ...]
    regions: tuple[Region, ...] = ()
    locks: tuple[tuple[int, LockWord], ...] = ()
    complete: bool = True
    notes: tuple[str, ...] = ()
    qualified: bool = False
    overflows: tuple[Overflow, ...] = ()
    waiting_tasks: Optional[tuple[WaitingTask, ...]] = None
    crashes: tuple[Crash, ...] = ()

    def word(self, address: Optional[int]) -> LockWord:
        """Return what the runtime keeps of a lock."""
        return next((word for at, word in self.locks if at == address), LockWord())
