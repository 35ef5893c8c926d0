# SPDX-License-Identifier: Apache-2.0
"""What gdb_ompd.inquiry said at each stop of the truth programs, to be held against them."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

from support.build import build
from support.gdb_session import DRIVER, run_gdb
from support.runtimes import ROOT
from support.truth import Construct, Region, Slot, Stop, read_stops

SCRIPT = ROOT / "tests" / "support" / "inquiry_in_gdb.py"
PROGRAMS = ("task_regions.c", "tasks.c", "nested.c", "icvs.c", "idle.c", "waiting.c")
ENVIRONMENT = {"OMP_SCHEDULE": "guided,7"}
Answers = dict[str, Any]


@functools.lru_cache(maxsize=None)
def stops_of(program: str, runtime: str) -> tuple[Stop, ...]:
    """Run PROGRAM once to its end, and return its stops with what inquiry said there."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "stops.jsonl"
        done = run_gdb(
            [f"source {DRIVER}", f"source {SCRIPT}", "python collect_to_the_end()"],
            program=build(program, runtime=runtime),
            env={**ENVIRONMENT, "TRUTH_OUT": str(out)},
        )
        said = f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        assert out.exists(), said
        stops, exit_code = read_stops(out)
    assert stops and exit_code == 0, said
    return tuple(stops)


def all_right(facts: Iterator[tuple[str, Any, Any]]) -> None:
    """Hold what is said against the truth, and name everything that differs."""
    compared, wrong = 0, []
    for what, said, truth in facts:
        compared += 1
        if said != truth:
            wrong.append(f"{what}: said {said}, truth {truth}")
    assert compared > 0
    assert not wrong, f"{len(wrong)} of {compared}:\n" + "\n".join(wrong[:30])


def numbered_regions(stop: Stop) -> Iterator[tuple[str, Region]]:
    """Yield each region of the truth with the id it has in the snapshot."""
    truth = {(region.level, region.threads[0]): region for region in stop.regions().values()}
    rows = stop.said["first"]["regions"]
    assert len(rows) == len(truth)
    for region_id, row in rows.items():
        yield region_id, truth[row["level"], row["threads_in_region"][0]]


def described(task: Optional[Answers]) -> Optional[tuple[Any, ...]]:
    """Return what identifies a task's construct."""
    if task is None:
        return None
    return task["kind"], task["function"], task["line"]


def construct_of(construct: Construct) -> tuple[Any, ...]:
    if construct.kind == "initial":
        return "initial", None, None
    return construct.task_kind, construct.function, construct.line


def openmp_slots(stop: Stop) -> Iterator[Slot]:
    return (slot for slot in stop.slots if slot.in_openmp)
