# SPDX-License-Identifier: Apache-2.0
"""Compare what gdb-ompd's JSON documents say at a stop with the program's record."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Any, Optional

from support.facts import Fact
from support.function_truth import function_facts
from support.icv_truth import icv_facts
from support.truth import Construct, Region, Slot, Stop, same_state

Document = dict[str, Any]


def stop_facts(stop: Stop) -> Iterator[Fact]:
    """Yield every fact of one stop."""
    where = f"{stop.mode} stop {stop.number}"
    documents: dict[str, Document] = {}
    yield from function_facts(where, stop)
    for command, answer in stop.said.items():
        yield Fact(where, command, "error", answer.get("error"), None)
        yield Fact(where, command, "selection kept", answer["selection_kept"], True)
        if "text" in answer:
            documents[command.split()[1]] = json.loads(answer["text"])
    compare: dict[str, Callable[[str, Stop, Document], Iterator[Fact]]] = {
        "threads": _thread_facts,
        "parallel": _region_facts,
        "tasks": _task_facts,
    }
    for name, facts in compare.items():
        if name in documents:
            yield from facts(where, stop, documents[name])
    if "icvs" in documents and "parallel" in documents:
        ids = {_key(row): row["id"] for row in documents["parallel"]["regions"]}
        yield from icv_facts(where, stop, documents["icvs"], ids)


def _function(said: Optional[str]) -> Optional[str]:
    """Return a C++ function's name as the programs record it: no parameters, no lambda's type."""
    if said is None:
        return None
    scope, operator, _ = said.rpartition("operator()")
    return operator if scope.endswith("::") or not scope and operator else said.split("(")[0]


def _file(said: Optional[str]) -> Optional[str]:
    return PurePath(said).name if said is not None else None


def _thread_facts(where: str, stop: Stop, document: Document) -> Iterator[Fact]:
    rows = {row["gdb_num"]: row for row in document["threads"]}
    listed = sorted(row["gdb_num"] for row in document["threads"])
    yield Fact(where, "threads", "schema", document["schema"], 1)
    yield Fact(where, "threads", "listed", listed, sorted(stop.gdb_nums))
    for slot in stop.slots:
        row = rows.get(slot.gdb_num)
        if row is not None:
            truth = _openmp_thread(slot) if slot.in_openmp else _thread_in_no_team(slot)
            said = _said_of_thread(row, slot)
            for name, value in truth.items():
                yield Fact(where, f"thread {slot.gdb_num}", name, said[name], value)


def _said_of_thread(row: Document, slot: Slot) -> Document:
    """Return ROW with its location taken apart; a line only where the program knows it."""
    location = row["location"] or {"function": None, "file": None, "line": None}
    return {
        **row,
        "state": same_state(row["state"], slot.state),
        "function": _function(location["function"]),
        "line": location["line"] if slot.location_line else 0,
    }


def _thread_in_no_team(slot: Slot) -> Document:
    """Return the truth of an idle worker, or of a thread that is not OpenMP's."""
    truth: Document = dict.fromkeys(
        ("thread_num", "team_size", "level", "active_level", "task", "error")
    )
    truth.update(
        lwp=slot.lwp,
        pthread_id=slot.pthread_id,
        kind=slot.kind,
        running=False,
        memberships=[],
        state="idle" if slot.idle else None,
        function=slot.location_function or None,
    )
    return truth


def _openmp_thread(slot: Slot) -> Document:
    answers = slot.answers
    return {
        "lwp": slot.lwp,
        "pthread_id": slot.pthread_id,
        "kind": slot.kind,
        "running": False,
        "thread_num": answers["thread_num"],
        "team_size": slot.team_size,
        "level": answers["level"],
        "active_level": answers["active_level"],
        "memberships": slot.memberships,
        "state": slot.state,
        "task": slot.chain[0].task_kind,
        "function": slot.location_function or None,
        "line": slot.location_line,
        "error": None,
    }


