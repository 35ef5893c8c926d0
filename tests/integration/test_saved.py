# SPDX-License-Identifier: Apache-2.0
"""A stop that was saved answers as it did: each command's bytes, in a gdb without the program."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU, ROOT

DRIVER = Path(__file__).resolve().parents[1] / "support" / "saved_in_gdb.py"
SCHEMA = json.loads((ROOT / "docs" / "saved-stop.schema.json").read_text("utf-8"))
PROGRAMS = [
    Build("nested.c"),
    Build("tasks.c", opt="O2", runtime="14"),
    Build("nested.c", "gcc", runtime=GNU),
    Build("teams.c"),
]


def saved(commands: list[str], program: Path | None, folder: Path) -> str:
    """Return what gdb says to COMMANDS, given the driver."""
    env = {"SAVED_OUT": str(folder), "OMP_NUM_THREADS": "4"}
    done = run_gdb([f"source {DRIVER}", *commands], program, env=env)
    assert "Error" not in done.stderr and "Traceback" not in done.stderr, done
    return done.stdout


# What the debugger is to do before the first stop, where that changes what is said.
WITHOUT_EVENTS = "set ompd auto-enable off"
TWO = "break truth_stop, run, add-inferior -exec {program}, inferior 2, run, inferior 1, thread 1.2"


@pytest.mark.parametrize("before", [WITHOUT_EVENTS, "set non-stop on", TWO])
def test_the_same_in_other_ways_to_debug(before: str, tmp_path: Path) -> None:
    program = binary(PROGRAMS[0])
    asked = before.format(program=program).split(", ")
    if before != TWO:
        asked += ["break truth_stop", "run"]
    saved([*asked, "python collect('stop')"], program, tmp_path)
    assert saved(["python read_back()"], None, tmp_path) == "stop: 39 of 39\n"
    why = json.loads((tmp_path / "stop.said").read_text("utf-8"))["ompd why"]
    numbers = set(re.findall(r"GDB (?:threads? )?(\d\.)?\d", why))
    assert numbers == ({"1."} if before == TWO else {""})


@pytest.mark.parametrize("what", PROGRAMS, ids=str)
def test_every_command_says_the_same(what: Build, tmp_path: Path) -> None:
    saved(['python collect_at_stops("truth_stop")'], binary(what), tmp_path)
    stops = sorted(tmp_path.glob("*.json"))
    assert stops
    for stop in stops:
        jsonschema.validate(json.loads(stop.read_text("utf-8")), SCHEMA)
    lines = saved(["python read_back()"], None, tmp_path).splitlines()
    assert len(lines) == len(stops), "\n".join(lines)
    assert all(line.endswith(": 39 of 39") for line in lines), lines
    said = json.loads(stops[0].with_suffix(".said").read_text("utf-8"))
    answers = [text for text in said.values() if not text.startswith("error: ")]
    assert len(answers) >= 30 and "main" in said["ompd bt"]


def test_a_bad_file_is_one_line_and_names_complete(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text("{}")
    (tmp_path / "folder").mkdir()
    asked = [
        "ompd why -from good.json",
        "ompd threads -json -from none.json",
        "ompd bt on -from good.json",
        "ompd save",
        "ompd save hang.json",
        "ompd compare",
        "complete ompd why -from go",
        "complete ompd why -from fol",
        "complete ompd compare good.json go",
        "complete ompd save go",
    ]
    done = run_gdb(asked, cwd=tmp_path, merged=True)
    assert done.stdout.splitlines() == [
        "good.json: no saved stop",
        "none.json: No such file or directory",
        '"on" has no options. Try "help ompd bt".',
        'Requires the name of the file to write. Try "help ompd save".',
        "no process: start one with 'run', attach, or load a core file",
        'One file, or two, are to be compared. Try "help ompd compare".',
        "ompd why -from good.json",
        "ompd why -from folder/",
        "ompd compare good.json good.json",
        "ompd save good.json",
    ]
    assert not (tmp_path / "hang.json").exists()


def test_facts_alone_give_the_same_verdict(tmp_path: Path) -> None:
    program = binary(Build("hangs/lock_order_two.c"))
    asked = ["ompd why", "ompd why -facts", "ompd save stop.json", "kill"]
    live = run_gdb(["break omp_set_lock", "run", *asked], program, cwd=tmp_path).stdout
    printed = run_gdb(["ompd why -facts -json -from stop.json"], cwd=tmp_path).stdout
    (tmp_path / "facts.json").write_text(printed, encoding="utf-8")
    for file in ("stop.json", "facts.json"):
        again = run_gdb([f"ompd why -from {file}", f"ompd why -facts -from {file}"], cwd=tmp_path)
        assert again.stdout in live and "Threads" in again.stdout, again
    refused = run_gdb(["ompd threads -from facts.json"], cwd=tmp_path, merged=True).stdout
    assert refused == "facts.json: it holds facts alone: 'ompd why' takes them\n"
