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
    # From so many threads on, the most of "info threads" that it may take.
    most_of_info_threads: tuple[tuple[int, float], ...] = ()
    plugins: str | None = None  # the plugin's command that answers the same

    def target(self, threads: int) -> float | None:
        """Return the most of "info threads" at so many THREADS."""
        met = [most for least, most in self.most_of_info_threads if threads >= least]
        return met[-1] if met else None


COMPARED = (
    Compared("ompd threads -no-location", ((16, 0.8), (64, 0.5))),
    Compared("ompd threads", ((16, 1.2), (64, 0.75)), "ompd threads"),
    Compared("ompd parallel", (), "ompd parallel"),
    Compared("ompd parallel -all"),
    Compared("ompd tasks -all"),
    Compared("ompd icvs -all"),
    Compared("ompd icvs", (), "ompd icvs"),
    Compared("ompd places", ((1000, 2.0),)),
    Compared("ompd why", ((1000, 3.0),)),
)
OF_THE_PLUGIN = tuple(
    Compared(command) for command in ("ompd threads", "ompd parallel", "ompd icvs")
)
# A session's first command loads its modules: the most seconds that it may take.
FIRST = {"ompd threads -no-location": None, "ompd threads": 0.025, "ompd why": 0.050}
PLUGIN_TARGETS = {"ompd parallel": 10.0}
STOPS = 1_000_000  # more than any session asks for
# How often the output must match, for a listing to count as one of N threads.
PATTERNS = {
    INFO_THREADS: r"^[* ] +\d+ +Thread",
    "ompd threads": r"is an OpenMP thread",
    "ompd parallel": r"ompt_state_\w+",
    "ompd icvs": r"team-size-var +parallel +{}$",
    "ompd why": r"^Team of {},",
}


def begin(kind: str, starts: int = 1) -> list[str]:
    """Return the commands that lead to the first stop."""
    if kind == PLUGIN:
        return ["ompd init", "break team_is_here", "continue"]
    return ["break team_is_here", *["run"] * starts]


def measure(threads: int, rounds: int) -> Iterator[Row]:
    """Yield a row for each comparison at so many threads."""
    results = _session(OURS, threads, rounds, COMPARED)
    ours = {command: _median(result) for command, result in results.items()}
    results_of_plugin = _session(PLUGIN, threads, rounds, OF_THE_PLUGIN)
    plugin = {command: _median(result) for command, result in results_of_plugin.items()}
    for each in COMPARED:
        time, its_time, target = ours[each.command], ours[INFO_THREADS], each.target(threads)
        yield Row(each.command, threads, time, INFO_THREADS, its_time, target)
    for each in COMPARED:
        if each.plugins is not None:
            time, its_time = ours[each.command], plugin[each.plugins]
            label = f"{PLUGIN}: {each.plugins}"
            target = PLUGIN_TARGETS.get(each.command)
            yield Row(each.command, threads, time, label, its_time, target, inverse=True)
    # The first command at the program's stop is GDB's own, and the next one ours.
    memory = [results[each].get("memory", "") for each in (COMPARED[0].command, INFO_THREADS)]
    each_thread = [m / threads if isinstance(m, int) else m for m in memory]
    yield Row(
        f"memory, {COMPARED[0].command}, a thread",
        threads,
        each_thread[0],
        INFO_THREADS,
        each_thread[1],
        memory=True,
    )
    of_gcc = _session(OURS, threads, rounds, COMPARED, "gcc")
    its_time = _median(of_gcc[INFO_THREADS])
    for each in COMPARED:
        time, target = _median(of_gcc[each.command]), each.target(threads)
        yield Row(f"libgomp: {each.command}", threads, time, INFO_THREADS, its_time, target)


def firsts(threads: int, repeats: int) -> Iterator[Row]:
    """Yield what commands take as the first ones of a gdb, in processor time."""
    for command, most in FIRST.items():
        specs = [_spec(OURS, command, threads)]
        task = {"begin": begin(OURS), "commands": specs, "rounds": 0, "threads": threads}
        run = program_with(program("team"), threads, STOPS)
        found = [measured_in_gdb(OURS, task, run)["commands"][0] for _ in range(repeats)]
        took = statistics.median(each["first"] for each in found)
        label = f"{command}, a session's first command, processor"
        yield Row(label, threads, took, "nothing", 0.0, most, extra=True)


def _session(
    kind: str, threads: int, rounds: int, compared: Sequence[Compared], compiler: str = "clang"
) -> dict[str, dict[str, Any]]:
    """Return what each command took, or the problem why it has no times."""
    measured = [INFO_THREADS, *(each.command for each in compared)]
    specs = [_spec(kind, command, threads) for command in measured]
    task = {"begin": begin(kind), "commands": specs, "rounds": rounds, "threads": threads}
    try:
        run = program_with(program("team", compiler), threads, STOPS)
        answer = measured_in_gdb(kind, task, run)
    except Failed as failure:
        return {command: {"problem": str(failure)} for command in measured}
    return dict(zip(measured, answer["commands"]))


def _spec(kind: str, command: str, threads: int) -> dict[str, Any]:
    if command == INFO_THREADS:
        return {"text": command, "pattern": PATTERNS[command], "count": threads}
    if kind == PLUGIN:
        # It does not know the initial thread, and that is known.
        count = {"ompd icvs": 1, "ompd threads": threads - 1}.get(command, threads)
        return {"text": command, "pattern": PATTERNS[command].format(threads), "count": count}
    if command == "ompd why":
        return {"text": command, "pattern": PATTERNS[command].format(threads), "count": 1}
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