def _key(row: Document) -> tuple[int, Optional[int]]:
    """Identify a region: a thread is the primary one of only one region a level."""
    return row["level"], row["threads"][0] if row["threads"] else None


def _region_facts(where: str, stop: Stop, document: Document) -> Iterator[Fact]:
    # The programs record the regions of parallel constructs: no league.
    leagues = {row["id"]: None for row in document["regions"] if row["kind"] == "teams"}
    listed = [row for row in document["regions"] if row["id"] not in leagues]
    rows = {_key(row): row for row in listed}
    regions = {(r.level, r.threads[0]): r for r in stop.regions().values()}
    yield Fact(where, "regions", "schema", document["schema"], 1)
    said = sorted(map(_key, listed))
    yield Fact(where, "regions", "listed (level, primary)", said, sorted(regions))
    known = {rows[key]["id"]: r.construct.number for key, r in regions.items() if key in rows}
    number_of = {**known, **leagues}
    for key, region in regions.items():
        if key in rows:
            yield from _one_region(where, rows[key], region, number_of)


def _one_region(
    where: str, row: Document, region: Region, number_of: dict[int, Optional[int]]
) -> Iterator[Fact]:
    parent = None if row["parent"] is None else number_of.get(row["parent"], "not a region")
    pairs = {
        "active level": (row["active_level"], region.active_level),
        "team size": (row["team_size"], region.team_size),
        "serialized": (row["serialized"], region.team_size == 1),
        "threads": (row["threads"], list(region.threads)),
        "parent": (parent, region.parent),
        "function": (_function(row["function"]), region.construct.function),
        "file": (_file(row["file"]), region.construct.file),
        "line": (row["line"], region.construct.line),
    }
    subject = f"region at level {region.level}, line {region.construct.line}"
    for name, (said, truth) in pairs.items():
        yield Fact(where, subject, name, said, truth)


def _task_facts(where: str, stop: Stop, document: Document) -> Iterator[Fact]:
    yield Fact(where, "tasks", "schema", document["schema"], 1)
    for slot in stop.slots:
        rows = [row for row in document["tasks"] if row["gdb_num"] == slot.gdb_num]
        rows.sort(key=lambda row: int(row["depth"]))
        chain = slot.chain if slot.in_openmp else ()
        subject = f"tasks of thread {slot.gdb_num}"
        depths = [row["depth"] for row in rows]
        yield Fact(where, subject, "depths", depths, list(range(len(rows))))
        # After the chain come tasks of other chains that were suspended on this thread.
        suspended, rows = rows[len(chain) :], rows[: len(chain)]
        kinds = [row["kind"] for row in rows]
        yield Fact(where, subject, "kinds", kinds, [task.task_kind for task in chain])
        if len(rows) == len(chain):
            for depth, (row, task) in enumerate(zip(rows, chain)):
                yield from _one_task(where, f"{subject}, depth {depth}", row, task, len(chain))
        if rows and chain and chain[0].kind == "task":
            said = rows[0]["scheduling"]
            yield Fact(where, subject, "scheduling", said, slot.scheduling_depth)
            if slot.scheduling is not None and slot.scheduling_depth == len(chain):
                kind = suspended[0]["kind"] if suspended else None
                yield Fact(where, subject, "suspended", kind, slot.scheduling.task_kind)


def _one_task(
    where: str, subject: str, row: Document, task: Construct, length: int
) -> Iterator[Fact]:
    generating = row["depth"] + 1 if row["depth"] + 1 < length else None
    yield Fact(where, subject, "generating", row["generating"], generating)
    yield Fact(where, subject, "final", row["final"], task.final)
    if task.task_kind != "initial":
        yield Fact(where, subject, "function", _function(row["function"]), task.function)
        yield Fact(where, subject, "file", _file(row["file"]), task.file)
        yield Fact(where, subject, "line", row["line"], task.line)
