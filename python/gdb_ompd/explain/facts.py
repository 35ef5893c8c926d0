# SPDX-License-Identifier: Apache-2.0
"""What is read of each thread before anything is concluded.

``None`` means "not known". A fact that could be wrong at a busy moment (a barrier that
has just been completed, a lock that has just been handed over) is not known.
"""

from __future__ import annotations

from functools import cached_property
from typing import Iterable, NamedTuple, Optional, TypeVar

from ..model import Location, Region, TargetConstruct, WaitingTask
from ..model.cpus import CpuFacts, Rejected, Used
from ..model.waits import AT_DEVICE, SystemCall, Wait

LockKey = tuple[Optional[str], Optional[int]]  # a kind, an address
Key = TypeVar("Key")
Value = TypeVar("Value")


class Held(NamedTuple):
    """A lock or critical that a thread's place in the code is inside of. CERTAIN tells
    that every way through the code to that place enters and none leaves it."""

    kind: str
    address: Optional[int]
    name: Optional[str]
    location: Optional[Location]
    certain: bool


class LockWord(NamedTuple):
    """What the runtime keeps of a lock."""

    held: Optional[bool] = None
    owner: Optional[int] = None  # a GDB number, where it is recorded
    queued: Optional[frozenset[int]] = None  # the threads that are queued for it
    owner_ended: bool = False  # the recorded owner is no thread of this process
    keeps_owner: Optional[bool] = None  # the owner of a lock of this kind is recorded
    depth: Optional[int] = None  # how often the owner of a nest lock has set it
    destroyed: bool = False  # nobody gets it any more


class GaveUp(NamedTuple):
    """A runtime that ends the program because it cannot go on. It has its LIBRARY, the FUNCTION of
    it that does so, the ENTRY_POINT in which it was called, and the MESSAGE that it has written: ""
    for what has no name or is not there any more."""

    library: str
    function: str = ""
    entry_point: str = ""
    message: str = ""


class Tried(NamedTuple):
    """The lock or mutex that a loop tries to set, by its address; it does nothing else, and lets no
    lock go."""

    kind: str  # as in waited_kind
    object: int


class Interruption(NamedTuple):
    """What the SIGNAL has interrupted whose handler a thread executes: the FUNCTION that the user's
    code had called at its LOCATION, or that code itself."""

    signal: Optional[int] = None
    function: Optional[str] = None
    location: Optional[Location] = None


class At(NamedTuple):
    """One thread at this stop. Tasks and taskgroups are named by the runtime's identities."""

    gdb_num: int
    wait: Wait = Wait()
    running: bool = False
    is_omp: bool = True
    thread_num: Optional[int] = None
    region: Optional[int] = None
    held: tuple[Held, ...] = ()
    # At a barrier, an ordered construct or a doacross loop: whether the runtime still keeps it there.
    # Where it waits for a lock: whether it sleeps for it, so that it does not hold it. Where it waits
    # for tasks: whether it executes none meanwhile.
    blocked: Optional[bool] = None
    busy: bool = False  # it works on a task while it waits
    tasks: tuple[int, ...] = ()  # its current one and the ancestors of that, innermost first
    children: Optional[int] = None  # how many of the current task's are not complete
    groups: tuple[int, ...] = ()  # the taskgroups that the task is in, innermost first
    tasks_of_group: Optional[int] = None  # how many of the innermost group's are not complete
    call: SystemCall = SystemCall()  # of the kernel, if it waits for nothing of OpenMP's
    team_size: Optional[int] = None
    in_explicit_task: bool = False
    in_known_code: bool = True  # False where it may be in a runtime that cannot be read
    # To which barriers it has certainly come, whatever it executes while it waits there: "region",
    # the end of its region, "team", another one of its team. None where a task hides that.
    come: Optional[frozenset[str]] = frozenset()
    # In a doacross loop it has the iteration that it waits for, by its number from 0 in each loop.
    # It has the threads that have left the loop, as far as the runtime has recorded them (see
    # Sink).
    iteration: tuple[int, ...] = ()
    left: frozenset[int] = frozenset()
    awaits_tasks: bool = False  # it sleeps at a barrier until the last of its team's tasks is done
    is_helper: bool = False  # the runtime has it for hidden helper tasks, of which there are none
    # What its loop reads again and again until somebody writes it: names or, without, addresses.
    polls: tuple[str, ...] = ()
    tried: Optional[Tried] = None  # what that is for, if it is to set a lock
    # The addresses of locks that others wait for and that the code to which it comes lets go
    # without having set them.
    may_let_go: tuple[int, ...] = ()
    # "process": the thread is in exit; "thread": its function has returned, and it destroys its
    # thread_local objects.
    ending: Optional[str] = None
    gave_up: Optional[GaveUp] = None
    # The addresses of the controls whose routines it executes by pthread_once.
    once: tuple[int, ...] = ()
    makes_thread: bool = False  # for a runtime, which lets nobody else do so meanwhile
    target: Optional[TargetConstruct] = None  # the innermost target construct that it is in
    interruption: Optional[Interruption] = None
    endless: bool = False  # it is in a loop that reads nothing and has no end

    @property
    def is_at_device(self) -> bool:
        """Whether the thread waits for a device."""
        return self.wait.kind in AT_DEVICE

    @property
    def is_held_up(self) -> bool:
        """Whether the thread waits for no other thread: in a function outside of OpenMP, in a loop of
        its own, or for a device."""
        loops = self.endless or bool(self.polls)
        return self.call.function is not None or loops or self.is_at_device

    @property
    def object(self) -> Optional[int]:
        """The address of what the thread waits for, a mutex or an object of OpenMP's."""
        if self.tried is not None:
            return self.tried.object
        return self.wait.address if self.call.mutex is None else self.call.mutex

    @property
    def object_name(self) -> Optional[str]:
        """The name of what the thread waits for."""
        if self.tried is None:
            return self.wait.name
        return None if self.polls[0].startswith("0x") else self.polls[0]

    @property
    def waited_kind(self) -> Optional[str]:
        """The kind of what the thread waits for, of OpenMP or a mutex."""
        if self.tried is not None:
            return self.tried.kind
        if self.call.mutex is not None:
            return self.call.lock
        return None if self.wait.kind is None else self.wait.kind.value


