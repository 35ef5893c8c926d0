# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: time starts and commands, and print one JSON line.

BENCHMARK_TASK holds the task as JSON: "begin" (commands that lead to the first
stop), "commands" (text, and a pattern with how often its output must match), "rounds",
"ours", "remote" (round trips are counted). Each command is timed at a stop of its own:
nothing that gdb or the extension keeps for a stop can help it.
"""

from __future__ import annotations

import json
import os
import re
import time
from typing import Any, Optional

import gdb

TASK: dict[str, Any] = json.loads(os.environ["BENCHMARK_TASK"])


def timed(command: str) -> tuple[float, float, str]:
    """Run COMMAND; return wall and processor seconds, and its output."""
    wall, cpu = time.monotonic(), time.process_time()
    output = gdb.execute(command, to_string=True)
    return time.monotonic() - wall, time.process_time() - cpu, output


def next_stop() -> None:
    """Go on to the next stop, with a worker selected."""
    gdb.execute("continue", to_string=True)
    gdb.execute("thread 2", to_string=True)


def target_reads() -> int:
    """Return how many reads of memory the extension has made so far."""
    from gdb_ompd.host.sessions.registry import all_sessions

    spaces: dict[int, Any] = {}
    for session in all_sessions():
        files = session.files
        spaces[id(files._space)] = files._space
        for instance in files._instances.values():
            spaces[id(instance.space)] = instance.space
    return sum(space.target_reads for space in spaces.values() if space is not None)


def resident() -> int:
    """Return how many bytes of memory gdb has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def round_trips(command: str) -> int:
    """Return how many packets gdb sends to the server for COMMAND."""
    gdb.execute("set debug remote on", to_string=True)
    try:
        said = gdb.execute(command, to_string=True)
    finally:
        gdb.execute("set debug remote off", to_string=True)
    return said.count("Sending packet: ")


def known_threads() -> int:
    """Return how many threads the extension places in a team."""
    import gdb_ompd

    threads = gdb_ompd.snapshot(locations=False).threads
    return sum(1 for thread in threads if thread.thread_num is not None)


def judge(spec: dict[str, Any], output: str) -> Optional[str]:
    """Return why OUTPUT is not what was asked for, None if it is."""
    if "Traceback" in output:
        return [line for line in output.splitlines() if line.strip()][-1].strip()
    found = len(re.findall(spec["pattern"], output, flags=re.MULTILINE))
    if found < spec["count"]:
        return f"{found} of {spec['count']} threads"
    return None


def measure(specs: list[dict[str, Any]], rounds: int) -> list[dict[str, Any]]:
    """Time every command in each round; the first round only warms up."""
    results: list[dict[str, Any]] = [{"wall": [], "cpu": [], "problem": None} for _ in specs]
    for number in range(rounds + 1):
        for spec, result in zip(specs, results):
            if result["problem"] is not None:
                continue
            next_stop()
            reads = target_reads() if TASK["ours"] else 0
            memory = resident()
            try:
                wall, cpu, output = timed(spec["text"])
            except gdb.error as error:
                result["problem"] = str(error)
                continue
            result["problem"] = judge(spec, output)
            if TASK["ours"]:
                result["reads"] = target_reads() - reads
            if number == 0:
                result["first"] = cpu
                result["memory"] = resident() - memory
            else:
                result["wall"].append(wall)
                result["cpu"].append(cpu)
    return results


def main() -> None:
    """Do the task."""
    for setting in ("pagination off", "confirm off", "width 0", "height 0"):
        gdb.execute(f"set {setting}")
    starts = []
    for command in TASK["begin"]:
        wall, cpu, _ = timed(command)
        if command == "run":
            starts.append({"wall": wall, "cpu": cpu})
    commands = measure(TASK["commands"], TASK["rounds"])
    if TASK.get("remote"):
        for spec, result in zip(TASK["commands"], commands):
            next_stop()
            result["round_trips"] = round_trips(spec["text"])
    answer: dict[str, Any] = {"starts": starts, "commands": commands}
    if TASK["ours"]:
        answer["known"] = known_threads()
    gdb.execute("kill", to_string=True)
    print("BENCHMARK " + json.dumps(answer))


main()
