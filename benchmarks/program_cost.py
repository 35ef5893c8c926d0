# SPDX-License-Identifier: Apache-2.0
"""What OMPD events cost the program itself, by its own clock."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterator

from building import clean_environment, program
from runs import OURS, PLAIN, Failed, Run, alternate, program_with, run, run_gdb
from table import Row

NATIVE = "without gdb"


def measure(name: str, count: int, what: str, repeats: int) -> Iterator[Row]:
    """Yield what the ways to run a program add to its time."""
    command = program_with(program(name), count)
    variants: dict[str, Callable[[], Run]] = {
        NATIVE: lambda: run(command, _environment()),
        f"{NATIVE}, OMP_DEBUG=enabled": lambda: run(command, _environment("enabled")),
        PLAIN: lambda: run_gdb(PLAIN, _commands(), command),
        f"{OURS}, auto-enable off": lambda: run_gdb(OURS, _commands("off"), command),
        f"{OURS}, auto-enable on": lambda: run_gdb(OURS, _commands("on"), command),
    }
    runs = alternate(variants, repeats)
    times = {variant: statistics.median(map(_seconds, done)) for variant, done in runs.items()}
    for variant, against in (
        (f"{NATIVE}, OMP_DEBUG=enabled", NATIVE),
        (PLAIN, NATIVE),
        (f"{OURS}, auto-enable off", PLAIN),
        (f"{OURS}, auto-enable on", PLAIN),
    ):
        yield Row(f"{count} {what}, {variant}", 2, times[variant], against, times[against])


def _commands(auto_enable: str | None = None) -> list[str]:
    settings = [] if auto_enable is None else [f"set ompd auto-enable {auto_enable}"]
    return [*settings, "run"]


def _environment(debug: str | None = None) -> dict[str, str]:
    env = clean_environment()
    if debug is not None:
        env["OMP_DEBUG"] = debug
    return env


def _seconds(done: Run) -> float:
    match = re.search(r"^SECONDS ([\d.]+)$", done.output, flags=re.MULTILINE)
    if match is None:
        raise Failed(f"the program did not end: {done.output[-200:]}")
    return float(match.group(1))
