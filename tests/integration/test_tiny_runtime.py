# SPDX-License-Identifier: Apache-2.0
"""A runtime of our own, with its own records and a conforming OMPD library."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from support import tiny
from support.gdb_session import DRIVER, GdbResult, run_gdb
from support.truth import Stop
from support.truth_compare import stop_facts
from support.truth_session import read_core, run_live

SCRIPT = Path(tiny.__file__).with_name("tiny_in_gdb.py")
STOPS = 4
SMALL = {"MALLOC_ARENA_MAX": "1", "OMP_STACKSIZE": "1M"}


def told(done: GdbResult, stops: int) -> None:
    """Hold what gdb told at each stop against what the program recorded there."""
    lines = [line[5:] for line in done.stdout.splitlines() if line.startswith("TINY ")]
    assert len(lines) == stops, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    for number, line in enumerate(lines):
        facts = json.loads(line)
        assert len(facts) > 25
        wrong = [f"{what}: said {said}, truth {true}" for what, said, true in facts if said != true]
        assert not wrong, f"stop {number}: " + "\n".join(wrong)


VERSIONS = ("201811", "202011", "202111", "202411")


@pytest.mark.parametrize("version", VERSIONS)
def test_the_handles_tell_the_truth(tmp_path: Path, version: str) -> None:
    env = {"TINY_LIBRARY": str(tiny.library()), "TINY_OMPD_VERSION": version, **SMALL}
    env["TINY_CORE"] = str(tmp_path / "core")
    commands = [f"source {DRIVER}", f"source {SCRIPT}"]
    live = run_gdb([*commands, f"python tell({STOPS})"], program=tiny.program(), env=env)
    told(live, STOPS)
    assert "exited normally" in live.stdout
    for number in range(STOPS):
        core = tmp_path / f"core.{number}"
        told(run_gdb([*commands, "python tell()"], tiny.program(), core, env=env), 1)


def differences(stop: Stop) -> set[str]:
    """Return what the listings say that the program did not record, by place and name.

    At the third stop the thread's own implicit task was suspended for the task of
    another thread: OMPD says so, where the program's record has only who made whom.
    """
    facts = list(stop_facts(stop))
    assert len(facts) > 90
    wrong = {f"{fact.subject}: {fact.name}" for fact in facts if not fact.right}
    stolen = {"depths", "kinds", "scheduling"} if stop.number == 3 else set()
    return wrong - {f"tasks of thread {stop.selected}: {name}" for name in stolen}


def test_listings_and_functions_tell_the_truth(tmp_path: Path) -> None:
    session = run_live(tiny.program(), tmp_path, with_cores=True)
    assert len(session.stops) == STOPS
    for stop in session.stops:
        assert differences(stop) == set()
    for number, core in session.cores.items():
        stop = read_core(tiny.program(), core, tmp_path)
        assert stop.number == number
        assert differences(stop) == set()


def at_second_stop(*commands: str) -> str:
    """Return what COMMANDS say in the task of the inner region."""
    done = run_gdb(
        ["break truth_stop", "run", "continue", "python print('BEGIN')", *commands],
        program=tiny.program(),
        env=SMALL,
    )
    assert "BEGIN" in done.stdout and not done.stderr.count("rror"), done.stderr
    return done.stdout.partition("BEGIN\n")[2]


def test_status_needs_nothing_configured() -> None:
    (row,) = json.loads(at_second_stop("ompd status -json"))["runtimes"]
    assert row["file"] == str(tiny.runtime())
    assert row["ompd_library"] == str(tiny.library())
    assert (row["api_version"], row["initialized"], row["problem"]) == (202411, True, None)


def test_a_library_of_each_version_says_the_same(tmp_path: Path) -> None:
    # One core for all: in each run, the other threads are elsewhere.
    core = tmp_path / "core"
    at_second_stop(f"generate-core-file {core}")
    asked = ["ompd threads -json", "ompd parallel -all -json", "ompd tasks -all -json", "ompd bt"]
    asked += ["print $_omp_thread_num()", "print $_omp_in_explicit_task()", "ompd why"]

    def answers(version: str, **more: str) -> list[str]:
        env = {**SMALL, "TINY_OMPD_VERSION": version, **more}
        done = run_gdb(asked, program=tiny.program(), core=core, env=env)
        assert "gdb_num" in done.stdout and "rror" not in done.stderr, done.stderr
        return done.stdout.splitlines()

    first, *others = map(answers, VERSIONS)
    assert others == [first] * len(others)
    # A library may refuse all versions but its own.
    assert answers("202411", TINY_OMPD_ALONE="1") == first


def test_an_icv_has_its_words_in_each_version() -> None:
    env = {**SMALL, "OMP_NUM_THREADS": "3,2", "OMP_PROC_BIND": "close,spread"}
    for version in ("201811", "202411"):
        done = run_gdb(
            ["break truth_stop", "run", "ompd icvs"],
            program=tiny.program(),
            env={**env, "TINY_OMPD_VERSION": version},
        )
        said = dict(line.split()[:2] for line in done.stdout.splitlines() if "-var " in line)
        assert said["nthreads-var"] == "3,2"
        assert said["bind-var"] == "close,spread"
        kinds = (
            {"explicit-task-var": "false"} if version == "202411" else {"ompd-implicit-var": "true"}
        )
        assert kinds.items() <= said.items()


def test_settings_are_the_programs() -> None:
    rows = json.loads(at_second_stop("ompd env -json"))["control_variables"]
    said = {row["name"]: row["value"] for row in rows}
    assert said["OMP_STACKSIZE"] == "1M"
    assert said["OMP_AFFINITY_FORMAT"] == "level %L thread %n"


def test_the_stack_has_the_users_frames() -> None:
    lines = at_second_stop("ompd bt").splitlines()
    frames = [line.split()[1] for line in lines if line.startswith("#")]
    assert frames == ["truth_stop", "truth_lead", "task_of_inner", "inner_body", "outer_body"]
    assert not any("creator" in line for line in lines), lines  # whose it is was not found


def test_what_the_library_says_that_a_call_waits_for_comes_first() -> None:
    """What is asleep in the user's own code is said to be where it sleeps."""
    said = at_second_stop("ompd threads")
    assert re.search(r"^ +1 .* at barrier +implicit +outer_body", said, re.M), said
    assert re.search(r"in pthread_cond_wait +implicit +truth_hold", said), said


