# SPDX-License-Identifier: Apache-2.0
"""Every answer of gdb_ompd.inquiry is what the program, gdb or libompd itself says, and of the
task and region that it is said of: identity, function, frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

from support.inquiry import (
    all_right,
    construct_of,
    described,
    numbered_regions,
    openmp_slots,
    stops_of,
)
from support.truth import Construct, Slot, Stop

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


# Of which task and region.


def task_identities(stop: Stop) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield which task each is (construct, thread number in its region) and its identity.

    An implicit task below another task is that of the thread which made the latter.
    """
    numbers: dict[int, Any] = {
        slot.lwp: slot.answers.get("ancestor_thread_num") for slot in stop.slots
    }
    for slot in openmp_slots(stop):
        level = sum(construct.kind == "parallel" for construct in slot.chain)
        rows = stop.said["first"]["tasks"][str(slot.gdb_num)]
        whose = [slot.lwp, *(construct.made_by for construct in slot.chain)]
        for row, task, lwp in zip(rows, slot.chain, whose):
            thread_num = 0
            if task.kind == "parallel":
                thread_num = numbers[lwp][level]
                level -= 1
            yield (task.number, thread_num), row["task_id"]


def test_identities_are_one_to_one_and_stay_while_it_lives(stops: tuple[Stop, ...]) -> None:
    """The same task has one identity in every chain and at every stop, no two share one."""
    known: dict[tuple[str, tuple[int, int]], int] = {}
    for stop in stops:
        here: dict[tuple[str, tuple[int, int]], int] = {}
        for region_id, region in numbered_regions(stop):
            key = ("region", (region.construct.number, 0))
            here[key] = stop.said["first"]["regions"][region_id]["parallel_id"]
        assert len(set(here.values())) == len(here), f"stop {stop.number}: regions share one"
        regions = len(here)
        for task, task_id in task_identities(stop):
            assert here.setdefault(("task", task), task_id) == task_id, f"{task} has two"
        assert len(here) > regions
        task_ids = [value for (kind, _), value in here.items() if kind == "task"]
        assert len(set(task_ids)) == len(task_ids), f"stop {stop.number}: tasks share one"
        for key, value in here.items():
            assert known.setdefault(key, value) == value, f"{key} changed while it lived"


def test_implicit_tasks_are_those_of_the_chains(stops: tuple[Stop, ...]) -> None:
    def facts(stop: Stop) -> Iterator[tuple[str, Any, Any]]:
        of_task = dict(task_identities(stop))
        yield f"stop {stop.number}: an initial task", (0, 0) in of_task, True
        for region_id, region in numbered_regions(stop):
            row = stop.said["first"]["regions"][region_id]
            where = f"stop {stop.number}, region {region_id}"
            said = [task and task["task_id"] for task in row["implicit_tasks"]]
            known = [task_id for task_id in said if task_id is not None]
            yield where + ": each thread's is its own", len(set(known)), len(known)
            for thread_num, task_id in enumerate(said):
                # No thread's chain holds that of a thread which executes another's task.
                truth = of_task.get((region.construct.number, thread_num))
                if truth is not None:
                    yield f"{where}, thread {thread_num}", task_id, truth

    all_right(fact for stop in stops for fact in facts(stop))


def test_functions_are_those_of_the_constructs(stops: tuple[Stop, ...]) -> None:
    """gdb finds the compiler's function at the address, and the construct's line.

    LLVM's runtime does not keep the function of a serialized region.
    """

    def facts(stop: Stop) -> Iterator[tuple[str, Any, Any]]:
        answers: list[tuple[str, Optional[int], Construct]] = []
        serialized = {n for n, region in stop.regions().items() if region.team_size == 1}
        for slot in openmp_slots(stop):
            rows = stop.said["first"]["tasks"][str(slot.gdb_num)]
            for depth, (row, task) in enumerate(zip(rows, slot.chain)):
                where = f"stop {stop.number}, thread {slot.gdb_num}, depth {depth}"
                answers.append((where, row["task_function"], task))
        for region_id, region in numbered_regions(stop):
            row = stop.said["first"]["regions"][region_id]
            where = f"stop {stop.number}, region {region_id}"
            answers.append((where, row["parallel_function"], region.construct))
        for where, address, construct in answers:
            if construct.kind == "initial":
                yield where, address, None
            elif address is not None or construct.number not in serialized:
                code = stop.said["functions"].get(str(address), {})
                made = ".omp_" in str(code.get("name"))
                said = (made, code.get("begins"), code.get("line"))
                yield where, said, (True, address, construct.line)

    all_right(fact for stop in stops for fact in facts(stop))


def test_frames_are_frames_of_gdb(stops: tuple[Stop, ...]) -> None:
    """Each address is a frame's, and a thread's own go from new to old."""

    def facts(stop: Stop) -> Iterator[tuple[str, Any, Any]]:
        frames = stop.said["frames"]
        all_of_them = {frame["bp"] for thread in frames.values() for frame in thread}
        for slot in openmp_slots(stop):
            where = f"stop {stop.number}, thread {slot.gdb_num}"
            rows = stop.said["first"]["tasks"][str(slot.gdb_num)]
            own_stack = [frame["bp"] for frame in frames[str(slot.gdb_num)]]
            own: list[int] = []
            for depth, row in enumerate(rows):
                for side in ("enter", "exit"):
                    address = row["task_frame"][side]
                    if address is not None:
                        known = address in all_of_them
                        yield f"{where}, depth {depth}: {side} is a frame", known, True
                        own += [address] if address in own_stack else []
            yield f"{where}: from new to old", own, sorted(own)
            if slot.state.startswith("work"):
                yield f"{where}: enter in user code", rows[0]["task_frame"]["enter"], None
            initial = rows[-1]["task_frame"]["exit"]
            yield f"{where}: an initial task's exit", initial, None
            if slot.chain[0].kind == "parallel":
                # At the region's end the task has left its function.
                ends = slot.state == "wait_barrier_implicit_parallel"
                leaves = rows[0]["task_frame"]["exit"] in own_stack
                yield f"{where}: its implicit task's exit is its own frame", leaves, not ends

    all_right(fact for stop in stops for fact in facts(stop))
