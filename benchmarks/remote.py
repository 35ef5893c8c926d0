# SPDX-License-Identifier: Apache-2.0
"""The listings through gdbserver, where each read is a round trip: at most 8 a thread."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

from building import program
from commands import INFO_THREADS, PATTERNS, STOPS
from runs import OURS, Failed, measured_in_gdb
from table import Row

COMMANDS = ("ompd threads -no-location", "ompd threads")


def measure(threads: int, rounds: int) -> Iterator[Row]:
    """Yield each listing beside ``info threads``, with its round trips."""
    server = f"target remote | gdbserver --once - {program('team')} {threads} {STOPS}"
    listings = [{"text": text, "pattern": rf"\b{threads}\b", "count": 1} for text in COMMANDS]
    plain = {"text": INFO_THREADS, "pattern": PATTERNS[INFO_THREADS], "count": threads}
    task: dict[str, Any] = {
        "begin": ["set sysroot /", server, "break team_is_here", "continue"],
        "commands": [plain, *listings],
        "rounds": rounds,
        "threads": threads,
        "remote": True,
    }
    try:
        results = measured_in_gdb(OURS, task, [str(program("team"))])["commands"]
    except Failed as failure:
        yield Row("through gdbserver", threads, f"fails: {failure}", INFO_THREADS, "")
        return
    info = statistics.median(results[0]["wall"])
    trips = f"{INFO_THREADS}, {results[0]['round_trips'] / threads:.1f} round trips"
    for text, result in zip(COMMANDS, results[1:]):
        time: float | str
        if result["problem"] is not None:
            time, reads = f"fails: {result['problem']}", ""
        else:
            time = statistics.median(result["wall"])
            reads = f", {result['round_trips'] / threads:.1f} round trips a thread"
        yield Row(f"{text}, gdbserver{reads}", threads, time, trips, info)
