# SPDX-License-Identifier: Apache-2.0
"""What listing commands cost, each at a stop of its own, in one gdb session a tool."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Union

from building import program
from runs import OURS, PLUGIN, Failed, measured_in_gdb, program_with
from table import Row

INFO_THREADS = "info threads"


@dataclass(frozen=True)
class Compared:
    """A command of ours, and what it must keep up with."""

    command: str
    most_of_info_threads: float | None
    plugins: str | None = None  # the plugin's command that answers the same
    is_anew: bool = False  # nothing of the stop before, which was the same, is used

    @property
    def label(self) -> str:
        """What the table calls it."""
        return self.command + (", all read anew" if self.is_anew else "")


COMPARED = (
    Compared("ompd threads -no-location", 0.5),
    Compared("ompd threads", 1.0, "ompd threads"),
    Compared("ompd threads -no-location", None, is_anew=True),
    Compared("ompd threads", None, is_anew=True),
    Compared("ompd parallel", None, "ompd parallel"),
    Compared("ompd parallel -all", None),
    Compared("ompd tasks -all", None),
    Compared("ompd icvs -all", None),
    Compared("ompd icvs", None, "ompd icvs"),
)
OF_THE_PLUGIN = tuple(
    Compared(command, None) for command in ("ompd threads", "ompd parallel", "ompd icvs")
)
PLUGIN_TARGETS = {"ompd parallel": 10.0}
STOPS = 1_000_000  # more than any session asks for
# How often the output must match, for a listing to count as one of N threads.
PATTERNS = {
    INFO_THREADS: r"^[* ] +\d+ +Thread",
    "ompd threads": r"is an OpenMP thread",
    "ompd parallel": r"ompt_state_\w+",
    "ompd icvs": r"team-size-var +parallel +{}$",
}


def begin(kind: str, starts: int = 1) -> list[str]:
    """Return the commands that lead to the first stop."""
    if kind == PLUGIN:
        return ["ompd init", "break team_is_here", "continue"]
    return ["break team_is_here", *["run"] * starts]


def measure(threads: int, rounds: int) -> Iterator[Row]:
    """Yield a row for each comparison at so many threads."""
    results = _session(OURS, threads, rounds, COMPARED)
    ours = {label: _median(result) for label, result in results.items()}
    results_of_plugin = _session(PLUGIN, threads, rounds, OF_THE_PLUGIN)
    plugin = {label: _median(result) for label, result in results_of_plugin.items()}
    for each in COMPARED:
        target = each.most_of_info_threads
        yield Row(each.label, threads, ours[each.label], INFO_THREADS, ours[INFO_THREADS], target)
    for each in COMPARED:
        if each.plugins is not None:
            time, its_time = ours[each.label], plugin[each.plugins]
            label = f"{PLUGIN}: {each.plugins}"
            target = PLUGIN_TARGETS.get(each.command)
            yield Row(each.command, threads, time, label, its_time, target, inverse=True)
    # The first command at the program's stop is GDB's own, and the next one ours.
    memory = [results[label].get("memory", "") for label in (COMPARED[0].label, INFO_THREADS)]
    each_thread = [m / threads if isinstance(m, int) else m for m in memory]
    yield Row(
        f"memory, {COMPARED[0].command}, a thread",
        threads,
        each_thread[0],
        INFO_THREADS,
        each_thread[1],
        memory=True,
    )


def _session(
    kind: str, threads: int, rounds: int, compared: Sequence[Compared]
) -> dict[str, dict[str, Any]]:
    """Return what each took by its label, or the problem why it has no times."""
    measured = [Compared(INFO_THREADS, None), *compared]
    labels = [each.label for each in measured]
    specs = [{**_spec(kind, each.command, threads), "anew": each.is_anew} for each in measured]
    task = {"begin": begin(kind), "commands": specs, "rounds": rounds, "threads": threads}
    try:
        answer = measured_in_gdb(kind, task, program_with(program("team"), threads, STOPS))
    except Failed as failure:
        return {label: {"problem": str(failure)} for label in labels}
    return dict(zip(labels, answer["commands"]))


def _spec(kind: str, command: str, threads: int) -> dict[str, Any]:
    if command == INFO_THREADS:
        return {"text": command, "pattern": PATTERNS[command], "count": threads}
    if kind == PLUGIN:
        # It does not know the initial thread, and that is known.
        count = {"ompd icvs": 1, "ompd threads": threads - 1}.get(command, threads)
        return {"text": command, "pattern": PATTERNS[command].format(threads), "count": count}
    # Equal rows are folded; how many threads are known is asked once a session.
    return {"text": command, "pattern": rf"\b{threads}\b", "count": 1}


def _median(result: dict[str, Any]) -> Union[float, str]:
    if result["problem"] is not None:
        return f"fails: {result['problem']}"
    return float(statistics.median(result["wall"]))


def session_alone(kind: str, threads: int, starts: int) -> dict[str, Any]:
    """Run the program STARTS times in one gdb; return when each came to its stop."""
    task = {"begin": begin(kind, starts), "commands": [], "rounds": 0, "threads": threads}
    return measured_in_gdb(kind, task, program_with(program("team"), threads))
