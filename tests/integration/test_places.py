# SPDX-License-Identifier: Apache-2.0
"""Which CPUs threads may run on: as the program itself records it, and what "ompd why" makes of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Optional

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.gdbserver import gdbserver
from support.runtimes import GNU, stripped

BUILDS = {
    "gcc": Build("on_cpus.c", "gcc", "O2", GNU),
    "clang": Build("on_cpus.c", "clang", "O2", stripped("14")),
}
HERE = sorted(os.sched_getaffinity(0))
STOP = [
    "set confirm off",
    "set print elements 0",
    "set print repeats 0",
    "set breakpoint pending on",
    "break stop_here",
]
both = pytest.mark.parametrize("name", list(BUILDS))


def said(name: str, how: str, *asked: str, **env: str) -> list[str]:
    """Return what each command says where all threads of the program work."""
    commands = [*STOP, f"run {how}"]
    for each in asked:
        commands += ["echo NEXT\\n", each]
    return run_gdb(commands, binary(BUILDS[name]), env=env).stdout.split("NEXT\n")[1:]


def document(text: str) -> dict[str, Any]:
    """Return the JSON document in what GDB said."""
    found: dict[str, Any] = json.loads(text[text.index('{"schema"') : text.rindex("}") + 1])
    return found


def printed(text: str) -> list[int]:
    """Return the numbers of an array that GDB has printed."""
    return [int(each) for each in text.partition("{")[2].partition("}")[0].split(",")]


@both
def test_they_are_where_the_program_says(name: str, tmp_path: Path) -> None:
    path = tmp_path / "stop.json"
    truth = [f"output {array}[0]@threads" for array in ("lwps", "first_cpu", "cpus", "nanoseconds")]
    asked = [*truth, "ompd places -json", "continue"]
    kept = [f"ompd save {path}", "ompd places -json", f"ompd places -json -from {path}"]
    *arrays, first, _, _, live, saved = said(name, "one", *asked, *kept, "ompd places")[:-1]
    lwps, first_cpu, cpus, spent = map(printed, arrays)
    rows = {row["lwp"]: row for row in json.loads(first)["places"]}
    assert len(lwps) == 4 and set(lwps) == set(rows)
    for lwp, cpu, count, nanoseconds in zip(lwps, first_cpu, cpus, spent):
        assert (rows[lwp]["allowed"], count) == ([cpu], 1)
        assert rows[lwp]["last_cpu"] == cpu and rows[lwp]["state"] and rows[lwp]["problem"] is None
        assert nanoseconds <= rows[lwp]["nanoseconds"]
    later = json.loads(live)
    assert all(row["since_last_stop"] is not None for row in later["places"])
    stable = ("lwp", "thread_num", "allowed", "last_cpu", "nanoseconds", "voluntary", "forced")
    again = json.loads(saved)["places"]
    assert [[row[key] for key in stable] for row in again] == [
        [row[key] for key in stable] for row in later["places"]
    ]


@both
def test_a_team_on_one_cpu_is_said_to_be(name: str, tmp_path: Path) -> None:
    path = tmp_path / "stop.json"
    kept = [f"ompd save {path}", f"ompd why -from {path}"]
    live, _, saved = said(name, "one", "ompd why", *kept)
    first, *rest = live.splitlines()
    assert first.startswith("Running: GDB thread")
    crowded = f"All 4 threads of the team may run on CPU {HERE[0]} only, and take turns there: "
    (note,) = [line for line in rest if line.startswith(crowded)]
    if len(HERE) > 1 and name == "clang":  # GCC's runtime starts before the program has done it
        assert "the process had one CPU already when the runtime started" in note
    assert saved == live
    if len(HERE) > 1:
        (bound,) = said(name, "bound", "ompd why", OMP_PROC_BIND="false")
        assert crowded in bound and "num-procs-var is 1" not in bound


@both
def test_nothing_is_said_of_cpus_where_each_thread_has_one(name: str) -> None:
    (text,) = said(name, "free", "ompd why")
    assert "CPU" not in text


def test_scheduler_locking_is_said_of_what_can_go_on() -> None:
    asked = ["set scheduler-locking on", "ompd why", "set scheduler-locking replay", "ompd why"]
    _, held, _, free = said("gcc", "free", *asked)
    first = held.splitlines()[0]
    assert (
        first.startswith("Running: GDB thread") and "'set scheduler-locking on' lets the" in first
    )
    assert "scheduler-locking" not in free


RESTLESS = {
    "gcc": Build("restless_places.c", "gcc", "O2", GNU),
    "clang 14": Build("restless_places.c", "clang", "O0", stripped("14")),
    "clang 19": Build("restless_places.c", "clang", "O2", stripped("19")),
}
# At a stop that each round has once: the rows of the listing beside what the program has recorded of
# threads that were not changing it.
BESIDE = """
import json
import random
def beside(stops):
    value = lambda name: gdb.parse_and_eval(name)
    for _ in range(stops):
        gdb.execute(f'ignore 1 {random.randrange(20)}', to_string=True)
        gdb.execute('continue', to_string=True)
        said = json.loads(gdb.execute('ompd places -json', to_string=True))
        rows = {row['lwp']: row for row in said['places']}
        names = ('places', 'firsts', 'lasts', 'cpus', 'nanoseconds')
        for n in range(4):
            if not int(value('changing')[n]):
                own = [int(value(name)[n]) for name in names]
                print('BESIDE ' + json.dumps([rows[int(value('lwps')[n])], own]))
