# SPDX-License-Identifier: Apache-2.0
"""What is concluded from the CPUs that threads may run on."""

from __future__ import annotations

import pytest
from gdb_ompd.explain.facts import At, Facts
from gdb_ompd.explain.verdict import explain
from gdb_ompd.model import Region
from gdb_ompd.model.cpus import CpuFacts
from gdb_ompd.model.waits import Kind, Wait

SPREAD = ("OMP_PROC_BIND=spread", "OMP_PLACES=cores")
ACTIVE = ("OMP_WAIT_POLICY=active",)
BARRIER = Wait(Kind.EXPLICIT_BARRIER)


def notes(cpus: CpuFacts | None, waiting: int = 0, threads: int = 4, **more: str) -> list[str]:
    """Return what is said below the verdict of a team of which some wait at a barrier."""
    numbers = range(1, threads + 1)
    region = Region(1, 1, None, 1, 1, threads, False, "main", "a.c", 3, tuple(numbers))
    team = [
        At(
            n,
            wait=BARRIER if n > threads - waiting else Wait(),
            thread_num=n - 1,
            region=1,
            team_size=threads,
        )
        for n in numbers
    ]
    return list(explain(Facts(tuple(team), (region,), cpus=cpus)).notes)


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
    (quota,) = notes(CpuFacts(masks(*[(0, 1, 2, 3)] * 4), every, 150), waiting=2)
    assert "may use the time of 1.50 CPUs (its control group's quota): 2 of them wait" in quota
    assert notes(CpuFacts(masks(*[(0, 1)] * 12), tuple(range(1, 13))), threads=12) == [
        "12 threads work or spin, but the process may run on CPUs 0-1 only."
    ]


def test_threads_that_are_bound_to_one_cpu_while_another_is_free() -> None:
    facts = CpuFacts(masks((0,), (0,), (1,), (2,)), of_parent=(0, 1, 2, 3))
    assert notes(facts) == ["GDB threads 1-2 are bound to CPU 0 while no thread is bound to CPU 3."]


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
