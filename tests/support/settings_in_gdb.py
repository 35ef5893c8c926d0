# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: what commands say with each of GDB's settings, and what they said before."""

from __future__ import annotations

import json

import gdb

COMMANDS = (
    "ompd status -json",
    "ompd threads",
    "ompd threads -json",
    "ompd parallel -all",
    "ompd parallel -all -json",
    "ompd tasks -all",
    "ompd tasks -all -json",
    "ompd icvs",
    "ompd icvs -json",
    "ompd env",
    "ompd why",
    "ompd why -json",
    "ompd bt",
    "ompd bt -all",
    "ompd bt -team",
    "ompd thread",
    "output $_omp_thread_num()",
    "output $_omp_level()",
    'output $_omp_icv("nthreads-var")',
    "output $_omp_state()",
)


def _asked(command: str) -> str:
    try:
        return gdb.execute(command, to_string=True)
    except gdb.error as error:
        return f"error: {error}"


def _written(value: object) -> object:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "unlimited" if value is None else value


def compare(settings: list[list[str]]) -> None:
    """For each of the SETTINGS, a name and a value, print the commands that say something
    else than before, while it is set and once it is as it was."""
    before = {command: _asked(command) for command in COMMANDS}
    found = {"": [c for c, said in before.items() if said.startswith("error") or not said]}
    for name, value in settings:
        was = gdb.parameter(name)
        frame = gdb.selected_frame()
        gdb.execute(f"set {name} {value}", to_string=True)
        frame.select()  # GDB forgets it with some of them
        during = [c for c in COMMANDS if _asked(c) != before[c]]
        kept = gdb.selected_frame() == frame
        gdb.execute(f"set {name} {_written(was)}", to_string=True)
        frame.select()
        after = [c for c in COMMANDS if _asked(c) != before[c]]
        found[f"{name} {value}"] = during + [f"afterwards: {c}" for c in after]
        found[f"{name} {value}"] += [] if kept else ["another frame is selected"]
    print("SETTINGS " + json.dumps(found))
