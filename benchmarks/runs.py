# SPDX-License-Identifier: Apache-2.0
"""Run gdb, plain, with the extension or with LLVM's plugin, and time it."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from building import EXTENSION, HERE, clean_environment, runtime

PLAIN, OURS, PLUGIN = "gdb", "gdb-ompd", "LLVM's plugin"
IN_GDB = HERE / "in_gdb" / "measure.py"


@dataclass(frozen=True)
class Run:
    """How long one process took, its and its children's processor time, and its output."""

    wall: float
    cpu: float
    output: str


class Failed(Exception):
    """A run that did not do what is measured; the message says why, in a few words."""


def environment(kind: str) -> dict[str, str]:
    """Return what KIND needs to be set: the plugin is the only one that needs anything."""
    env = clean_environment()
    if kind == PLUGIN:
        env["OMP_DEBUG"] = "enabled"
        env["LD_LIBRARY_PATH"] = str(runtime().library_folder)
    return env


def gdb_command(kind: str, commands: Sequence[str]) -> list[str]:
    """Return gdb's command line."""
    load = {PLAIN: None, OURS: EXTENSION, PLUGIN: runtime().plugin}[kind]
    argv = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off"]
    for command in [*([f"source {load}"] if load else []), *commands]:
        argv += ["-ex", command]
    return argv


def run(argv: Sequence[str], env: Mapping[str, str], timeout: float = 120) -> Run:
    """Run a command to its end and time it."""
    began = time.monotonic()
    process = subprocess.Popen(
        argv,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    before = _children_cpu()
    try:
        output = process.communicate(timeout=timeout)[0]
    except subprocess.TimeoutExpired:
        # The session holds gdb; the program it runs has a group of its own and ends with it.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Failed(f"no end after {timeout:.0f} s") from None
    return Run(time.monotonic() - began, _children_cpu() - before, output)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_gdb(
    kind: str,
    commands: Sequence[str],
    program: Optional[Sequence[str]] = None,
    timeout: float = 120,
    extra: Mapping[str, str] | None = None,
) -> Run:
    """Run COMMANDS in one gdb -batch, with EXTRA in its environment."""
    argv = gdb_command(kind, commands)
    if program is not None:
        argv += ["--args", *program]
    return run(argv, {**environment(kind), **(extra or {})}, timeout)


def measured_in_gdb(
    kind: str, task: dict[str, Any], program: Sequence[str], timeout: float = 120
) -> dict[str, Any]:
    """Have in_gdb/measure.py do TASK in a gdb of its own; return its answer.

    Failed if the extension did not find all of the task's threads in their team.
    """
    told = {"BENCHMARK_TASK": json.dumps({**task, "ours": kind == OURS})}
    result = run_gdb(kind, [f"source {IN_GDB}"], program, timeout, told)
    match = re.search(r"^BENCHMARK (\{.*\})$", result.output, flags=re.MULTILINE)
    if match is None:
        raise Failed(_reason(result.output))
    answer: dict[str, Any] = json.loads(match.group(1))
    known = answer.get("known", task["threads"])
    if known != task["threads"]:
        raise Failed(f"{known} of {task['threads']} threads")
    return answer


def _reason(output: str) -> str:
    """Find the line that tells why a session came to nothing."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for line in lines:
        if "Error" in line or "error" in line or "Recursive" in line:
            return line[:100]
    return lines[-1][:100] if lines else "no output"


def alternate(variants: dict[str, Callable[[], Run]], repeats: int) -> dict[str, list[Run]]:
    """Run each variant REPEATS times, one after the other, so that what else the
    machine does falls on all of them alike."""
    done: dict[str, list[Run]] = {name: [] for name in variants}
    for _ in range(repeats):
        for name, variant in variants.items():
            done[name].append(variant())
    return done


def median_wall(runs: Sequence[Run]) -> float:
    """Return the median wall time."""
    return statistics.median(each.wall for each in runs)


def median_cpu(runs: Sequence[Run]) -> float:
    """Return the median processor time."""
    return statistics.median(each.cpu for each in runs)


def program_with(path: Path, *arguments: object) -> list[str]:
    """Return a program's command line."""
    return [str(path), *map(str, arguments)]
