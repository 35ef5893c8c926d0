# SPDX-License-Identifier: Apache-2.0
"""Which CPUs the threads of a process of this machine may run on, as native code reads it."""

from __future__ import annotations

from typing import Callable, Iterable, Mapping, Optional, Sequence

import gdb

from .. import _native
from ..model import ControlVariable, Icv, Thread
from ..model.cpus import CpuFacts, CpusOfThread, Masks, Places

BINDING_ICVS = ("bind-var", "place-partition-var", "num-procs-var")
GONE = "the kernel has no such thread any more"


def why_not(inferior: gdb.Inferior) -> Optional[str]:
    """Say why the kernel cannot be asked of an inferior's threads, None where it can."""
    connection = inferior.connection
    if connection is not None and connection.type == "native" and inferior.pid:
        return None
    kind = None if connection is None else connection.type
    if kind == "core":
        return "A core file has no CPUs: only the kernel of a running process knows them."
    return "The process is on another machine: ask its kernel there (taskset -acp PID)."


def places(
    inferior: gdb.Inferior,
    threads: Sequence[Thread],
    icvs: Iterable[Icv],
    variables: Iterable[ControlVariable],
    before: Mapping[int, int],
) -> Places:
    """Return where THREADS may run. BEFORE are their nanoseconds at another stop, by LWP."""
    binding = [(icv.name, icv.text) for icv in icvs if icv.name in BINDING_ICVS]
    own = {variable.name: variable.value or "" for variable in variables}
    binding += [(name, own[name]) for name in _native.settings_about_cpus(own)]
    problem = why_not(inferior)
    known = tuple(dict.fromkeys(binding))
    if problem is not None:
        rows = (CpusOfThread(t.gdb_num, t.lwp, t.thread_num, t.team_size) for t in threads)
        return Places(tuple(rows), known, None, (problem,))
    of_cpus: dict[int, _native.CpuPlace] = {}
    rows = (_row(inferior.pid, thread, before.get(thread.lwp), of_cpus) for thread in threads)
    return Places(tuple(rows), known, _quota(inferior))


def _row(
    pid: int, thread: Thread, before: Optional[int], of_cpus: dict[int, _native.CpuPlace]
) -> CpusOfThread:
    one = CpusOfThread(thread.gdb_num, thread.lwp, thread.thread_num, thread.team_size)
    read = _native.scheduling_of(pid, thread.lwp)
    if read.allowed is None and not read.state:
        return one._replace(problem=GONE)
    if read.last_cpu is not None:
        if read.last_cpu not in of_cpus:
            of_cpus[read.last_cpu] = _native.place_of_cpu(read.last_cpu)
        at = of_cpus[read.last_cpu]
        one = one._replace(last_cpu=read.last_cpu, core=at.core, socket=at.socket, node=at.node)
    spent = read.nanoseconds
    known = spent is not None and before is not None and spent >= before
    return one._replace(
        allowed=None if read.allowed is None else tuple(read.allowed),
        state=read.state or None,
        nanoseconds=spent,
        since_last_stop=(spent or 0) - (before or 0) if known else None,
        voluntary=read.voluntary,
        forced=read.forced,
    )


def cpu_facts(
    inferior: gdb.Inferior,
    threads: Sequence[Thread],
    environment: Callable[[], Mapping[str, str]],
    processors: Callable[[], Optional[int]],
) -> Optional[CpuFacts]:
    """Return what a process's threads may run on, None where the kernel cannot be asked, or lets
    each of them have a CPU."""
    if why_not(inferior) is not None:
        return None
    allowed = {t.gdb_num: _native.allowed_cpus(t.lwp) for t in threads if t.lwp and not t.idle}
    masks = tuple((number, tuple(cpus)) for number, cpus in sorted(allowed.items()) if cpus)
    cpus = {cpu for _, own in masks for cpu in own}
    quota = _quota(inferior)
    fewest = min(len(cpus), (quota or len(cpus) * 100) / 100)
    if len(masks) <= fewest and not _share(masks):
        return None
    lwps = {t.gdb_num: t.lwp for t in threads}
    on_cpu = tuple(n for n, _ in masks if _native.is_on_cpu(inferior.pid, lwps[n]))
    parent = _native.parent_of(inferior.pid)
    of_parent = _native.allowed_cpus(parent) if parent else None
    settings = environment()
    about: dict[str, list[str]] = {}
    for name, what in sorted(_native.settings_about_cpus(settings).items()):
        about.setdefault(what, []).append(f"{name}={settings[name]}")
    return CpuFacts(
        masks,
        on_cpu,
        quota,
        tuple(of_parent or ()),
        tuple(about.get("binds", ())),
        tuple(about.get("keeps spinning", ())),
        processors(),
    )


def _quota(inferior: gdb.Inferior) -> Optional[int]:
    quota = _native.cpu_quota(inferior.pid)
    return None if quota is None else round(quota * 100)


def _share(masks: Masks) -> bool:
    """Tell whether several threads are bound to one CPU."""
    bound = [cpus for _, cpus in masks if len(cpus) == 1]
    return len(bound) != len(set(bound))
