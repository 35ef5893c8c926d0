# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: what commands say with each of GDB's settings, and what they said before."""

from __future__ import annotations

import json
import re

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
    "ompd status",
    "ompd icvs -all",
    "ompd bt 2",
    "ompd bt -full",
    "ompd bt -json",
    "ompd threads -from {folder}/saved",
    "ompd why -from {folder}/saved",
    "ompd bt -all -from {folder}/saved",
    "ompd compare {folder}/saved",
    "ompd compare -json {folder}/saved",
    "ompd report -svg regions {folder}/regions.svg",
)

# These show a value as GDB does, which feels more settings.
GDBS_OWN = "output region"
VALUES = (
    "ompd print region",
    "ompd print -json region",
    "ompd print -stats region",
    "ompd print -up region",
    "ompd diff region",
    "ompd whatis region",
    "ompd apply output $_omp_thread_num()",
    'output $_omp_var("region")',
)
# One round through a region, from its begin on.
WALK = ("continue", "ompd step", "ompd step", "ompd step", "ompd next", "ompd finish region")
FATAL_TO_GDB = "language go"  # GDB 13 dies of any name in another language's function


def _asked(command: str) -> str:
    try:
        return re.sub('"seconds": [0-9.]+', "", gdb.execute(command, to_string=True))
    except gdb.error as error:
        return f"error: {error}"


def _written(value: object) -> object:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "unlimited" if value is None else value


def compare(settings: list[list[str]], folder: str) -> None:
    """For each of the SETTINGS, a name and a value, print the commands that say something
    else than before, while it is set and once it is as it was. In FOLDER they may write."""
    commands = [command.format(folder=folder) for command in COMMANDS]
    gdb.execute(f"ompd save {folder}/saved", to_string=True)
    before = {command: _asked(command) for command in (*commands, *VALUES, GDBS_OWN)}
    found = {"": [c for c, said in before.items() if said.startswith("error") or not said]}
    for name, value in settings:
        was = gdb.parameter(name)
        frame = gdb.selected_frame()
        gdb.execute(f"set {name} {value}", to_string=True)
        frame.select()  # GDB forgets it with some of them
        same = f"{name} {value}" != FATAL_TO_GDB and _asked(GDBS_OWN) == before[GDBS_OWN]
        asked = [*commands, *(VALUES if same else ())]
        during = [c for c in asked if _asked(c) != before[c]]
        kept = gdb.selected_frame() == frame
        gdb.execute(f"set {name} {_written(was)}", to_string=True)
        frame.select()
        after = [c for c in (*commands, *VALUES) if _asked(c) != before[c]]
        found[f"{name} {value}"] = during + [f"afterwards: {c}" for c in after]
        found[f"{name} {value}"] += [] if kept else ["another frame is selected"]
    print("SETTINGS " + json.dumps(found))


def _walked() -> list[str]:
    """Go through one region; return where each command has led."""
    places = []
    gdb.execute("ompd tbreak parallel-begin", to_string=True)
    for command in WALK:
        said = _asked(command)
        thread, frame = gdb.selected_thread(), gdb.selected_frame()
        place = f"thread {thread.num} in {frame.name()} at {frame.find_sal().line}"
        places.append(said if said.startswith("error") else f"{command}: {place}")
    return places


def compare_walks(settings: list[list[str]]) -> None:
    """For each of the SETTINGS print where commands have led that do not lead there else."""
    before = _walked()
    found = {"": before}
    for name, value in settings:
        was = gdb.parameter(name)
        gdb.execute(f"set {name} {value}", to_string=True)
        during = _walked()
        gdb.execute(f"set {name} {_written(was)}", to_string=True)
        found[f"{name} {value}"] = [place for place in during if place not in before]
        found[f"{name} {value}"] += [f"afterwards: {p}" for p in _walked() if p not in before]
    print("SETTINGS " + json.dumps(found))
