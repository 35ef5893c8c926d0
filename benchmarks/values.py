# SPDX-License-Identifier: Apache-2.0
"""What an expression in all threads costs, beside GDB's own command for it, each at a stop
of its own."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any, Union

from building import program
from commands import STOPS, begin
from runs import OURS, Failed, measured_in_gdb, program_with
from table import Row

# A variable that GDB finds from the system call, too, that the threads are in.
PRINT = "thread apply all -q print resting"
OURS_OF_IT = "ompd print resting"
# One that only a frame further out has; this is GDB's way to come there.
LOCAL = "ompd print word"
IN_FRAMES = "thread apply all -q -s frame apply all -q -s print word"
TARGET = 1.0


def measure(threads: int, rounds: int) -> Iterator[Row]:
    """Yield a row for each expression at so many threads."""
    specs = [
        {"text": PRINT, "pattern": r"^\$\d+ = ", "count": threads},
        {"text": OURS_OF_IT, "pattern": rf"^0-{threads - 1}: ", "count": 1},
        {"text": IN_FRAMES, "pattern": r"^\$\d+ = ", "count": threads - 1},
        {"text": LOCAL, "pattern": r"^\d+(-\d+)?: ", "count": 1},
    ]
    task = {"begin": begin(OURS), "commands": specs, "rounds": rounds, "threads": threads}
    try:
        answer = measured_in_gdb(OURS, task, program_with(program("team"), threads, STOPS))
    except Failed as failure:
        times: list[Union[float, str]] = [f"fails: {failure}"] * len(specs)
    else:
        times = [_median(result) for result in answer["commands"]]
    yield Row(OURS_OF_IT, threads, times[1], PRINT, times[0], TARGET)
    yield Row(f"{LOCAL}, a local variable", threads, times[3], IN_FRAMES, times[2], TARGET)


def _median(result: dict[str, Any]) -> Union[float, str]:
    if result["problem"] is not None:
        return f"fails: {result['problem']}"
    return float(statistics.median(result["wall"]))
