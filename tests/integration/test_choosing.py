# SPDX-License-Identifier: Apache-2.0
"""Choosing what is listed, and what is selected, in a program that stands still."""

from __future__ import annotations

import json
import re

from support.build import build
from support.gdb_session import run_gdb

MARK = "@@"
FRAME = re.compile(r"(GDB \d+ )?#\d+ ")  # of another thread than the selected one with its number
SELECTED = "python print(gdb.selected_thread().num, gdb.selected_frame().name())"
COMMANDS = [
    "ompd threads -json",
    "ompd threads -json 3",
    "ompd threads -json 2-4 7",
    "ompd threads -json -team 1",
    "ompd threads -json -state waiting",
    "ompd threads -json -no-location -state working 1-9",
    "ompd bt 1",
    "ompd bt -1",
    "ompd bt",
    "ompd env -json omp_schedule OMP_DYNAMIC",
    "ompd env",
    "ompd thread",
    "ompd thread 3",
    SELECTED,
    "ompd thread",
    "complete ompd threads -state w",
    "complete ompd env OMP_SCHED",
    "complete ompd threads -te",
]


def _said() -> dict[str, str]:
    """Ask all in one gdb; the last of two equal commands counts by its position."""
    commands = ["break truth_stop", "run"]
    for command in COMMANDS:
        commands += [f"echo {MARK}\\n", command]
    done = run_gdb(
        commands, build("oversubscribed.c"), env={"OMP_SCHEDULE": "guided,3"}, timeout=120
    )
    parts = done.stdout.split(f"{MARK}\n")[1:]
    assert len(parts) == len(COMMANDS), done
    return {
        f"{position} {command}": part
        for position, (command, part) in enumerate(zip(COMMANDS, parts))
    }


def test_choosing() -> None:
    said = _said()
    answers = list(said.values())
    listed = [json.loads(text)["threads"] for text in answers[:6]]
    every = {thread["gdb_num"]: thread for thread in listed[0]}
    assert len(every) == 64
    assert listed[1] == [every[3]]
    assert [thread["gdb_num"] for thread in listed[2]] == [2, 3, 4, 7]
    assert len(listed[3]) == 64
    waits = [n for n, t in every.items() if t["state"].startswith("wait") or t["waits_for"]]
    assert [thread["gdb_num"] for thread in listed[4]] == waits
    assert all(thread["state"].startswith("work") for thread in listed[5]) and listed[5]
    # Stacks.
    first, last, whole = (text.splitlines() for text in answers[6:9])
    frames = list(filter(FRAME.match, whole))
    assert list(filter(FRAME.match, first)) == frames[:1]
    assert first[-1] == "(More stack frames follow...)"
    assert list(filter(FRAME.match, last)) == frames[-1:]
    # Control variables.
    found = {v["name"].upper(): v for v in json.loads(answers[9])["control_variables"]}
    assert set(found) == {"OMP_SCHEDULE", "OMP_DYNAMIC"}
    assert found["OMP_SCHEDULE"]["source"] == "environment"
    shown = answers[10].splitlines()
    marked = [line for line in shown if line.startswith("* ")]
    assert shown[: len(marked)] == marked and any("OMP_SCHEDULE" in line for line in marked)
    # The selected thread.
    own = every[next(n for n, t in every.items() if t["thread_num"] == 3)]
    where = own["location"]
    assert "of 64 in region 1, level 1 (GDB thread" in answers[11]
    assert answers[12].startswith("[Switching to thread ")
    assert answers[13] == f"{own['gdb_num']} {_frame_name(answers[12], where['function'])}\n"
    assert answers[14].startswith(
        f"Thread 3 of 64 in region 1, level 1 (GDB thread {own['gdb_num']}): "
    )
    assert f"{where['function']} at " in answers[14]
    # Completion.
    assert answers[15].splitlines() == [
        "ompd threads -state waiting",
        "ompd threads -state working",
    ]
    assert answers[16].splitlines() == ["ompd env OMP_SCHEDULE"]
    assert answers[17].splitlines() == ["ompd threads -team"]


def _frame_name(switched: str, function: str) -> str:
    """Return the name of the user's frame: an outlined body has the compiler's."""
    line = switched.splitlines()[1]
    assert line.startswith("#") and ".c:" in line, switched
    name = line.split(" in ")[-1].split()[0] if " in " in line else line.split()[1]
    assert name == function or "omp" in name, switched
    return name
