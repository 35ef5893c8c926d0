# SPDX-License-Identifier: Apache-2.0
"""Every answer of gdb_ompd.inquiry is what the program, gdb or libompd itself says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from support.inquiry import (
    all_right,
    construct_of,
    described,
    numbered_regions,
    openmp_slots,
    stops_of,
)
from support.truth import Slot, Stop

KINDS = {1: "static", 2: "dynamic", 3: "guided", 4: "auto"}
BINDINGS = ("false", "true", "primary", "close", "spread")
# What libomp 14 calls by the general name, as OMPT allows.
GENERAL_STATES = {
    "wait_barrier_explicit": "wait_barrier",
    "wait_barrier_implicit_parallel": "wait_barrier_implicit",
    "wait_barrier_implicit_workshare": "wait_barrier",
}


def thread_facts(stop: Stop) -> Iterator[tuple[str, Any, Any]]:
    id_of = {region.construct.number: int(i) for i, region in numbered_regions(stop)}
    rows = stop.said["first"]["threads"]
    listed = sorted(thread["gdb_num"] for thread in stop.said["first"]["process"]["threads"])
    yield "threads", listed, sorted(s.gdb_num for s in stop.slots if s.kind != "native")
    for slot in openmp_slots(stop):
        row, called = rows[str(slot.gdb_num)], stop.said["called"][str(slot.gdb_num)]
        where = f"stop {stop.number}, thread {slot.gdb_num}: "
        around = [c.number for c in slot.chain if c.kind == "parallel"]
        region = id_of[around[0]] if around else None
        yield where + "innermost_region", row["innermost_region"], region
        handle = row["thread_handle"]
        ids = {"pthread_id": slot.pthread_id, "lwp": slot.lwp}
        yield where + "thread_handle", (handle["kind"], handle["lwp"]), (slot.kind, slot.lwp)
        yield where + "osthread", row["osthread"], ids
        for name, routine in {
            "thread_limit": "omp_get_thread_limit",
            "max_threads": "omp_get_max_threads",
            "thread_num": "omp_get_thread_num",
            "in_parallel": "omp_in_parallel",
            "dynamic": "omp_get_dynamic",
            "nested": "omp_get_nested",
            "max_active_levels": "omp_get_max_active_levels",
        }.items():
            yield where + name, int(row[name]), called[routine]
        num_procs = stop.said["first"]["process"]["num_procs"]
        yield where + "num_procs", num_procs, called["omp_get_num_procs"]
        yield where + "proc_bind", row["proc_bind"], BINDINGS[called["omp_get_proc_bind"]]
        yield where + "schedule", schedule(row["schedule"]), schedule_truth(slot)
        yield where + "innermost_task", described(row["innermost_task"]), construct_of(
            slot.chain[0]
        )


def schedule(said: list[Any]) -> tuple[bool, str, int]:
    """Take the modifier off. No chunk is what omp_get_schedule calls 0, or 1."""
    modifier, _, kind = said[0].rpartition(":")
    none = int(kind in ("dynamic", "guided"))
    return modifier == "monotonic", kind, none if said[1] is None else said[1]


def schedule_truth(slot: Slot) -> tuple[bool, str, int]:
    answers = slot.answers
    kind = KINDS[answers["schedule_kind"]]
    return bool(answers["schedule_monotonic"]), kind, answers["schedule_chunk"]


def test_threads(stops: tuple[Stop, ...]) -> None:
    all_right(fact for stop in stops for fact in thread_facts(stop))


def test_states_and_waits(stops: tuple[Stop, ...], runtime: str) -> None:
    """Only a wait for a lock has an address; those for the same lock have the same."""

    def facts(stop: Stop) -> Iterator[tuple[str, Any, Any]]:
        locks: dict[int, set[int]] = {}
        for slot in stop.slots:
            if slot.kind == "native":
                continue
            state, address = stop.said["first"]["threads"][str(slot.gdb_num)]["state"]
            general = GENERAL_STATES.get(slot.state) if runtime == "14" else None
            truth = general if general is not None and state == general else slot.state
            where = f"stop {stop.number}, thread {slot.gdb_num}: "
            yield where + "state", state, truth
            yield where + "waits for a lock", bool(address), slot.state in (
                "wait_lock",
                "wait_critical",
            )
            if address:
                locks.setdefault(slot.location_line, set()).add(address)
        for line, addresses in locks.items():
            yield f"stop {stop.number}: locks waited for at line {line}", len(addresses), 1

    all_right(fact for stop in stops for fact in facts(stop))


def test_an_idle_worker_is_in_no_team(runtime: str) -> None:
    """What cannot be known is None, not words that say so."""

    def facts(stop: Stop) -> Iterator[tuple[str, Any, Any]]:
        for slot in stop.slots:
            if slot.idle:
                row = stop.said["first"]["threads"][str(slot.gdb_num)]
                where = f"stop {stop.number}, idle thread {slot.gdb_num}: "
                yield where + "kind", row["thread_handle"]["kind"], "worker"
                yield where + "lwp", row["osthread"]["lwp"], slot.lwp
                yield where + "state", row["state"][0], "idle"
                yield where + "task", row["innermost_task"], "NotFound raised"
                for name in ("innermost_region", "thread_num", "in_parallel"):
                    yield where + name, row[name], None
                bound, chosen = row["proc_bind"], row["schedule"]
                kind = None if chosen is None else schedule(chosen)[1]
                yield f"{where}proc_bind {bound}", bound in (None, *BINDINGS), True
                yield f"{where}schedule {chosen}", kind in (None, *KINDS.values()), True

    both = (*stops_of("idle.c", runtime), *stops_of("task_regions.c", runtime))
    all_right(fact for stop in both for fact in facts(stop))


def test_regions(stops: tuple[Stop, ...]) -> None:
    def facts(stop: Stop) -> Iterator[tuple[str, Any, Any]]:
        numbered = dict(numbered_regions(stop))
        id_of = {region.construct.number: int(i) for i, region in numbered.items()}
        yield f"stop {stop.number}: how many", len(numbered), len(stop.regions())
        for region_id, region in numbered.items():
            row = stop.said["first"]["regions"][region_id]
            where = f"stop {stop.number}, region {region_id}: "
            parent = None if region.parent is None else id_of[region.parent]
            yield where + "threads_in_region", row["threads_in_region"], list(region.threads)
            yield where + "enclosing_region", row["enclosing_region"], parent
            yield where + "num_threads", row["num_threads"], region.team_size
            yield where + "level", row["level"], region.level
            yield where + "active_level", row["active_level"], region.active_level
            implicit = row["implicit_tasks"]
            members = [task and task["gdb_num"] for task in implicit]
            yield where + "implicit_tasks' threads", members, list(region.threads)
            made = {described(task) for task in implicit if task is not None}
            yield where + "implicit_tasks' construct", made, {construct_of(region.construct)}

    all_right(fact for stop in stops for fact in facts(stop))


def test_tasks(stops: tuple[Stop, ...]) -> None:
    def facts(stop: Stop) -> Iterator[tuple[str, Any, Any]]:
        for slot in openmp_slots(stop):
            rows = stop.said["first"]["tasks"][str(slot.gdb_num)]
            yield f"stop {stop.number}, thread {slot.gdb_num}: tasks", len(rows), len(slot.chain)
            called = stop.said["called"][str(slot.gdb_num)]
            yield "in_final of the current task", int(rows[0]["in_final"]), called["omp_in_final"]
            ancestors = [*map(construct_of, slot.chain[1:]), None]
            for depth, (row, task, older) in enumerate(zip(rows, slot.chain, ancestors)):
                where = f"stop {stop.number}, thread {slot.gdb_num}, depth {depth}: "
                yield where + "ancestor_task", described(row["ancestor_task"]), older
                yield where + "in_final", row["in_final"], task.final

    all_right(fact for stop in stops for fact in facts(stop))


def test_a_second_look_says_the_same(stops: tuple[Stop, ...]) -> None:
    for stop in stops:
        assert stop.said["again"] == stop.said["first"]


def test_what_is_not_there_is_not_found(stops: tuple[Stop, ...]) -> None:
    for stop in stops:
        beyond = stop.said["first"]["beyond"]
        answers = {
            f"{kind}: {name}": said
            for kind in ("thread", "region")
            for name, said in beyond[kind].items()
        }
        for number, sides in beyond["task"].items():
            for side, row in zip(("before the first", "after the last"), sides):
                for name, said in row.items():
                    answers[f"{name}, thread {number}, {side}"] = said
        wrong = {what: said for what, said in answers.items() if said != "NotFound raised"}
        assert answers
        assert not wrong, "\n".join(f"{what}: {said}" for what, said in wrong.items())
