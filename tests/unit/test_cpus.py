# SPDX-License-Identifier: Apache-2.0
"""What is concluded from the CPUs that threads may run on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from gdb_ompd.explain.facts import At, Facts
from gdb_ompd.explain.verdict import explain
from gdb_ompd.model import Region
from gdb_ompd.model.cpus import CpuFacts, Rejected, Used
from gdb_ompd.model.waits import Kind, Wait

SPREAD = ("OMP_PROC_BIND=spread", "OMP_PLACES=cores")
ACTIVE = ("OMP_WAIT_POLICY=active",)
BARRIER = Wait(Kind.EXPLICIT_BARRIER)


def notes(cpus: CpuFacts | None, waiting: int = 0, threads: int = 4) -> list[str]:
    """Return what is said below the verdict of a team of which some wait at a barrier."""
    return list(explain(team(waiting, threads)._replace(cpus=cpus)).notes)


def team(waiting: int, threads: int = 4) -> Facts:
    """Return the facts of a team, the last threads of which wait at a barrier."""
    numbers = range(1, threads + 1)
    region = Region(1, 1, None, 1, 1, threads, False, "main", "a.c", 3, tuple(numbers))
    members = [
        At(
            n,
            wait=BARRIER if n > threads - waiting else Wait(),
            thread_num=n - 1,
            region=1,
            team_size=threads,
        )
        for n in numbers
    ]
    return Facts(tuple(members), (region,))


def masks(*cpus: tuple[int, ...]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    return tuple(enumerate(cpus, 1))


@pytest.mark.parametrize(
    "facts, who",
    [
        (CpuFacts(masks(*[(3,)] * 4), of_parent=(3,)), "so may the process that started this one"),
        (
            CpuFacts(masks(*[(3,)] * 4), of_parent=(0, 3), binding=SPREAD, processors=1),
            "maybe itself under OMP_PROC_BIND=spread, OMP_PLACES=cores (inferred)",
        ),
        (
            CpuFacts(masks(*[(3,)] * 4), of_parent=(0, 3), binding=SPREAD, processors=2),
            "the runtime has bound them (OMP_PROC_BIND=spread, OMP_PLACES=cores; inferred)",
        ),
        (CpuFacts(masks(*[(3,)] * 4), of_parent=(0, 3), processors=1), "(num-procs-var is 1)."),
    ],
)
def test_who_has_a_team_share_one_cpu(facts: CpuFacts, who: str) -> None:
    (note,) = notes(facts)
    assert note.startswith("All 4 threads of the team may run on CPU 3 only, and take turns there")
    assert who in note


def test_threads_that_spin_for_cpus_that_others_need() -> None:
    every = (1, 2, 3, 4)
    assert notes(CpuFacts(masks(*[(0, 1)] * 4), every, spinning=ACTIVE), waiting=3) == [
        "4 threads work or spin, but the process may run on CPUs 0-1 only: 3 of them wait actively "
        "(OMP_WAIT_POLICY=active) and take time from those that they wait for; "
        "OMP_WAIT_POLICY=passive or fewer threads help."
    ]
    passive = ("OMP_WAIT_POLICY=passive",)
    assert notes(CpuFacts(masks(*[(0, 1)] * 4), every, waiting=passive), waiting=3) == []
    (quota,) = notes(CpuFacts(masks(*[(0, 1, 2, 3)] * 4), every, 150), waiting=2)
    assert "may use the time of 1.50 CPUs (its control group's quota): 2 of them wait" in quota
    assert notes(CpuFacts(masks(*[(0, 1)] * 12), tuple(range(1, 13))), threads=12) == [
        "12 threads work or spin, but the process may run on CPUs 0-1 only."
    ]


def test_threads_that_are_bound_to_one_cpu_while_another_is_free() -> None:
    facts = CpuFacts(masks((0,), (0,), (1,), (2,)), of_parent=(0, 1, 2, 3))
    assert notes(facts) == ["GDB threads 1-2 are bound to CPU 0 while no thread is bound to CPU 3."]


def test_threads_that_are_bound_to_one_core_while_another_is_free() -> None:
    cores = ((0, 0), (1, 1), (4, 0), (5, 1), (2, 2), (6, 2))
    facts = CpuFacts(masks((0,), (4,), (1,)), of_parent=(0, 1, 2, 4, 5, 6), cores=cores)
    assert notes(facts, threads=3) == [
        "GDB threads 1-2 are bound to CPUs 0,4 (one core) while no thread is bound to CPUs 2,6."
    ]
    unbound = facts._replace(masks=masks((0,), (4,), (0, 1, 2, 4, 5, 6)))
    assert [note[:33] for note in notes(unbound, threads=3)] == [
        "GDB threads 1-2 are bound to CPUs"
    ]
    assert not notes(facts._replace(masks=masks((0,), (4,), (0, 1), (0, 1))))
    free = facts._replace(masks=masks((0,), (1,), (2,)))
    assert notes(free, threads=3) == []


def nested(sizes: Sequence[int], runtimes: bool, room: int) -> list[str]:
    """Return what is said of a team whose members have begun teams of these SIZES, maybe of another
    runtime than its own, on so many CPUs."""
    outer = Region(
        1, 1, None, 1, 1, len(sizes), False, "main", "a.c", 3, tuple(range(1, 1 + len(sizes)))
    )
    outer = outer._replace(runtime="libomp.so" if runtimes else None)
    regions, number = [outer], len(sizes)
    for n, size in enumerate(sizes, 1):
        own = tuple(range(number + 1, number + size))
        number += size - 1
        parent, runtime = (None, "libgomp.so") if runtimes else (1, None)
        level = 1 if runtimes else 2
        one = Region(n + 1, n + 1, parent, level, level, size, False, "gemm", "b.c", 7, (n, *own))
        regions.append(one._replace(runtime=runtime))
    threads = tuple(At(n) for n in range(1, number + 1))
    facts = Facts(threads, tuple(regions), cpus=CpuFacts((), processors=room))
    return [note for note in explain(facts).notes if "begun teams" in note]


def test_teams_inside_of_a_team_have_too_many_threads_together() -> None:
    for runtimes in (False, True):
        (note,) = nested([4, 4], runtimes, 4)
        assert note.startswith(
            "2 threads of the team of 2 at a.c:3 have begun teams of 4 inside at b.c:7: 8 threads on "
            "4 CPUs. Fewer threads there help: OMP_MAX_ACTIVE_LEVELS=1"
        )
    assert nested([4, 4], False, 8) == nested([1, 1], False, 1) == nested([4, 1], False, 2) == []


@pytest.mark.parametrize(
    "waiting, used, said",
    [
        (3, (950, 10, 20, 20), "GDB thread 1 has used 95 % of the processor time of the 4 threads"),
        (3, (700, 100, 100, 100), None),
        (2, (950, 10, 20, 20), "GDB thread 1 has used 95 % of the processor time of the 4 threads"),
        (3, (40, 0, 0, 0), None),  # too short
        (3, (950, 10, 20), None),  # one was not there
    ],
)
def test_one_thread_has_nearly_all_of_the_teams_time(
    waiting: int, used: Sequence[int], said: str | None
) -> None:
    facts = team(waiting)._replace(
        used=tuple(Used(n, milliseconds * 1_000_000) for n, milliseconds in enumerate(used, 1))
    )
    found = [note for note in explain(facts).notes if "processor time" in note]
    assert [note[: len(said or "")] for note in found] == ([said] if said else [])


def test_what_one_thread_has_used_says_nothing_of_those_that_gdb_held_or_had_no_cpu() -> None:
    busy = (Used(1, 950_000_000), *(Used(n, 10_000_000) for n in (2, 3, 4)))
    facts = team(0)._replace(used=busy)
    (note,) = explain(facts).notes
    assert note.endswith("the others have waited, or have too little work.")
    without_cpus = (*busy[:3], Used(4, 10_000_000, 990_000_000))
    for other in (facts._replace(scheduler_locking="on"), facts._replace(used=without_cpus)):
        assert not [note for note in explain(other).notes if "processor time" in note]


def test_a_thread_that_spins_has_not_the_work_of_its_team() -> None:
    facts = team(3)
    busy = (Used(1, 950_000_000), *(Used(n, 10_000_000) for n in (2, 3, 4)))
    working, *others = facts.threads
    for at in (working, working._replace(polls=("flag",)), working._replace(endless=True)):
        found = explain(facts._replace(threads=(at, *others), used=busy)).notes
        assert any("processor time" in note for note in found) is (at == working)


def test_who_sleeps_now_is_not_said_to_have_waited_for_a_cpu() -> None:
    delayed = tuple(Used(n, 100_000_000, 900_000_000) for n in range(1, 5))
    facts = team(4)._replace(used=delayed)
    for busy in ((1, 2), ()):
        cpus = CpuFacts(masks(*[(0, 1)] * 4), busy)
        found = explain(facts._replace(cpus=cpus)).notes
        assert any("have waited for a CPU" in note for note in found) is bool(busy)


def test_threads_outside_of_openmp_take_its_threads_cpus() -> None:
    facts = team(0, 2)
    busy = tuple(Used(n, 100_000_000, 300_000_000) for n in (1, 2, 3, 4))
    outside = (At(3, is_omp=False), At(4, is_omp=False))
    both = masks((0, 1), (0, 1), (0, 1), (2,))  # the last takes no CPU from them
    own = facts._replace(threads=(*facts.threads, *outside), used=busy)
    (note,) = explain(own._replace(cpus=CpuFacts(both, (1, 2, 3, 4)))).notes
    assert note == (
        "3 threads share CPUs 0-1, of which 1 is outside of OpenMP: they have waited for a CPU 75 % "
        "of the time that they were ready, since the last stop."
    )
    for asleep in (CpuFacts(both, (1, 2)), CpuFacts(masks((0, 1), (0, 1), (2,), (2,)), (1, 2, 3))):
        assert explain(own._replace(cpus=asleep)).notes == ()


def test_what_the_runtime_rejected_is_said() -> None:
    facts = team(0)._replace(
        rejected=(Rejected("OMP_PLACES", "core"), Rejected("A", "b", "c is 1"))
    )
    assert explain(facts).notes == (
        'The runtime rejected OMP_PLACES="core" of the environment.',
        'The runtime rejected A="b" of the environment: c is 1.',
    )


@pytest.mark.parametrize(
    "cpus",
    [
        None,
        CpuFacts(masks(*[(0, 1)] * 4), (1, 2, 3, 4)),  # at most two for each CPU, and nobody spins
        CpuFacts(masks((0,), (1,), (2,), (3,)), (1, 2, 3, 4), of_parent=(0, 1, 2, 3)),
        CpuFacts(masks(*[(0, 1, 2, 3)] * 4), (1, 2, 3, 4), 400),
    ],
)
def test_nothing_is_said_where_nothing_is_the_matter(cpus: CpuFacts | None) -> None:
    assert notes(cpus) == []


def test_a_deadlock_is_not_for_want_of_cpus() -> None:
    facts = CpuFacts(masks(*[(3,)] * 4), (1, 2, 3, 4), of_parent=(3,))
    ended = Facts((At(1, wait=BARRIER, thread_num=0),), cpus=facts)
    assert all("CPU" not in note for note in explain(ended).notes)


SECOND = 1_000_000_000
TWO = CpuFacts(masks(*[(0, 1)] * 4))


def of_times(waiting: int, *times: tuple[float, float], last: bool = False) -> list[str]:
    """Return what is said of a team on two CPUs, the last threads of which wait, by the seconds that
    each has run and wanted to: so far, or since the LAST stop."""
    used = tuple(Used(n, int(r * SECOND), int(d * SECOND)) for n, (r, d) in enumerate(times, 1))
    facts = team(waiting, len(times))._replace(cpus=TWO._replace(on_cpu=(1, 2, 3)))
    return list(explain(facts._replace(**{"used" if last else "so_far": used})).notes)


def test_threads_that_wait_for_cpus_are_said_to_at_the_first_stop() -> None:
    shared = "they have waited for a CPU 50 % of the time that they were ready, since they began."
    only = "3 threads work or spin, but the process may run on CPUs 0-1 only: "
    assert of_times(0, *[(1, 1)] * 3) == [only + shared]
    assert of_times(0, *[(1, 1)] * 3, last=True) == [
        only + shared.replace("they began", "the last stop")
    ]
    assert of_times(0, *[(1, 0.1)] * 3) == []  # there was room
    assert of_times(0, *[(0.001, 0.01)] * 3) == []  # too little to tell


def test_where_other_programs_have_the_cpus_the_team_is_not_blamed() -> None:
    assert not any("waited for a CPU" in note for note in of_times(3, (1, 9), *[(0, 0.1)] * 3))


def test_an_imbalance_is_said_at_the_first_stop_and_of_what() -> None:
    of_first = of_times(3, (9.7, 0), *[(0.1, 0)] * 3)
    assert of_first[-1:] == [
        "GDB thread 1 has used 97 % of the processor time of the 4 threads of its team since they"
        " began (9.7 s of 10.0 s): some of it before the region, or the others have too little work."
    ]
    of_last = of_times(3, (9.7, 0), *[(0.1, 0)] * 3, last=True)
    assert of_last[-1].endswith("the others have no work, or too little.")


@pytest.mark.parametrize("mode, does", [("on", "go on"), ("step", "step"), (None, None)])
def test_scheduler_locking_is_in_the_verdict(mode: str | None, does: str | None) -> None:
    text = explain(team(0)._replace(scheduler_locking=mode)).text
    assert (
        f"but 'set scheduler-locking {mode}' lets the selected thread alone {does}" in text
    ) == (mode is not None)
