# SPDX-License-Identifier: Apache-2.0
"""Inside gdb: ask every command that reads, and judge what it says whatever was damaged."""

from __future__ import annotations

import json
import re
import time
import traceback
from pathlib import Path
from typing import Any, Optional

import gdb

LONGEST = 32_000_000  # characters that a command may say
FUNCTIONS = (
    "thread_num()",
    "num_threads()",
    "level()",
    "active_level()",
    "in_parallel()",
    "in_explicit_task()",
    "ancestor_thread_num(1)",
    "team_size(2)",
    'icv("run-sched-var")',
    'icv("nthreads-var")',
    "state()",
)
COMMANDS = (
    "ompd status",
    "ompd status -json",
    "ompd threads",
    "ompd threads -all",
    "ompd threads -no-location",
    "ompd threads -json",
    "ompd parallel",
    "ompd parallel -json",
    "ompd parallel -all",
    "ompd parallel -all -json",
    "ompd tasks",
    "ompd tasks -all",
    "ompd tasks -all -json",
    "ompd icvs",
    "ompd icvs -all",
    "ompd icvs -all -json",
    "ompd env",
    "ompd env -json",
    "ompd bt",
    "ompd bt -full",
    "ompd bt -team",
    "ompd bt -all",
    "ompd bt -json",
    "ompd why",
    "ompd why -json",
    "backtrace",
    *(f"output $_omp_{function}" for function in FUNCTIONS),
)

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# The ends of the tracebacks of the command at work.
BUGS: list[str] = []


def keep_tracebacks(kind: Any) -> None:
    """Have the bugs in what is invoked kept: gdb's error does not tell where they are."""
    invoke = kind.invoke

    def kept(*arguments: Any) -> Any:
        try:
            return invoke(*arguments)
        except gdb.GdbError:
            raise
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)[1:]
            places = (f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in frames)
            BUGS.append(f"{type(error).__name__}: {error}: {', '.join(places)}")
            raise

    kind.invoke = kept


def prepare() -> None:
    """Set gdb up to be asked by a program, and keep the bugs in commands and functions."""
    from gdb_ompd.commands.base import OmpdCommand
    from gdb_ompd.functions.place import OmpFunction

    for setting in ("pagination off", "confirm off", "width 0", "height 0"):
        gdb.execute(f"set {setting}")
    gdb.execute("set python print-stack full")
    keep_tracebacks(OmpdCommand)
    keep_tracebacks(OmpFunction)


def ask(command: str) -> str:
    """Return what COMMAND says; its error, marked as one."""
    BUGS.clear()
    try:
        return str(gdb.execute(command, to_string=True))
    except gdb.error as error:
        return f"error: {error}"


def timed(command: str) -> tuple[float, str]:
    """Return how many seconds COMMAND takes, and what it says."""
    begun = time.monotonic()
    said = ask(command)
    return time.monotonic() - begun, said


def complaint(command: str, said: str) -> Optional[str]:
    """Return what is wrong with an answer, whatever the memory holds."""
    if BUGS:
        return f"a traceback: {BUGS[0]}"
    if "Traceback" in said or "Python Exception" in said or "Error occurred in Python" in said:
        return f"a traceback: {said[-300:]}"
    if len(said) > LONGEST:
        return f"{len(said)} characters"
    if said.startswith("error: "):
        return f"an error of several lines: {said[:300]}" if "\n" in said else None
    odd = CONTROL.search(said)
    if odd is not None:
        return f"a control character: {said[odd.start() - 20 : odd.end()]!r}"
    if "-json" in command:
        try:
            if json.loads(said)["schema"] != 1:
                return "a document of another schema"
        except (ValueError, KeyError) as error:
            return f"no JSON document: {error}: {said[:100]}"
    return None
