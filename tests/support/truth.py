# SPDX-License-Identifier: Apache-2.0
"""What a test program recorded about itself at one stop, as typed values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

THREAD_KINDS = ("initial", "worker", "native")
CONSTRUCT_KINDS = ("initial", "parallel", "task", "teams")
TASK_KINDS = {
    "initial": "initial",
    "parallel": "implicit",
    "task": "explicit",
    "teams": "initial",
}


@dataclass(frozen=True)
class Construct:
    """One construct the program met; PARENT is the one whose task met it."""

    number: int
    kind: str
    parent: Optional[int]
    made_by: int  # the LWP of the thread that met it
    file: str
    function: str
    line: int
    final: bool

    @property
    def task_kind(self) -> str:
        return TASK_KINDS[self.kind]


@dataclass(frozen=True)
class Slot:
    """One thread's record. ANSWERS are what omp_get_* returned."""

    gdb_num: int
    lwp: int
    pthread_id: int
    kind: str
    idle: bool
    chain: tuple[Construct, ...]  # innermost first, the initial task last
    scheduling: Optional[Construct]
    state: str
    location_function: str
    location_line: int
    answers: dict[str, Any]

    @property
    def scheduling_depth(self) -> Optional[int]:
        """Return the depth of the task that was suspended for the current one.

        Members of a team have an implicit task each: that of this thread is in the
        chain only if this thread made the explicit task below which it stands there.
        What is in no chain comes after it.
        """
        if self.scheduling is None:
            return None
        numbers = [construct.number for construct in self.chain]
        if self.scheduling.number in numbers:
            depth = numbers.index(self.scheduling.number)
            if self.chain[depth].kind == "task" or self.chain[depth - 1].made_by == self.lwp:
                return depth
        return len(self.chain)

    @property
    def in_openmp(self) -> bool:
        """Return whether the thread executes a task now."""
        return self.kind != "native" and not self.idle

    @property
    def team_size(self) -> int:
        """Return omp_get_num_threads(). In a team of a league, outside of regions,
        libomp's answer is how many threads a region there would get; its
        omp_get_team_size(0), which is the membership, answers 1."""
        return int(self.answers["num_threads"])

    @property
    def memberships(self) -> list[list[int]]:
        """Return thread number and team size of every level, innermost first."""
        numbers, sizes = self.answers["ancestor_thread_num"], self.answers["team_size"]
        return [[numbers[n], sizes[n]] for n in range(self.answers["level"], -1, -1)]


@dataclass(frozen=True)
class Region:
    """One parallel region that is being executed."""

    construct: Construct
    level: int
    active_level: int
    team_size: int
    parent: Optional[int]  # the construct number of the region around it
    threads: tuple[Optional[int], ...]  # gdb's numbers by OpenMP thread number


@dataclass(frozen=True)
class Stop:
    """One stop: the program's record, gdb's threads, and what gdb-ompd said."""

    mode: str
    number: int
    selected: int
    gdb_nums: frozenset[int]
    slots: tuple[Slot, ...]
    said: dict[str, Any]
    functions: dict[int, dict[str, Any]]  # answers by call, by gdb's number

    def regions(self) -> dict[int, Region]:
        """Return the live regions by construct number."""
        found: dict[int, Region] = {}
        for slot in (slot for slot in self.slots if slot.in_openmp):
            for region in _regions_of(slot):
                known = found.get(region.construct.number, region)
                found[region.construct.number] = _merge(known, region)
        return found


def _regions_of(slot: Slot) -> Iterator[Region]:
    """Yield the regions SLOT's thread is in; each names that thread if it is a member itself.

    The thread of number n at an outer level is the one that has number 0 in
    all the regions it began since.
    """
    constructs = [construct for construct in slot.chain if construct.kind == "parallel"]
    numbers, sizes = slot.answers["ancestor_thread_num"], slot.answers["team_size"]
    for depth, construct in enumerate(constructs):
        level = len(constructs) - depth
        threads: list[Optional[int]] = [None] * sizes[level]
        if all(numbers[inner] == 0 for inner in range(level + 1, len(constructs) + 1)):
            threads[numbers[level]] = slot.gdb_num
        active = sum(sizes[outer] > 1 for outer in range(1, level + 1))
        parent = constructs[depth + 1].number if depth + 1 < len(constructs) else None
        yield Region(construct, level, active, sizes[level], parent, tuple(threads))


