# SPDX-License-Identifier: Apache-2.0
"""The runtime's own helper threads are told from the program's."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from generator import agree
from generator.findings import Findings
from support.build import PROGRAMS
from support.gdb_session import run_gdb
from support.runtimes import VERSIONS, runtime_folder

# What is void outside of OpenMP's teams.
CALLS = [f"$_omp_{name}()" for name in ("thread_num", "level", "in_parallel", "in_explicit_task")]
CALLS.append("$_omp_team_size(0)")


def _compiled(source: str, runtime: str, folder: Path) -> Path:
    lib, program = runtime_folder(runtime), folder / "program"
    flags = ["-g", "-fopenmp", f"-L{lib}", f"-Wl,-rpath,{lib}"]
    subprocess.run(["clang", *flags, str(PROGRAMS / source), "-o", str(program)], check=True)
    return program


@pytest.mark.parametrize("runtime", VERSIONS)
def test_hidden_helpers_are_no_region(runtime: str, tmp_path: Path) -> None:
    program = _compiled("helpers.c", runtime, tmp_path)
    # How many helpers have arrived in the runtime's own region.
    script = [
        "break stop_here",
        "run",
        "echo THREADS\\n",
        "ompd threads -json",
        "echo REGIONS\\n",
        "ompd parallel -all -json",
        "echo COUNT\\n",
        "output *(int *) &'(anonymous namespace)::__kmp_hit_hidden_helper_threads_num'",
        "echo \\nFUNCTIONS\\n",
        "thread 4",
        *(f"output {call}" for call in CALLS),
        "ompd tasks",
    ]
    result = run_gdb(script, program, env={"LIBOMP_NUM_HIDDEN_HELPER_THREADS": "3"})
    assert "thread 4 is a helper of the OpenMP runtime's: it executes no task" in result.stderr
    said = result.stdout
    decoder = json.JSONDecoder()
    threads = decoder.raw_decode(said.split("THREADS\n")[1])[0]["threads"]
    regions = decoder.raw_decode(said.split("REGIONS\n")[1])[0]["regions"]
    helpers = int(said.split("COUNT\n")[1].split("\n")[0])
    assert helpers >= 3
    assert said.split("FUNCTIONS\n")[1].splitlines()[-1] == "void" * len(CALLS)
    kinds = [thread["kind"] for thread in threads]
    assert kinds == ["initial", "worker", *["helper"] * helpers]
    # Their team is the runtime's own.
    in_team = [[row["level"], row["task"], row["memberships"]] for row in threads[2:]]
    assert in_team == [[None, None, []]] * helpers
    assert [region["threads"] for region in regions] in ([[1, 2]], [[2, 1]])


@pytest.mark.parametrize("runtime", VERSIONS)
def test_region_begun_by_a_helper_is_the_programs(runtime: str, tmp_path: Path) -> None:
    program = _compiled("helpers_regions.c", runtime, tmp_path)
    script = ["break stop_here", "run", "echo THREADS\\n", "ompd threads -json"]
    script += ["echo NUMBER\\n", "output $_gthread", "echo \\nSAID\\n", "output inside"]
    said = run_gdb(script, program).stdout
    rows = json.JSONDecoder().raw_decode(said.split("THREADS\n")[1])[0]["threads"]
    number = int(said.split("NUMBER\n")[1].split("\n")[0])
    inside = [int(each) for each in said.split("SAID\n")[1].strip(" {}\n").split(", ")]
    levels = [inside[at : at + 2] for at in range(0, len(inside), 2)]
    (row,) = [row for row in rows if row["gdb_num"] == number]
    assert row["memberships"] == levels[::-1]
    assert [row["thread_num"], row["team_size"]] == levels[-1]
    assert (row["level"], row["task"]) == (len(levels) - 1, "implicit")
    assert row["location"]["function"] == "stop_here"


@pytest.mark.parametrize("runtime", VERSIONS)
def test_helper_that_executes_a_task_is_a_worker(runtime: str, tmp_path: Path) -> None:
    program = _compiled("helper_works.c", runtime, tmp_path)
    words = "thread_num", "team_size", "level"
    own = [f'{word} = %d\\n", (int){word}' for word in words]
    script = ["set width 0", "break stop_here", "run", *(f'printf "{each}' for each in own)]
    script += ["ompd threads", "ompd thread", "ompd parallel", "ompd why", "ompd bt -all"]
    said = run_gdb([*script, *_asked_of_the_first_helper()], program)
    number, size, level = (re.findall(rf"^{word} = (\d+)$", said.stdout, re.M)[0] for word in words)
    where = r"working, in target at helper_works\.c:13 \(the host\)"
    row = rf"^\* +\d+ +\d+ +{number} of {size} +{level} +{where} +explicit +stop_here at"
    assert re.search(row, said.stdout, re.M), said.stdout
    assert f"Thread {number} of {size} in region 2, level {level}" in said.stdout
    assert f"Waiting for thread {number} of {size} (GDB thread " in said.stdout
    assert f"Hidden helpers of the runtime  {size} threads\n" in said.stdout
    assert re.search(r"  task\n +main at helper_works.c:13\n", said.stdout), said.stdout
    assert re.search(
        r"^  \d.*\(GDB threads? [\d,-]+\): OpenMP helper$", said.stdout, re.M
    ), said.stdout
    assert "do not agree" not in said.stdout and "outside of OpenMP" not in said.stdout
    _those_that_wait_are_in_the_same_team(said.stdout, int(size))


def _asked_of_the_first_helper() -> list[str]:
    """Return the commands that ask all that is said of it, and the runtime in its thread."""
    asked = [f"ompd {name} -json" for name in ("threads", "parallel -all", "tasks -all", "why")]
    asked += ["ompd bt -team -json", "ompd bt -json"]
    script = ["thread 3", *(line for each in asked for line in ("echo DOCUMENT\\n", each))]
    truth = [f"(int) omp_get_{name}()" for name in ("thread_num", "num_threads", "level")]
    ours = ["$_omp_thread_num()", "$_omp_team_size(1)", "$_omp_level()"]
    script += ["set scheduler-locking on", "echo ANSWERS\\n"]
    return [*script, *(f'printf "%d\\n", {each}' for each in truth + ours)]


def _those_that_wait_are_in_the_same_team(said: str, size: int) -> None:
    """Helpers that execute nothing while one does are where the runtime says, by all commands."""
    decoder = json.JSONDecoder()
    parts = (decoder.raw_decode(part)[0] for part in said.split("DOCUMENT\n")[1:])
    threads, parallel, tasks, why, tree, stack = parts
    helpers = [row for row in threads["threads"] if row["kind"] == "helper"]
    assert len(helpers) == size - 1
    assert {(row["team_size"], row["level"], row["task"]) for row in helpers} == {
        (size, 1, "implicit")
    }
    (first,) = [row for row in helpers if row["gdb_num"] == 3]
    facts = [first[name] for name in ("thread_num", "team_size", "level")]
    answers = [int(line) for line in said.split("ANSWERS\n")[1].split()]
    assert answers == facts * 2
    found = Findings()
    agree.threads_and_regions(threads, parallel, found)
    agree.threads_and_tasks(threads, tasks, found)
    agree.threads_and_why(threads, why, found)
    agree.threads_and_tree(threads, tree, found)
    agree.threads_and_stack(first, stack, found)
    assert found.facts > size and not found.contradictions
