# SPDX-License-Identifier: Apache-2.0
"""Which task and region each answer of gdb_ompd.inquiry is of: identity, function, frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

from support.inquiry import all_right, numbered_regions, openmp_slots
from support.truth import Construct, Stop


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
