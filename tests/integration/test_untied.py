# SPDX-License-Identifier: Apache-2.0
"""Untied tasks: of final ones libompd says that such a task was scheduled by itself."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU

HELPER = Path(__file__).parents[1] / "support" / "untied_in_gdb.py"
STOPS = 20
DEPTH = 6  # of the tasks at each stop; see the program


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_no_link_leads_back_and_each_task_is_marked_once(runtime: str, opt: str) -> None:
    program = binary(Build("untied.c", "clang", opt, runtime))
    asked = ["break leaf", "run", f"source {HELPER}", f"python tell({STOPS})"]
    said = run_gdb(asked, program).stdout
    found = json.loads(said.split("UNTIED ", 1)[1].split("\n", 1)[0])
    assert len(found) == STOPS
    for stop in found:
        for task in stop["tasks"]:
            assert task["scheduling"] != task["depth"] and task["generating"] != task["depth"]
            assert "scheduling" not in task["unknown"], task
        assert stop["stack"].count("--  task: descend at untied.c:") == DEPTH, stop["stack"]
        assert "creator is on no stack" not in stop["stack"], stop["stack"]


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_without_events_an_included_task_is_executed_in_its_creator(
    runtime: str, compiler: str
) -> None:
    program = binary(Build("untied.c", compiler, "O2", runtime))
    asked = ["break leaf", "run", f"source {HELPER}", f"python tell({STOPS})"]
    said = run_gdb(asked, program, env={"OMP_DEBUG": "disabled"}).stdout
    included = 0
    for stop in json.loads(said.split("UNTIED ", 1)[1].split("\n", 1)[0]):
        tasks = {(task["gdb_num"], task["depth"]): task for task in stop["tasks"]}
        for task in stop["tasks"]:
            creator = tasks.get((task["gdb_num"], task["generating"]))
            if creator is not None and creator["final"]:
                included += 1
                assert task["scheduling"] == task["generating"], task
    assert included >= STOPS


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_the_parts_of_a_task_are_one_task_in_stripped_code(tmp_path: Path, opt: str) -> None:
    program = tmp_path / "untied"
    kept = ["strip", "--strip-all", "--keep-symbol=leaf", "-o", program]
    subprocess.run([*kept, binary(Build("untied.c", "clang", opt))], check=True)
    said = run_gdb(["break leaf", "run", f"source {HELPER}", f"python tell({STOPS})"], program)
    for stop in json.loads(said.stdout.split("UNTIED ", 1)[1].split("\n", 1)[0]):
        assert stop["stack"].count("--  task:") == DEPTH, stop["stack"]


def test_step_into_a_task_of_which_no_block_is_described() -> None:
    program = binary(Build("step_untied.cpp", "gcc", "O2", GNU))
    said = run_gdb(["tbreak main", "run", *["ompd step"] * 2], program)
    assert not said.stderr, said
    assert "sink = 1; /* first */" in said.stdout.splitlines()[-1], said
