# SPDX-License-Identifier: Apache-2.0
"""Why a program that can go on is slow: too few CPUs for its threads, one that has all the work, or
settings that are not in force."""

from __future__ import annotations

from typing import Container, Iterator, Mapping, Optional, Sequence

from ..model import Region
from ..model.cpus import CpuFacts, Used
from .facts import At, Facts
from .needs import POOL
from .phrases import counted, named, place, ranges


LEAST_TIME = 50_000_000  # nanoseconds: less tells nothing
MOST_OF_IT = 0.9
MUCH = 0.3  # of the time that threads were ready: they waited for a CPU


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
    yield from _nested(facts, cpus)
    yield from _too_many(facts, cpus, crowded is not None)


def untold(facts: Facts) -> Iterator[str]:
    """Say why it is not known of a team whether it lacks CPUs, or work."""
    if facts.untold is not None and any(_teams(facts)):
        yield facts.untold


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
                f"{_all(len(members))} threads of the team may run on CPU {cpu} only, and take "
                f"turns there: {_who_set(cpus, cpu)}.{_policy(cpus)}"
            )
    return None


def _all(number: int) -> str:
    return "Both" if number == 2 else f"All {number}"


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
    """Say which threads of a team are bound to one core while others of the process have none, and
    are not needed for the team's threads that are not bound."""
    masks, cores = dict(cpus.masks), dict(cpus.cores)
    for members in _teams(facts):
        bound: dict[int, list[int]] = {}
        for thread in members:
            own = {cores.get(cpu, cpu) for cpu in masks.get(thread.gdb_num, ())}
            if len(own) == 1:
                bound.setdefault(own.pop(), []).append(thread.gdb_num)
        free = [cpu for cpu in cpus.of_parent if cores.get(cpu, cpu) not in bound]
        if len({cores.get(cpu, cpu) for cpu in free}) <= len(members) - sum(
            map(len, bound.values())
        ):
            continue
        for _, numbers in sorted(bound.items()):
            used = sorted({cpu for number in numbers for cpu in masks[number]})
            one = " (one core)" if len(used) > 1 else ""
            if len(numbers) > 1 and free:
                yield (
                    f"{named(numbers)} are bound to {_cpus(used)}{one} while no thread is bound to "
                    f"{_cpus(free)}."
                )


def _nested(facts: Facts, cpus: CpuFacts) -> Iterator[str]:
    """Say that the members of a team have begun teams of their own, which are more threads together
    than there are CPUs. A region of another runtime has no parent in the records."""
    may = {cpu for _, own in cpus.masks for cpu in own}
    room = len(may) or cpus.processors or 0
    inside: dict[int, list[Region]] = {}
    for region in facts.regions:
        if (region.team_size or 1) > 1:
            for outer in facts.regions:
                if _is_around(outer, region):
                    inside.setdefault(outer.id, []).append(region)
    for outer in facts.regions:
        inner = inside.get(outer.id, [])
        together = sum(region.team_size or 0 for region in inner)
        if len(inner) < 2 or not room or together <= room:
            continue
        sizes = {region.team_size for region in inner}
        size = f"{sizes.pop()}" if len(sizes) == 1 else "several"
        where = set(map(place, inner))
        spot = where.pop() if len(where) == 1 else ""
        yield (
            f"{len(inner)} threads of the team of {outer.team_size}{place(outer)} have begun "
            f"teams of {size} inside{spot}: {together} threads on "
            f"{_cpus(sorted(may)) if may else counted(room, 'CPU')}. Fewer threads there help: "
            "OMP_MAX_ACTIVE_LEVELS=1, or the library's own setting, such as OPENBLAS_NUM_THREADS=1."
        )


def _is_around(outer: Region, region: Region) -> bool:
    if region.parent is not None:
        return region.parent == outer.id
    primary = region.threads[0] if region.threads else None
    return (
        region.runtime != outer.runtime
        and (outer.team_size or 1) > 1
        and primary is not None
        and primary in outer.threads
        and set(region.threads) & set(outer.threads) == {primary}
    )


def _too_many(facts: Facts, cpus: CpuFacts, is_said: bool) -> Iterator[str]:
    """Say that more threads work or spin than there are CPUs, and who lets them spin. IS_SAID tells
    that it is known of a team already that it has one. Idle threads hold up nobody for long."""
    is_omp = {t.gdb_num for t in facts.threads if t.is_omp and t.wait.kind not in POOL}
    wanting = [number for number in cpus.on_cpu if number in is_omp]
    may = sorted({cpu for number, own in cpus.masks if number in is_omp for cpu in own})
    quota = None if cpus.quota is None else cpus.quota / 100
    limited = quota is not None and quota < len(may)
    room = quota if limited and quota is not None else len(may)
    # Those that sleep when they wait have a CPU only until they do so.
    sleep = any(setting.startswith("OMP_WAIT_POLICY=") for setting in cpus.waiting)
    waiting = {t.gdb_num for t in facts.threads if t.wait.kind is not None and not sleep}
    spinning = [number for number in wanting if number in waiting]
    delay = _delay(facts, is_omp, room)
    if not may or (is_said and not spinning):
        return
    where = f"the time of {_number(room)} (its control group's quota)" if limited else _cpus(may)
    if len(is_omp) <= room:
        yield from _beside(facts, cpus, is_omp, room, where)
    elif len(wanting) > room and (spinning or delay or len(wanting) > 2 * room):
        may_use = f"may use {where}" if limited else f"may run on {where} only"
        more = _spin(spinning, cpus) or (f": {delay}" if delay else "")
        yield f"{len(wanting)} threads work or spin, but the process {may_use}{more}."
    elif delay and wanting:
        yield f"{len(is_omp)} threads share {where}: {delay}."


