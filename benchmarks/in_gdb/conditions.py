# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: time a breakpoint whose condition is never true, and print one JSON line.

BENCHMARK_TASK holds the task as JSON: "conditions", "hits" (how often the program
hits the breakpoint once it is set), "repeats". The conditions take turns, each in a
run of the program of its own.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

import gdb

TASK: dict[str, Any] = json.loads(os.environ["BENCHMARK_TASK"])


def timed(condition: str) -> tuple[float, float]:
    """Return wall and processor seconds for each hit of a breakpoint with CONDITION."""
    gdb.execute("tbreak hit", to_string=True)
    gdb.execute("run", to_string=True)
    gdb.execute("break settled", to_string=True)
    breakpoint = gdb.Breakpoint("hit")
    breakpoint.condition = condition
    wall, cpu = time.monotonic(), time.process_time()
    gdb.execute("continue", to_string=True)
    wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    if breakpoint.hit_count or gdb.newest_frame().name() != "settled":
        raise gdb.GdbError(f"stopped elsewhere with the condition {condition}")
    gdb.execute("delete", to_string=True)
    gdb.execute("kill", to_string=True)
    return wall / TASK["hits"], cpu / TASK["hits"]


def main() -> None:
    """Do the task."""
    for setting in ("pagination off", "confirm off", "width 0", "height 0"):
        gdb.execute(f"set {setting}")
    answer: dict[str, Any] = {each: {"wall": [], "cpu": []} for each in TASK["conditions"]}
    conditions = list(answer)
    for repeat in range(TASK["repeats"]):
        # In another order each time: what comes second in a turn takes longer than what
        # comes third and does the same.
        first = repeat % len(conditions)
        for condition in conditions[first:] + conditions[:first]:
            wall, cpu = timed(condition)
            answer[condition]["wall"].append(wall)
            answer[condition]["cpu"].append(cpu)
    print("BENCHMARK " + json.dumps(answer))


main()
