# SPDX-License-Identifier: Apache-2.0
"""Why a program that can go on is slow: too few CPUs for its threads."""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

from ..model.cpus import CpuFacts
from .facts import At, Facts
from .needs import POOL
from .phrases import counted, named, ranges


def notes(facts: Facts) -> Iterator[str]:
    """Say what makes threads that can go on wait for a CPU."""
    cpus = facts.cpus
    if cpus is None:
        return
    crowded = _one_cpu(facts, cpus)
    if crowded is not None:
        yield crowded
    else:
        yield from _bound_to_one(facts, cpus)
    yield from _too_many(facts, cpus, crowded is not None)


def _teams(facts: Facts) -> Iterator[list[At]]:
    """Yield the members of each region's team that are in it innermost."""
    for region in facts.regions:
        members = [t for t in facts.threads if t.region == region.id and t.is_omp]
        if len(members) > 1:
            yield members


def _one_cpu(facts: Facts, cpus: CpuFacts) -> Optional[str]:
    """Say that all threads of a team may run on one CPU only, and who can have decided that."""
    masks = dict(cpus.masks)
    for members in _teams(facts):
        own = {masks.get(thread.gdb_num) for thread in members}
        if len(own) == 1 and len(next(iter(own)) or ()) == 1:
            cpu = (next(iter(own)) or (0,))[0]
            return (
                f"All {len(members)} threads of the team may run on CPU {cpu} only, and take "
                f"turns there: {_who_set(cpus, cpu)}.{_policy(cpus)}"
            )
    return None


def _policy(cpus: CpuFacts) -> str:
    active = ", ".join(cpus.spinning)
    return f" {active} lets those that wait spin before they sleep." if active else ""


def _who_set(cpus: CpuFacts, cpu: int) -> str:
    settings = ", ".join(cpus.binding)
    if cpus.of_parent == (cpu,):
        return "so may the process that started this one (a launcher, taskset, a job's limits)"
    inherited = "the process had one CPU already when the runtime started (num-procs-var is 1)"
    if cpus.processors == 1 and settings:
        return (
            f"{inherited}: it was started by one that was bound, maybe itself under {settings} "
            "(inferred)"
        )
    if cpus.processors == 1:
        return inherited
    if settings and len(cpus.of_parent) > 1:
        return f"the runtime has bound them ({settings}; inferred)"
    return "the program, a library that it uses or who started it may have bound them"


def _bound_to_one(facts: Facts, cpus: CpuFacts) -> Iterator[str]:
    """Say which threads of a team are bound to one CPU while others of the process have none."""
    masks = dict(cpus.masks)
    for members in _teams(facts):
        bound: dict[int, list[int]] = {}
        for thread in members:
            own = masks.get(thread.gdb_num, ())
            if len(own) != 1:
                return
            bound.setdefault(own[0], []).append(thread.gdb_num)
        free = sorted(set(cpus.of_parent) - set(bound))
        for cpu, numbers in sorted(bound.items()):
            if len(numbers) > 1 and free:
                yield f"{named(numbers)} are bound to CPU {cpu} while no thread is bound to {_cpus(free)}."


def _too_many(facts: Facts, cpus: CpuFacts, is_said: bool) -> Iterator[str]:
    """Say that more threads work or spin than there are CPUs, and who lets them spin. IS_SAID tells
    that it is known of a team already that it has one. Idle threads hold up nobody for long."""
    is_omp = {t.gdb_num for t in facts.threads if t.is_omp and t.wait.kind not in POOL}
    wanting = [number for number in cpus.on_cpu if number in is_omp]
    may = sorted({cpu for number, own in cpus.masks if number in is_omp for cpu in own})
    quota = None if cpus.quota is None else cpus.quota / 100
    limited = quota is not None and quota < len(may)
    room = quota if limited and quota is not None else len(may)
    waiting = {t.gdb_num for t in facts.threads if t.wait.kind is not None}
    spinning = [number for number in wanting if number in waiting]
    if (
        not may
        or len(wanting) <= room
        or not (spinning or (len(wanting) > 2 * room and not is_said))
    ):
        return
    where = (
        f"may use the time of {_number(room)} (its control group's quota)" if limited else _on(may)
    )
    yield f"{len(wanting)} threads work or spin, but the process {where}{_spin(spinning, cpus)}."


def _on(may: Sequence[int]) -> str:
    return f"may run on {_cpus(may)} only"


def _spin(spinning: Sequence[int], cpus: CpuFacts) -> str:
    if not spinning:
        return ""
    policy = f" ({', '.join(cpus.spinning)})" if cpus.spinning else ""
    do = "waits actively" if len(spinning) == 1 else "wait actively"
    return (
        f": {len(spinning)} of them {do}{policy} and take time from those that they wait for; "
        "OMP_WAIT_POLICY=passive or fewer threads help"
    )


def _cpus(numbers: Sequence[int]) -> str:
    return f"CPU{'s' if len(numbers) > 1 else ''} {ranges(numbers)}"


def _number(room: float) -> str:
    return counted(int(room), "CPU") if room == int(room) else f"{room:.2f} CPUs"