def _beside(
    facts: Facts, cpus: CpuFacts, is_omp: set[int], room: float, where: str
) -> Iterator[str]:
    """Say that threads of the process outside of OpenMP take CPUs from its teams' threads."""
    outside = {t.gdb_num for t in facts.threads if not t.is_omp} & set(cpus.on_cpu)
    masks = dict(cpus.masks)
    may = {cpu for number in is_omp for cpu in masks.get(number, ())}
    beside = {number for number in outside if may.intersection(masks.get(number, ()))}
    delay = _delay(facts, is_omp | beside, room)
    if is_omp and beside and delay:
        outside_too = "1 is" if len(beside) == 1 else f"{len(beside)} are"
        yield (
            f"{len(is_omp | beside)} threads share {where}, of which {outside_too} outside of "
            f"OpenMP: {delay}."
        )


def _delay(facts: Facts, numbers: Container[int], room: float) -> Optional[str]:
    """Say how much of the time that threads were ready they have waited for a CPU; None for little,
    or where it is not known. So many that there was no ROOM for all were ready at a time: if not,
    other programs had the CPUs."""
    used, since = _times(facts)
    own = [each for each in used if each.gdb_num in numbers]
    run, delayed = sum(each.run for each in own), sum(each.delayed for each in own)
    longest = max((each.run + each.delayed for each in own), default=0)
    if run < LEAST_TIME or delayed < MUCH * (run + delayed) or run + delayed <= room * longest:
        return None
    share = 100 * delayed // (run + delayed)
    return f"they have waited for a CPU {share} % of the time that they were ready, {since}"


def _times(facts: Facts) -> tuple[Sequence[Used], str]:
    """Return what threads have used, and since when."""
    if facts.used:
        return facts.used, "since the last stop"
    return facts.so_far, "since they began"


def imbalance(facts: Facts) -> Iterator[str]:
    """Say that one thread of a team has used nearly all of the processor time of its team, since the
    last stop or, where the others wait for it now, at all. What it used may be of before the region,
    too: that is no less a cause."""
    times_used, since = _times(facts)
    used = {each.gdb_num: each for each in times_used}
    for members in _teams(facts):
        if any(thread.gdb_num not in used for thread in members):
            continue
        at, *others = sorted(members, key=lambda thread: -used[thread.gdb_num].run)
        most = used[at.gdb_num].run
        total = most + sum(used[thread.gdb_num].run for thread in others)
        if total < LEAST_TIME or most < MOST_OF_IT * total or at.wait.kind is not None:
            continue
        if at.is_held_up:  # what it uses the time for is no work
            continue
        share = (
            f"{named([at.gdb_num])} has used {100 * most // total} % of the processor time of the "
            f"{len(members)} threads of its team {since} ({most / 1e9:.1f} s of {total / 1e9:.1f} s)"
        )
        if all(thread.wait.kind is not None for thread in others):
            # What the primary thread has done before the first region is no fault of its team.
            before = not facts.used and at.thread_num == 0
            yield f"{share}: " + (
                "some of it before the region, or the others have too little work."
                if before
                else "the others have no work, or too little."
            )
        elif facts.used and facts.scheduler_locking is None and _had_cpus(others, used, most):
            yield f"{share}: the others have waited, or have too little work."


def _had_cpus(threads: Sequence[At], used: Mapping[int, Used], time: int) -> bool:
    """Tell whether THREADS had CPUs when they wanted to, so that these are not what they lacked."""
    return sum(used[thread.gdb_num].delayed for thread in threads) < time


def rejected(facts: Facts) -> Iterator[str]:
    """Say which values of the environment the runtime does not take."""
    for each in facts.rejected:
        force = f": {each.in_force}" if each.in_force else ""
        yield f'The runtime rejected {each.name}="{each.value}" of the environment{force}.'


def _spin(spinning: Sequence[int], cpus: CpuFacts) -> str:
    if not spinning:
        return ""
    policy = f" ({', '.join(cpus.spinning)})" if cpus.spinning else ""
    one = len(spinning) == 1
    wait, take = ("waits", "takes") if one else ("wait", "take")
    return (
        f": {len(spinning)} of them {wait} actively{policy} and {take} time from those that "
        f"{'it waits' if one else 'they wait'} for; "
        "OMP_WAIT_POLICY=passive or fewer threads help"
    )


def _cpus(numbers: Sequence[int]) -> str:
    return f"CPU{'s' if len(numbers) > 1 else ''} {ranges(numbers)}"


def _number(room: float) -> str:
    return counted(int(room), "CPU") if room == int(room) else f"{room:.2f} CPUs"
