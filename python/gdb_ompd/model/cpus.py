# SPDX-License-Identifier: Apache-2.0
"""Which CPUs threads may run on and do, as the kernel has it."""

from __future__ import annotations

from typing import NamedTuple, Optional


class CpusOfThread(NamedTuple):
    """What the kernel knows of a thread. ALLOWED are the CPUs that it may run on, LAST_CPU is where
    it ran last, on that CORE, SOCKET and NUMA NODE. STATE is the kernel's letter; ON_CPU tells of a
    thread that stands still whether it is in no call of the kernel that waits. NANOSECONDS are of
    processor time, SINCE_LAST_STOP those since the last stop that was asked at. VOLUNTARY and
    FORCED count its switches to other threads. PROBLEM says why the kernel does not tell. PLACE is
    the number of the OpenMP place that the runtime has bound it to, PARTITION the first and the
    last place of its place-partition-var."""

    gdb_num: int
    lwp: int
    thread_num: Optional[int] = None
    team_size: Optional[int] = None
    allowed: Optional[tuple[int, ...]] = None
    last_cpu: Optional[int] = None
    core: Optional[int] = None
    socket: Optional[int] = None
    node: Optional[int] = None
    state: Optional[str] = None
    nanoseconds: Optional[int] = None
    since_last_stop: Optional[int] = None
    voluntary: Optional[int] = None
    forced: Optional[int] = None
    problem: Optional[str] = None
    on_cpu: Optional[bool] = None
    place: Optional[int] = None
    partition: Optional[tuple[int, int]] = None


class Places(NamedTuple):
    """Those of all threads of a process. BINDING are the ICVs and settings that say where threads
    are to run. QUOTA is how many percent of one CPU's time the process may use, None for any."""

    threads: tuple[CpusOfThread, ...] = ()
    binding: tuple[tuple[str, str], ...] = ()
    quota: Optional[int] = None
    notes: tuple[str, ...] = ()


Masks = tuple[tuple[int, tuple[int, ...]], ...]


class CpuFacts(NamedTuple):
    """What the kernel lets a process's threads run on. MASKS are the CPUs of each, by GDB's
    numbers, ON_CPU those that want a CPU: they work or spin. QUOTA is how many percent of one
    CPU's time the process may use, PROCESSORS num-procs-var, OF_PARENT the CPUs of the process that
    has started it. BINDING are the settings of its environment that bind threads, as NAME=VALUE,
    SPINNING those by which threads that wait go on to use a CPU, WAITING the others on how they
    wait. CORES are the cores of CPUs, where threads are bound. Without MASKS the kernel was not
    asked."""

    masks: Masks
    on_cpu: tuple[int, ...] = ()
    quota: Optional[int] = None
    of_parent: tuple[int, ...] = ()
    binding: tuple[str, ...] = ()
    spinning: tuple[str, ...] = ()
    processors: Optional[int] = None
    cores: tuple[tuple[int, int], ...] = ()
    waiting: tuple[str, ...] = ()


class Used(NamedTuple):
    """How many nanoseconds a thread has RUN in some time, and wanted to while other threads had its
    CPU."""

    gdb_num: int
    run: int
    delayed: int = 0


class Rejected(NamedTuple):
    """A variable of the environment whose VALUE the runtime does not take, and what is in force."""

    name: str
    value: str
    in_force: Optional[str] = None
