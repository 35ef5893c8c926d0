# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: what commands say of a stop now, and of the file that it was saved to.

Set SAVED_OUT, a folder, in gdb's environment. ``collect(name)`` writes NAME.json by "ompd save"
and NAME.said with the answers to COMMANDS; ``read_back(name)`` returns those that are not the
same from the file.
"""

from __future__ import annotations

import json
import os

import gdb

COMMANDS = tuple(
    f"ompd {command}"
    for command in (
        *(
            "status",
            "status -json",
            "why",
            "why -json",
            "why -facts",
            "why -facts -json",
            "env",
            "env -json",
        ),
        *("threads", "threads -all", "threads -no-location -all", "threads -json"),
        *("threads -no-location -json", "threads -state waiting", "threads -team 1", "threads 1"),
        *("parallel", "parallel -all", "parallel -json", "parallel -all -json"),
        *("tasks", "tasks -all", "tasks -json", "tasks -all -json"),
        *("icvs", "icvs -all", "icvs -json", "icvs -all -json", "icvs nthreads-var"),
        *("bt", "bt -full", "bt 2", "bt -2", "bt -json", "bt -full -json"),
        *("bt -team", "bt -team -json", "bt -all", "bt -all -json"),
    )
)


def _path(name: str, ending: str) -> str:
    return os.path.join(os.environ["SAVED_OUT"], f"{name}.{ending}")


def _ask(command: str) -> str:
    try:
        return str(gdb.execute(command, to_string=True))
    except gdb.error as error:
        assert "Python" not in str(error), (command, error)  # a bug, whoever has it
        return f"error: {error}"


def collect(name: str) -> None:
    """Save the stop, and what is said of it."""
    gdb.execute(f"ompd save {_path(name, 'json')}", to_string=True)
    said = {command: _ask(command) for command in COMMANDS}
    with open(_path(name, "said"), "w", encoding="utf-8") as out:
        json.dump(said, out)


def collect_at_stops(function: str) -> None:
    """Run the program, and do that whenever it is in FUNCTION."""
    gdb.execute(f"break {function}", to_string=True)
    gdb.execute("run", to_string=True)
    number = 0
    while gdb.selected_thread() is not None:
        number += 1
        collect(f"stop{number}")
        gdb.execute("continue", to_string=True)


def read_back() -> None:
    """Print, of each stop that was saved, how many answers are the same from its file, and
    the first that is not."""
    for entry in sorted(os.listdir(os.environ["SAVED_OUT"])):
        name, ending = entry.rsplit(".", 1)
        if ending != "said":
            continue
        with open(_path(name, "said"), encoding="utf-8") as source:
            said = json.load(source)
        again = {c: _ask(f"{c} -from {_path(name, 'json')}") for c in said}
        differ = [command for command in said if again[command] != said[command]]
        print(f"{name}: {len(said) - len(differ)} of {len(said)}")
        for command in differ:
            print(f"--- {command}\n{said[command]}\n--- from the file\n{again[command]}")