"""


@pytest.mark.parametrize("places", ["threads", "{0},{1},{0,1}", None])
@pytest.mark.parametrize("build", RESTLESS.values(), ids=list(RESTLESS))
def test_they_are_the_runtimes_at_any_stop(
    build: Build, places: Optional[str], tmp_path: Path
) -> None:
    helper = tmp_path / "beside.py"
    helper.write_text(BESIDE, "utf-8")
    env = {"OMP_PLACES": places} if places else {}
    done = run_gdb([*STOP, "run", f"source {helper}", "python beside(8)"], binary(build), env=env)
    told = [json.loads(each[7:]) for each in done.stdout.splitlines() if each.startswith("BESIDE ")]
    assert len(told) >= 8, done.stdout + done.stderr
    for row, (place, first, last, cpu, spent) in told:
        assert (-1 if row["place"] is None else row["place"]) == place
        assert (row["partition"] or [-1, -1]) == [first, last]
        assert (row["allowed"], row["last_cpu"]) == ([cpu], cpu)
        assert spent <= row["nanoseconds"]


def test_another_machines_kernel_tells_it_by_its_files() -> None:
    program = binary(BUILDS["gcc"])
    with gdbserver("--once", str(program), "one") as (_, address):
        asked = [f"target remote {address}", "break stop_here", "continue"]
        shown = ["ompd places -json", "ompd why"]
        text = run_gdb(["set confirm off", *asked, *shown, "kill"], program).stdout
    assert f"All 4 threads of the team may run on CPU {HERE[0]} only, and take turns there" in text
    rows = document(text)["places"]
    assert [row["allowed"] for row in rows] == [[HERE[0]]] * 4
    assert all(row["last_cpu"] == HERE[0] and row["on_cpu"] for row in rows[:1])
    assert all(row["nanoseconds"] and row["voluntary"] is not None for row in rows)


def test_a_core_file_has_no_cpus(tmp_path: Path) -> None:
    core, program = tmp_path / "core", binary(BUILDS["gcc"])
    stop = [*STOP, "run one", f"generate-core-file {core}", "ompd places -json"]
    live = run_gdb(stop, program, env={"OMP_PLACES": "threads"}).stdout
    kept = run_gdb(["ompd places -json"], program, core).stdout
    of_live, of_core = (
        [[row["place"], row["partition"]] for row in document(text)["places"]]
        for text in (live, kept)
    )
    assert of_core == of_live and of_live[0][0] is not None
    text = run_gdb(["ompd places", "ompd why"], program, core).stdout
    assert "A core file has no CPUs" in text and "num-procs-var" in text
    assert "Running: " in text and "may run on" not in text


def test_an_environment_that_is_no_text_is_no_error() -> None:
    shown = ["ompd why", "ompd places", "ompd parallel -why"]
    (why, places, sizes) = said("gcc", "free", *shown, OTHER="\udcff", OMP_NUM_THREADS="\udcfe")
    assert why.startswith("Running: ") and "num-procs-var" in places and "Region 1" in sizes