def _merge(one: Region, other: Region) -> Region:
    if (one.level, one.team_size) != (other.level, other.team_size):
        raise ValueError(f"two records disagree on the region at line {one.construct.line}")
    threads = tuple(a if a is not None else b for a, b in zip(one.threads, other.threads))
    return Region(one.construct, one.level, one.active_level, one.team_size, one.parent, threads)


def read_stops(path: Path) -> tuple[list[Stop], Optional[int]]:
    """Return the stops in a file that the driver wrote, and the program's exit code."""
    stops, exit_code = [], None
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if "exit_code" in record:
            exit_code = record["exit_code"]
        else:
            stops.append(_stop(record))
    return stops, exit_code


def _stop(record: dict[str, Any]) -> Stop:
    truth = record["truth"]
    constructs = [_construct(number, raw) for number, raw in enumerate(truth["constructs"])]
    threads = record["gdb_threads"]
    alive = [raw for raw in truth["slots"] if not raw["ended"]]
    slots = [_slot(raw, constructs, _gdb_num(raw, threads)) for raw in alive]
    recorded = {slot.gdb_num for slot in slots}
    slots += [_never_used(thread) for thread in threads if thread["gdb_num"] not in recorded]
    return Stop(
        mode=record["mode"],
        number=truth["stop"],
        selected=record["selected"],
        gdb_nums=frozenset(thread["gdb_num"] for thread in threads),
        slots=tuple(slots),
        said=record["said"],
        functions={int(number): answers for number, answers in record.get("functions", {}).items()},
    )


def _never_used(thread: dict[str, int]) -> Slot:
    """Return the record of a thread that made none: a worker that never had work.

    Every thread that a program makes itself records what it is.
    """
    return Slot(
        gdb_num=thread["gdb_num"],
        lwp=thread["lwp"],
        pthread_id=thread["pthread_id"],
        kind="worker",
        idle=True,
        chain=(),
        scheduling=None,
        state="idle",
        location_function="",
        location_line=0,
        answers={},
    )


def _gdb_num(raw: dict[str, Any], threads: list[dict[str, int]]) -> int:
    """Return gdb's number for a record: by LWP, or by pthread where LWPs are not the same."""
    for key in ("lwp", "pthread_id"):
        for thread in threads:
            if thread[key] == raw[key]:
                return thread["gdb_num"]
    raise ValueError(f"gdb has no thread with LWP {raw['lwp']}")


def _construct(number: int, raw: dict[str, Any]) -> Construct:
    return Construct(
        number=number,
        kind=CONSTRUCT_KINDS[raw["kind"]],
        parent=None if raw["parent"] < 0 else raw["parent"],
        made_by=raw["made_by"],
        file=raw["file"],
        function=raw["function"],
        line=raw["line"],
        final=bool(raw["final"]),
    )


def _slot(raw: dict[str, Any], constructs: list[Construct], gdb_num: int) -> Slot:
    chain = []
    number: Optional[int] = raw["construct"] if raw["construct"] >= 0 else None
    while number is not None:
        chain.append(constructs[number])
        number = constructs[number].parent
    return Slot(
        gdb_num=gdb_num,
        lwp=raw["lwp"],
        pthread_id=raw["pthread_id"],
        kind=THREAD_KINDS[raw["thread_kind"]],
        idle=bool(raw["idle"]),
        chain=tuple(chain),
        scheduling=None if raw["scheduling"] < 0 else constructs[raw["scheduling"]],
        state=raw["state"],
        location_function=raw["location_function"],
        location_line=raw["location_line"],
        answers=raw,
    )


# OMPT lets a runtime use the general name of a state; libomp 14 does for barriers.
_GENERAL_STATES = {
    "wait_barrier_explicit": {"wait_barrier"},
    "wait_barrier_implicit_parallel": {"wait_barrier", "wait_barrier_implicit"},
    "wait_barrier_implicit_workshare": {"wait_barrier", "wait_barrier_implicit"},
}


def same_state(said: Optional[str], truth: str) -> Optional[str]:
    """Return TRUTH where SAID is a name that a runtime may use for it, else SAID."""
    return truth if said in _GENERAL_STATES.get(truth, ()) else said
