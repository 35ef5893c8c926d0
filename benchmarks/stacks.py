# SPDX-License-Identifier: Apache-2.0
"""What stacks cost: GDB's own of all threads, with the frame filter and without, and
the merged ones, each at a stop of its own."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import Any, Union

from building import program
from commands import STOPS, begin
from runs import OURS, Failed, measured_in_gdb, program_with
from table import Row

ALL_STACKS = "thread apply all bt"
WITH_VARIABLES = f"{ALL_STACKS} -full"
MERGED = "ompd bt -all"
FILTER_TARGET = 1.5
MERGED_TARGET = 1.0


def measure(threads: int, rounds: int) -> Iterator[Row]:
    """Yield a row for each way to see all stacks at so many threads."""
    plain = _session(threads, rounds, [], [ALL_STACKS, WITH_VARIABLES, MERGED])
    filtered = _session(threads, rounds, ["ompd bt on"], [ALL_STACKS, WITH_VARIABLES])
    for command in (ALL_STACKS, WITH_VARIABLES):
        label = f"{command}, ompd bt on"
        yield Row(label, threads, filtered[command], command, plain[command], FILTER_TARGET)
    many = [
        _session(threads, rounds, on, [WITH_VARIABLES], "variables") for on in ([], ["ompd bt on"])
    ]
    own, without = (each[WITH_VARIABLES] for each in reversed(many))
    label = f"{WITH_VARIABLES}, ompd bt on, 100 variables each"
    yield Row(label, threads, own, WITH_VARIABLES, without, FILTER_TARGET)
    yield Row(MERGED, threads, plain[MERGED], ALL_STACKS, plain[ALL_STACKS], MERGED_TARGET)


def _session(
    threads: int,
    rounds: int,
    first: Sequence[str],
    commands: Sequence[str],
    of_program: str = "team",
) -> dict[str, Union[float, str]]:
    """Return each command's median time in seconds, or why it has none."""
    specs = [_spec(command, threads) for command in commands]
    task = {"begin": [*first, *begin(OURS)], "commands": specs, "rounds": rounds}
    try:
        answer = measured_in_gdb(
            OURS, {**task, "threads": threads}, program_with(program(of_program), threads, STOPS)
        )
    except Failed as failure:
        return dict.fromkeys(commands, f"fails: {failure}")
    return {spec["text"]: _median(result) for spec, result in zip(specs, answer["commands"])}


def _spec(command: str, threads: int) -> dict[str, Any]:
    if command in (ALL_STACKS, WITH_VARIABLES):
        return {"text": command, "pattern": r"^Thread \d+ \(", "count": threads}
    return {"text": command, "pattern": rf"\b{threads}\b", "count": 1}


def _median(result: dict[str, Any]) -> Union[float, str]:
    if result["problem"] is not None:
        return f"fails: {result['problem']}"
    return float(statistics.median(result["wall"]))
