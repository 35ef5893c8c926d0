# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: time programs that pass breakpoints without a stop; print one JSON line.

BENCHMARK_TASK holds the task as JSON: "breaks" (commands that make one breakpoint
each), "count" (how many events the program has), "repeats". The breakpoints take
turns, each in a run of the program of its own.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

import gdb

TASK: dict[str, Any] = json.loads(os.environ["BENCHMARK_TASK"])


def timed(command: str) -> tuple[float, float]:
    """Return wall and processor seconds for each event that COMMAND's breakpoint sees."""
    gdb.execute("tbreak main", to_string=True)
    gdb.execute("run", to_string=True)
    gdb.execute(command, to_string=True)
    wall, cpu = time.monotonic(), time.process_time()
    gdb.execute("continue", to_string=True)
    wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    if gdb.selected_inferior().pid or any(each.hit_count for each in gdb.breakpoints()):
        raise gdb.GdbError(f"stopped at {command}")
    gdb.execute("delete", to_string=True)
    return wall / TASK["count"], cpu / TASK["count"]


def main() -> None:
    """Do the task."""
    for setting in (
        "pagination off",
        "confirm off",
        "width 0",
        "height 0",
        "print thread-events off",
    ):
        gdb.execute(f"set {setting}")
    answer: dict[str, Any] = {each: {"wall": [], "cpu": []} for each in TASK["breaks"]}
    for _ in range(TASK["repeats"]):
        for command, found in answer.items():
            wall, cpu = timed(command)
            found["wall"].append(wall)
            found["cpu"].append(cpu)
    print("BENCHMARK " + json.dumps(answer))


main()
