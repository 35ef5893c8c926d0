# SPDX-License-Identifier: Apache-2.0
"""Which CPUs the threads of a process may run on, as its kernel says and native code reads it."""

from __future__ import annotations

from functools import partial
from typing import Callable, Iterable, Mapping, Optional, Sequence

import gdb

from ... import _native
from ..fetch import remote_text
from ..processor_times import ProcessorTimes
from ..selection import connection_type, threads_of
from ..target import REMOTE
from ...model import ControlVariable, Icv, Thread
from ...model.cpus import CpuFacts, CpusOfThread, Places

BINDING_ICVS = ("bind-var", "place-partition-var", "num-procs-var")
GONE = "the kernel has no such thread any more"
NO_CPUS = "A core file has no CPUs: only the kernel of a running process knows them."
NOT_TOLD = (
    "The process is on another machine, or replayed, and what GDB is connected to does not say what"
    " its kernel knows: ask that there (taskset -acp PID)."
)
FILES = ("stat", "status", "schedstat", "syscall")  # that a kernel has of a thread
Kernel = Callable[[int], _native.Scheduling]


def why_not(inferior: gdb.Inferior) -> Optional[str]:
    """Say why the kernel of this machine cannot be asked of an inferior's threads, None where it
    can."""
    kind = connection_type(inferior)
    if kind == "native" and inferior.pid:
        return None
    if kind == "core":
        return NO_CPUS
    return NOT_TOLD


def why_untold(inferior: gdb.Inferior, is_known: bool) -> Optional[str]:
    """Say why it is not known what makes an inferior slow, where IS_KNOWN tells whether its kernel
    says how long its threads have run."""
    why = None if is_known else why_not(inferior)
    if why == NO_CPUS:
        return (
            "Whether its threads lack CPUs, or one has all the work, is not in a core file: only "
            "the kernel of a running process knows it."
        )
    if why is not None and len(threads_of(inferior)) > _native.MOST_ELSEWHERE:
        return (
            "Whether its threads lack CPUs, or one has all the work, is asked of no more than "
            f"{_native.MOST_ELSEWHERE} threads of another machine; 'ompd places' lists them."
        )
    return why


def _kernel_of(inferior: gdb.Inferior) -> Optional[Kernel]:
    """Return what asks the kernel of an inferior's threads by their LWPs, where one can be asked."""
    pid = inferior.pid
    if why_not(inferior) is None:
        return partial(_native.scheduling_of, pid)
    if connection_type(inferior) not in REMOTE:
        return None

    def asked(lwp: int) -> _native.Scheduling:
        texts = (remote_text(f"/proc/{pid}/task/{lwp}/{name}") for name in FILES)
        return _native.scheduling_in(*texts)

    first = next((thread.ptid[1] for thread in threads_of(inferior)), 0)
    return asked if asked(first).state else None


def places(
    inferior: gdb.Inferior,
    threads: Sequence[Thread],
    icvs: Iterable[Icv],
    variables: Iterable[ControlVariable],
    runtimes: Sequence[_native.Capabilities],
    times: ProcessorTimes,
) -> Places:
    """Return where THREADS may run, and where RUNTIMES have bound them."""
    binding = [(icv.name, icv.text) for icv in icvs if icv.name in BINDING_ICVS]
    own = {variable.name: variable.value for variable in variables if variable.value}
    binding += [(name, own[name]) for name in _native.settings_about_cpus(own)]
    known = tuple(dict.fromkeys(each for each in binding if each[1]))
    rows = [_bound(thread, runtimes) for thread in threads]
    kernel = _kernel_of(inferior)
    if kernel is None:
        why = why_not(inferior)
        return Places(tuple(rows), known, None, () if why is None else (why,))
    is_here = why_not(inferior) is None
    of_cpus: dict[int, _native.CpuPlace] = {}
    rows = [_told(row, kernel(row.lwp), of_cpus if is_here else None) for row in rows]
    before, _ = times.of_kernel()
    rows = [_since(row, before.get(row.lwp, (None,))[0]) for row in rows]
    return Places(tuple(rows), known, _native.cpu_quota(inferior.pid) if is_here else None)


def _bound(thread: Thread, runtimes: Sequence[_native.Capabilities]) -> CpusOfThread:
    """Return what the runtimes' records have of a thread."""
    runtime = next((each for each in runtimes if each.knows(thread.gdb_num)), None)
    place, partition = (None, None) if runtime is None else runtime.place(thread.gdb_num)
    return CpusOfThread(
        thread.gdb_num,
        thread.lwp,
        thread.thread_num,
        thread.team_size,
        place=place,
        partition=partition,
    )


def _told(
    one: CpusOfThread, read: _native.Scheduling, of_cpus: Optional[dict[int, _native.CpuPlace]]
) -> CpusOfThread:
    """Add what the kernel says of a thread. OF_CPUS are this machine's CPUs."""
    if read.allowed is None and not read.state:
        return one._replace(problem=GONE)
    cpu = read.last_cpu
    if cpu is not None and of_cpus is not None:
        at = of_cpus[cpu] = of_cpus.get(cpu) or _native.place_of_cpu(cpu)
        one = one._replace(core=at.core, socket=at.socket, node=at.node)
    return one._replace(
        allowed=None if read.allowed is None else tuple(read.allowed),
        last_cpu=cpu,
        state=read.state or None,
        on_cpu=read.on_cpu,
        nanoseconds=read.nanoseconds,
        voluntary=read.voluntary,
        forced=read.forced,
    )


def _since(one: CpusOfThread, before: Optional[int]) -> CpusOfThread:
    spent = one.nanoseconds
    known = spent is not None and before is not None and spent >= before
    return one._replace(since_last_stop=(spent or 0) - (before or 0)) if known else one


def cpu_facts(
    inferior: gdb.Inferior,
    threads: Sequence[Thread],
    environment: Callable[[], Mapping[str, str]],
    processors: Callable[[], Optional[int]],
    is_nested: bool,
) -> Optional[CpuFacts]:
    """Return what a process's threads may run on, None where the kernel lets each of them have a
    core, or cannot be asked: what it has not said for a stop's file, num-procs-var alone tells."""
    is_here = why_not(inferior) is None
    is_remote = connection_type(inferior) in REMOTE
    otherwise = CpuFacts((), processors=processors()) if is_nested and not is_here else None
    if not is_here and not is_remote:
        return otherwise
    lwps = [(thread.gdb_num, thread.lwp) for thread in threads if thread.lwp and not thread.idle]
    elsewhere = remote_text if is_remote else None
    found = _native.shared_cpus(inferior.pid, sorted(lwps), elsewhere)
    if found is None:
        return otherwise
    settings = environment()
    about: dict[str, list[str]] = {}
    for name, what in sorted(_native.settings_about_cpus(settings).items()):
        about.setdefault(what, []).append(f"{name}={settings[name]}")
    return CpuFacts(
        tuple([(number, tuple(cpus)) for number, cpus in found.masks]),
        tuple(found.on_cpu),
        found.quota,
        tuple(found.of_parent),
        tuple(about.get("binds", ())),
        tuple(about.get("keeps spinning", ())),
        processors(),
        tuple(found.cores),
        tuple(about.get("waiting", ())),
    )
