# SPDX-License-Identifier: Apache-2.0
"""What a generated program has recorded about itself, as typed values."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Callable, Optional

ON, WORKS, TEAM, MEETS, WANTS, DROPS, BLOCKS, TAIL, ENDED = range(9)
PLACES = (
    "barrier loop sections single task taskwait taskgroup taskloop ordered reduction "
    "copyprivate taskyield doacross last"
).split()
# The numbers of the system calls that tell that a thread is in the last call of its body.
# A semaphore's is the runtime's own, too.
SYSTEM_CALLS = {0: 0, 1: 230, 2: 7}

MAX_DEPTH, MAX_LEVELS, MAX_HELD, MAX_INSTANCES, MAX_VALUES = 48, 8, 12, 1 << 16, 6
TASK = struct.Struct(f"={9 + 2 * MAX_LEVELS}i")
VALUE = struct.Struct("=qdQ")
THREAD = struct.Struct(f"={4 + MAX_HELD}i{TASK.size * MAX_DEPTH}sq{VALUE.size * MAX_VALUES}s")
INSTANCE = struct.Struct("=4i")

Memory = Callable[[str, int, int], bytes]  # an object's name, an offset, a size


@dataclass(frozen=True)
class Task:
    """One that a thread has begun."""

    instance: int
    construct: int  # 0 is an initial task
    is_explicit: bool
    phase: int
    detail: int
    line: int
    level: int
    active_level: int
    team_num: int
    num_teams: int
    memberships: list[list[int]]  # number and team size, innermost level first

    @property
    def is_in_team(self) -> bool:
        """Whether the task is in its team's runtime; after its last loop it may have left."""
        return self.phase == TEAM and PLACES[self.detail] != "last"


@dataclass(frozen=True)
class Thread:
    """What one thread has said."""

    number: int
    lwp: int
    busy: bool
    tasks: list[Task]  # the outermost first
    held: list[int]
    system_call: Optional[int]  # that it is in
    values: dict[int, tuple[float, int]]  # by the note's number, value and place

    @property
    def current(self) -> Task:
        return self.tasks[-1]

    @property
    def is_steady(self) -> bool:
        """Tell whether it is in the user's code for certain, so that all is known of it."""
        if self.busy or not self.tasks:
            return False
        phase, detail = self.current.phase, self.current.detail
        if phase == TAIL:
            return detail in SYSTEM_CALLS and SYSTEM_CALLS[detail] == self.system_call
        return phase in (ON, WORKS, WANTS, DROPS, BLOCKS)


@dataclass(frozen=True)
class Link:
    """A task of a chain, and the thread that executes it if it is an implicit one."""

    instance: int
    construct: int
    thread: int


@dataclass(frozen=True)
class Record:
    """All that the program knows at one moment."""

    threads: dict[int, Thread]  # by LWP
    instances: dict[int, tuple[int, int, int]]  # construct, parent, thread; those that are kept

    def chain(self, thread: Thread) -> Optional[list[Link]]:
        """Return the task that THREAD executes, the one that generated it, and so on; None if
        a link was overwritten."""
        found = []
        instance, number = thread.current.instance, thread.number
        while instance >= 0:
            if instance not in self.instances:
                return None
            construct, parent, maker = self.instances[instance]
            found.append(Link(instance, abs_construct(construct), number))
            instance, number = parent, maker
        return [*found, Link(instance, 0, number)]


def abs_construct(kept: int) -> int:
    """Return a construct's number: those of explicit tasks are kept as -1 - NUMBER."""
    return kept if kept >= 0 else -1 - kept


def read(memory: Memory, system_call: Callable[[int], Optional[int]]) -> Record:
    """Read the record of a stopped program."""
    sizes = struct.unpack("=3i", memory("record_sizes", 0, 12))
    assert sizes == (TASK.size, THREAD.size, INSTANCE.size), sizes
    (count,) = struct.unpack("=i", memory("record_thread_count", 0, 4))
    data = memory("record_threads", 0, count * THREAD.size)
    threads = {}
    for number, parts in enumerate(THREAD.iter_unpack(data)):
        lwp, busy, depth, held_count = parts[:4]
        tasks = list(_tasks(parts[-3], depth))
        held = list(parts[4 : 4 + held_count])
        noted = not busy and bool(tasks) and tasks[-1].phase in (WORKS, BLOCKS, WANTS)
        values = list(VALUE.iter_unpack(parts[-1]))[: parts[-2] if noted else 0]
        known = {number: (value, place) for number, value, place in values}
        threads[lwp] = Thread(number, lwp, bool(busy), tasks, held, system_call(lwp), known)
    return Record(threads, _instances(memory, threads.values()))


def _tasks(data: bytes, depth: int) -> Iterator[Task]:
    for values in list(TASK.iter_unpack(data))[:depth]:
        instance, construct, phase, detail, line, level, active, team_num, num_teams = values[:9]
        places = [list(values[at : at + 2]) for at in range(9, 9 + 2 * (level + 1), 2)]
        yield Task(
            instance,
            abs_construct(construct),
            construct < 0,
            phase,
            detail,
            line,
            level,
            active,
            team_num,
            num_teams,
            places[::-1],
        )


def _instances(memory: Memory, threads: Iterable[Thread]) -> dict[int, tuple[int, int, int]]:
    found: dict[int, tuple[int, int, int]] = {}
    wanted = {task.instance for thread in threads for task in thread.tasks}
    while wanted:
        instance = wanted.pop()
        if instance < 0 or instance in found:
            continue
        at = instance % MAX_INSTANCES * INSTANCE.size
        number, *rest = INSTANCE.unpack(memory("record_instances", at, INSTANCE.size))
        if number == instance:
            found[instance] = (rest[0], rest[1], rest[2])
            wanted.add(rest[1])
    return found
