# SPDX-License-Identifier: Apache-2.0
"""What an event breakpoint costs whose construct is elsewhere, at each event."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterator

from building import HERE, program
from runs import OURS, Failed, program_with, run_gdb
from table import Row

IN_GDB = HERE / "in_gdb" / "events.py"
PLAIN = "break {function} if 0 == 1"
# By program: what it is full of, and the event breakpoints that never stop it.
EVENTS = {
    "regions": ("parallel-begin", "parallel-end"),
    "tasks": ("task-begin", "task-end"),
}
TARGET = 2.0


def measure(count: int, repeats: int) -> Iterator[Row]:
    """Yield a row for each event, in wall time and in gdb's processor time."""
    for name, events in EVENTS.items():
        for event in events:
            ours = f"ompd break {event} elsewhere"
            plain = PLAIN.format(function="ompd_bp_" + event.replace("-", "_"))
            answer = _measured(name, count, repeats, [plain, ours])
            for clock, words in (("wall", "wall"), ("cpu", "processor")):
                times = {each: statistics.median(found[clock]) for each, found in answer.items()}
                label = f"an event at which {ours} goes on, {words} time"
                yield Row(label, 2, times[ours], "a plain false condition", times[plain], TARGET)


def _measured(
    name: str, count: int, repeats: int, breaks: list[str]
) -> dict[str, dict[str, list[float]]]:
    task = {"breaks": breaks, "repeats": repeats, "count": count}
    command = program_with(program(name), count)
    told = {"BENCHMARK_TASK": json.dumps(task)}
    done = run_gdb(OURS, [f"source {IN_GDB}"], command, timeout=1200, extra=told)
    match = re.search(r"^BENCHMARK (\{.*\})$", done.output, flags=re.MULTILINE)
    if match is None:
        raise Failed(f"the events were not measured: {done.output[-300:]}")
    answer: dict[str, dict[str, list[float]]] = json.loads(match.group(1))
    return answer