def test_tool_data_is_what_the_program_keeps() -> None:
    lines = at_second_stop(
        "python from gdb_ompd import inquiry",
        "python print([inquiry.tool_data(h)[0] for h in"
        " (inquiry.handle_of_thread(2), inquiry.handle_of_region(2), inquiry.handle_of_task(2))])",
        "output (long[3]) {tiny_thread_id(), tiny_team_id(), tiny_task_id()}",
    ).splitlines()
    said = json.loads(lines[0])
    assert len(set(said)) == 3
    assert said == [int(number) for number in lines[-1].strip("{}").split(",")]


def test_what_begins_and_ends_is_reported_at_the_users_line() -> None:
    events = [f"ompd break {event}" for event in ("parallel-begin", "parallel-end", "task-begin")]
    done = run_gdb(
        [*events, "run", *["continue"] * 12],
        program=tiny.program(),
        env=SMALL,
    )
    source = (tiny.SOURCES / "program.c").read_text(encoding="utf-8").splitlines()
    calls = [n + 1 for n, line in enumerate(source) if "tiny_parallel(" in line]
    begins = re.findall(r"parallel region begins at program\.c:(\d+) in (\w+)", done.stdout)
    ends = re.findall(r"parallel region ends at program\.c:(\d+) in (\w+)", done.stdout)
    assert sorted(int(line) for line, _ in begins) == calls
    assert sorted(begins) == sorted(ends)
    assert len(re.findall(r"task begins", done.stdout)) == 4
    assert "exited normally" in done.stdout


def test_a_library_that_came_with_the_program_is_not_loaded(tmp_path: Path) -> None:
    for file in (tiny.program(), tiny.runtime(), tiny.library()):
        shutil.copy(file, tmp_path)
    commands = ["break truth_stop", "run", "ompd status", "ompd threads"]
    env = {**SMALL, "LD_LIBRARY_PATH": str(tmp_path)}
    done = run_gdb(commands, program=tmp_path / "tiny", env=env)
    library = tmp_path / "libtinyompd.so"
    assert f"{library} is not loaded, for it came with the program" in done.stdout + done.stderr
    trusted = [f"add-auto-load-safe-path {tmp_path}", *commands]
    assert f"{library}\n" in run_gdb(trusted, program=tmp_path / "tiny", env=env).stdout
