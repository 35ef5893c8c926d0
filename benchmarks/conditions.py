# SPDX-License-Identifier: Apache-2.0
"""What a breakpoint's condition costs at each hit, by what it asks."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterator

from building import HERE, program
from runs import OURS, Failed, program_with, run_gdb
from table import Row

IN_GDB = HERE / "in_gdb" / "conditions.py"
# Never true: the breakpoint is hit, and the program goes on.
PLAIN_CONDITION = "$_thread == 123456"
CONDITIONS = {
    "$_omp_thread_num() == 123456": 1.2,
    "$_omp_level() == 123456": None,
    "$_omp_in_explicit_task() == 123456": None,
    '$_omp_icv("nthreads-var") == 123456': None,
}


def measure(threads: int, hits: int, repeats: int) -> Iterator[Row]:
    """Yield what a hit by a worker of a team of so many threads costs, in wall time and
    in gdb's processor time, beside a condition on GDB's own thread number."""
    task = {"conditions": [PLAIN_CONDITION, *CONDITIONS], "repeats": repeats, "hits": hits}
    command = program_with(program("hits"), threads, hits)
    told = {"BENCHMARK_TASK": json.dumps(task)}
    done = run_gdb(OURS, [f"source {IN_GDB}"], command, timeout=1200, extra=told)
    match = re.search(r"^BENCHMARK (\{.*\})$", done.output, flags=re.MULTILINE)
    if match is None:
        raise Failed(f"the conditions were not measured: {done.output[-300:]}")
    answer = json.loads(match.group(1))
    for clock, name in (("wall", "wall"), ("cpu", "processor")):
        times = {each: statistics.median(found[clock]) for each, found in answer.items()}
        for condition, target in CONDITIONS.items():
            label = f"a hit with {condition.rsplit(' == ')[0]}, {name} time"
            its_time = times[PLAIN_CONDITION]
            yield Row(label, threads, times[condition], "$_thread", its_time, target)
