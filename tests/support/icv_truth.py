# SPDX-License-Identifier: Apache-2.0
"""Compare the ICVs that gdb-ompd lists with what omp_get_* answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

from support.facts import Fact
from support.truth import Slot, Stop

Document = dict[str, Any]

_SCHEDULES = {1: "static", 2: "dynamic", 3: "guided", 4: "auto"}
_BINDINGS = {0: "false", 1: "true", 2: "primary", 3: "close", 4: "spread"}

# The routine's answer that tells each ICV of a thread or its task.
_OF_THREAD = {
    "nthreads-var": "max_threads",
    "dyn-var": "dynamic",
    "max-active-levels-var": "max_active_levels",
    "thread-limit-var": "thread_limit",
    "default-device-var": "default_device",
    "thread-num-var": "thread_num",
    "final-task-var": "in_final",
}
_OF_REGION = ("levels-var", "active-levels-var", "team-size-var")
_OF_PROCESS = {
    "num-procs-var": "num_procs",
    "cancel-var": "cancellation",
    "max-task-priority-var": "max_task_priority",
    "stacksize-var": "stack_size",
}


def icv_facts(
    where: str,
    stop: Stop,
    document: Document,
    region_ids: dict[tuple[int, Optional[int]], int],
) -> Iterator[Fact]:
    """Yield every ICV that a routine tells; REGION_IDS by level and primary thread."""
    said: dict[tuple[str, str, Optional[int]], Document] = {}
    for row in document["icvs"]:
        key = (row["name"], *_owner(row["owner"]))
        yield Fact(where, f"ICV {row['name']} of {key[1:]}", "listed twice", key in said, False)
        said[key] = row
    yield Fact(where, "icvs", "schema", document["schema"], 1)
    openmp = [slot for slot in stop.slots if slot.in_openmp]
    for name, answer in _OF_PROCESS.items():
        row = said.get((name, "process", None))
        if name == "stacksize-var" and row is None and not openmp[0].answers[answer]:
            continue  # GCC's runtime has no routine that tells it
        yield Fact(where, name, "value", _number(row), openmp[0].answers[answer])
    for slot in openmp:
        yield from _of_thread(where, slot, said)
    for region in stop.regions().values():
        region_id = region_ids.get((region.level, region.threads[0]))
        if region_id is not None:
            truth = (region.level, region.active_level, region.team_size)
            for name, value in zip(_OF_REGION, truth):
                row = said.get((name, "region", region_id))
                subject = f"{name} of the region at level {region.level}"
                yield Fact(where, subject, "value", _number(row), value)


def _owner(owner: Optional[Document]) -> tuple[str, Optional[int]]:
    if owner is None:
        return "process", None
    for kind, key in (("thread", "gdb_num"), ("region", "region")):
        if owner.get(key) is not None:
            return kind, owner[key]
    return "nobody", None


def _of_thread(
    where: str, slot: Slot, said: dict[tuple[str, str, Optional[int]], Document]
) -> Iterator[Fact]:
    answers = slot.answers

    def row(name: str) -> Optional[Document]:
        return said.get((name, "thread", slot.gdb_num))

    def fact(name: str, value: Any, truth: Any) -> Fact:
        return Fact(where, f"{name} of thread {slot.gdb_num}", "value", value, truth)

    for name, answer in _OF_THREAD.items():
        yield fact(name, _number(row(name)), answers[answer])
    explicit = slot.chain[0].task_kind == "explicit"
    # A library of 5.2 or newer has the opposite in its place.
    if (kind := row("explicit-task-var")) is not None:
        yield fact("explicit-task-var", _number(kind), int(explicit))
    else:
        yield fact("implicit-task-var", _number(row("implicit-task-var")), int(not explicit))
    yield fact("bind-var", _text(row("bind-var")), _BINDINGS[answers["proc_bind"]])
    schedule = _SCHEDULES[answers["schedule_kind"]]
    truth = (bool(answers["schedule_monotonic"]), schedule, answers["schedule_chunk"])
    yield fact("run-sched-var", _schedule(_text(row("run-sched-var"))), truth)


def _text(row: Optional[Document]) -> Optional[str]:
    return None if row is None else row["text"]


def _number(row: Optional[Document]) -> Optional[int]:
    """Return an ICV as a number; a list's first entry is the one of the current level."""
    if row is None or row["value"] is None:
        return None
    value = row["value"]
    return int(value.split(",")[0]) if isinstance(value, str) else int(value)


def _schedule(text: Optional[str]) -> Optional[tuple[bool, str, int]]:
    """Take "monotonic:dynamic,4" apart. No chunk is what the routine calls 0, or 1."""
    if text is None:
        return None
    modifier, _, rest = text.rpartition(":")
    kind, _, chunk = rest.partition(",")
    return (
        modifier == "monotonic",
        kind,
        int(chunk) if chunk else int(kind in ("dynamic", "guided")),
    )