class Callback(NamedTuple):
    """A function that the program gives to be called back, such as a signal's handler, and that
    lets the LOCK at that address go without having set it."""

    lock: int
    location: Location


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


class _Read(NamedTuple):
    """What is read of a program at one stop."""

    threads: tuple[At, ...]
    regions: tuple[Region, ...] = ()
    locks: tuple[tuple[int, LockWord], ...] = ()  # each address that is waited for
    complete: bool = True  # every thread is known
    notes: tuple[str, ...] = ()
    qualified: bool = False
    overflows: tuple[Overflow, ...] = ()
    waiting_tasks: Optional[tuple[WaitingTask, ...]] = None  # that no thread executes, if known
    crashes: tuple[Crash, ...] = ()
    forked: Optional[bool] = None  # the process began by fork() and has executed no program since
    callbacks: tuple[Callback, ...] = ()
    cpus: Optional[CpuFacts] = None  # where the kernel was asked and threads share CPUs
    # What "set scheduler-locking" holds others with when the user continues or steps.
    scheduler_locking: Optional[str] = None
    used: tuple[Used, ...] = ()  # since the last stop that was asked at
    so_far: tuple[Used, ...] = ()  # since the threads began
    rejected: tuple[Rejected, ...] = ()
    untold: Optional[str] = None  # why the kernel says nothing of its threads


class Facts(_Read):
    """A program at one stop: what is read, and who has what, found once for all threads."""

    def word(self, address: Optional[int]) -> LockWord:
        """Return what the runtime keeps of a lock."""
        return self._words.get(address, LockWord())

    @cached_property
    def _words(self) -> dict[Optional[int], LockWord]:
        return {address: word for address, word in self.locks}

    @cached_property
    def inside(self) -> dict[LockKey, list[tuple[At, Held]]]:
        """Who is inside of each lock by the code, by its kind and address."""
        return _grouped(((h.kind, h.address), (t, h)) for t in self.threads for h in t.held)

    @cached_property
    def waiters(self) -> dict[Optional[int], frozenset[int]]:
        """Who waits for each object of OpenMP's, by its address."""
        return _sets((t.wait.address, t.gdb_num) for t in self.threads if t.wait.kind)

    @cached_property
    def trying(self) -> dict[LockKey, frozenset[int]]:
        """Who tries to set each lock, by its kind and address."""
        return _sets(((t.tried.kind, t.tried.object), t.gdb_num) for t in self.threads if t.tried)

    @cached_property
    def givers(self) -> dict[int, frozenset[int]]:
        """Who may let go each lock that it has not set, by its address."""
        return _sets((lock, t.gdb_num) for t in self.threads for lock in t.may_let_go)

    @cached_property
    def executing(self) -> dict[int, frozenset[int]]:
        """Who executes the routine of each control of pthread_once."""
        return _sets((control, t.gdb_num) for t in self.threads for control in t.once)

    @cached_property
    def children_of(self) -> dict[int, frozenset[int]]:
        """Who executes a task that each task has generated."""
        return _sets((t.tasks[1], t.gdb_num) for t in self.threads if t.tasks[1:])

    @cached_property
    def below(self) -> dict[int, frozenset[int]]:
        """Who executes a task that descends from each task."""
        return _sets((task, t.gdb_num) for t in self.threads for task in t.tasks[1:])

    @cached_property
    def in_group(self) -> dict[int, frozenset[int]]:
        """Who executes a task that is in each taskgroup."""
        return _sets((group, t.gdb_num) for t in self.threads for group in t.groups)

    @cached_property
    def roots(self) -> dict[Optional[int], frozenset[int]]:
        """The outermost tasks that are known of each region's threads."""
        return _sets((t.region, t.tasks[-1]) for t in self.threads if t.tasks)


def _grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def _sets(pairs: Iterable[tuple[Key, int]]) -> dict[Key, frozenset[int]]:
    return {key: frozenset(numbers) for key, numbers in _grouped(pairs).items()}
