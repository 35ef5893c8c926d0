# SPDX-License-Identifier: Apache-2.0
"""Threads in target constructs: which one, on which device, and that the host executes it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from support.build import OFFLOADS, PROGRAMS, build
from support.gdb_session import run_gdb

IN_GDB = Path(__file__).parents[1] / "support" / "targets_in_gdb.py"
AT_RANDOM = IN_GDB.with_name("targets_at_random_in_gdb.py")
KINDS = ("map", "data", "nowait", "depend", "declared", "nested", "teams", "task", "sections")
KINDS += ("distribute",)
NAMES = sorted(path.stem for path in (PROGRAMS / "targets").glob("*.c"))
# clang -O2 makes plain code of what the host alone executes: debug information alone tells it.
WAYS = tuple((compiler, opt) for compiler in ("offload", "clang", "gcc") for opt in ("O0", "O2"))
# Two constructs share their last call.
NOT_TOLD = {("in_region", "clang", "O2")}
# Of a worker that GCC's runtime has made inside of the construct: the rows have it.
NOT_ON_STACK = {("begun_inside", "gcc", "O0"), ("begun_inside", "gcc", "O2")}
DISTRIBUTION = {"offload": OFFLOADS, "clang": "14", "gcc": "gnu"}


def program(name: str, compiler: str, opt: str = "O0") -> Path:
    return build(f"targets/{name}.c", compiler, opt, DISTRIBUTION[compiler])


def compared(commands: list[str], env: dict[str, str], **where: Path) -> dict[str, object]:
    done = run_gdb([*commands, f"source {IN_GDB}"], env=env, **where)
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"stops"')]
    assert lines, done.stdout + done.stderr
    found: dict[str, object] = json.loads(lines[-1])
    return found


@pytest.mark.parametrize("compiler, opt", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_construct_and_device_at_every_stop(name: str, compiler: str, opt: str) -> None:
    if (name, compiler, opt) == ("host", "offload", "O2"):
        pytest.skip("plain code, as the program leaves it to the host")
    found = compared([], {"CORES": ""}, program=program(name, compiler, opt))
    wrong = found["wrong"]
    assert isinstance(wrong, list)
    may_lack = "no target region" if (name, compiler, opt) in NOT_ON_STACK else None
    if (name, compiler, opt) in NOT_TOLD:
        assert all(": None for " in each or "no target region" in each for each in wrong), wrong
    else:
        assert not [each for each in wrong if may_lack is None or may_lack not in each]
    assert int(str(found["stops"])) >= (1 if name == "enter_exit" else 2)


@pytest.mark.parametrize("compiler", sorted(DISTRIBUTION))
@pytest.mark.parametrize("name", ("nested", "nowait"))
def test_a_core_has_the_same(name: str, compiler: str, tmp_path: Path) -> None:
    binary = program(name, compiler)
    live = compared([], {"CORES": str(tmp_path)}, program=binary)
    assert not live["wrong"]
    core = sorted(tmp_path.glob("core.*"))[-1]
    said = tmp_path / core.name.replace("core", "said")
    found = compared([], {"CORES": "", "SAID": str(said)}, program=binary, core=core)
    # Before LLVM 19 the image's file is gone, and no code of it is in a core.
    is_gone = compiler == "offload" and "kind: None for target" in str(found["wrong"])
    assert is_gone or found == {"stops": 1, "wrong": []}


@pytest.mark.parametrize("compiler, opt", WAYS[2:])
@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
def test_every_thread_that_works_at_random_stops(
    kind: int, compiler: str, opt: str, tmp_path: Path
) -> None:
    binary = build("targets_at_random.c", compiler, opt, DISTRIBUTION[compiler])
    core = tmp_path / "core"
    for env in ({"KIND": str(kind), "CORE": str(core)}, {}):
        done = run_gdb([f"source {AT_RANDOM}"], binary, None if env else core, env=env)
        lines = [line for line in done.stdout.splitlines() if line.startswith('{"compared"')]
        assert lines, done.stdout + done.stderr
        found = json.loads(lines[-1])
        assert not found["wrong"], found
        assert not env or found["compared"] > 0, found


def test_what_is_said_of_a_region() -> None:
    asked = ["break visit", "run", "ompd threads", "ompd thread", "ompd bt", "ompd why"]
    done = run_gdb(asked, program("map", "offload"))
    assert re.search(r"working.*, in target at map\.c:9 \(device 0\) +initial", done.stdout)
    assert "in target at map.c:9 (device 0), sum at map.c:11" not in done.stdout  # visit's own
    assert "--  target region: sum at map.c:9\n" in done.stdout
    assert done.stdout.count("in target at map.c:9 (device 0)") == 3


@pytest.mark.parametrize("compiler, opt", [way for way in WAYS if way[0] != "clang"])
def test_a_region_inside_is_told_from_its_target_region(compiler: str, opt: str) -> None:
    """An image for a device has not the function that they are written in."""
    binary = program("region_inside", compiler, opt)
    said = run_gdb(["break visit", "run", "ompd bt", "ompd threads"], binary).stdout
    assert "--  target region: main at region_inside.c:8\n" in said
    assert re.search("^--  parallel region 1, .* of 3: main at region_inside.c:9", said, re.M)
    primary = "0 of 3  1      at end-of-region barrier, in target at region_inside.c:8"
    assert re.search(rf"^ +1 +[0-9]+  {primary} .*main at region_inside.c:9$", said, re.M), said


@pytest.mark.parametrize("opt", ("O0", "O2"))
def test_a_thread_that_ends_its_regions_threads_is_in_the_construct(opt: str) -> None:
    """GCC's runtime does so behind the region's function, and the thread's record is blank."""
    freed = ["delete", "break free thread 1", "continue", "ompd threads"]
    said = run_gdb(
        ["break visit", "run", *freed, "continue", "bt"], program("region_inside", "gcc", opt)
    ).stdout
    assert "GOMP_target_ext" in said, said
    assert re.search(r"^\* +1 .*in target at region_inside.c:8 \(the host\)", said, re.M), said


def test_the_host_executes_it_without_debug_information(tmp_path: Path) -> None:
    stripped = tmp_path / "map"
    os.system(f"strip --strip-debug {program('map', 'clang')} -o {stripped}")
    done = run_gdb(["break visit", "run", "ompd threads"], stripped)
    assert "in target at sum, line 9 (the host)" in done.stdout


@pytest.mark.parametrize("opt", ("O0", "O2"))
def test_fortrans_target_task_has_its_directives_line(opt: str) -> None:
    program = build("target_nowait.f90", "gcc", opt, "gnu")
    said = run_gdb(["break sync", "run", "ompd threads"], program).stdout
    assert "in target at target_nowait.f90:10 (the host)" in said, said


@pytest.mark.parametrize("opt", ("O0", "O2"))
def test_a_region_that_is_combined_with_its_target_construct_has_its_line(opt: str) -> None:
    asked = ["python print('LINE', int(gdb.parse_and_eval('line')))", "ompd parallel -json"]
    said = run_gdb(
        ["break visit", "run", *asked, "continue", *asked], build("combined.cpp", "gcc", opt, "gnu")
    ).stdout
    lines = [int(line) for line in re.findall(r"^LINE (\d+)$", said, re.M)]
    assert lines == [10, 15], said
    found = re.findall(r'"line": (\d+), .*"kind": "parallel"', said)
    assert [int(line) for line in found] == lines, said


@pytest.mark.parametrize("compiler", ("offload", "gcc"))
def test_a_thread_in_no_construct_is_in_none(compiler: str) -> None:
    done = run_gdb(["start", "ompd threads -json"], program("map", compiler))
    assert '"target": null' in done.stdout


@pytest.mark.parametrize("opt", ("O0", "O2"))
def test_a_team_keeps_its_threads_that_are_in_target_regions_of_the_host(opt: str) -> None:
    """GCC's runtime makes their records blank meanwhile."""
    binary = build("devices/hosted.c", "gcc", opt, "gnu")
    asked = ["ompd threads -json", "ompd parallel -all -json", "ompd parallel -all", "ompd why"]
    said = run_gdb(["break visit", "run", *asked], binary).stdout
    rows, regions = re.findall(r'(?ms)^\{"schema".*?\]\}$', said)
    threads = json.loads(rows)["threads"]
    on_host = [row for row in threads if row["target"]]
    numbers = ("thread_num", "team_size", "level", "active_level", "team_num", "num_teams")
    assert [[row[name] for name in numbers] for row in on_host] == [[0, 1, 0, 0, 0, 1]] * 2
    assert [(row["memberships"], row["task"]) for row in on_host] == [([[0, 1]], "initial")] * 2
    (region,) = json.loads(regions)["regions"]
    assert None not in region["threads"] and len(set(region["threads"])) == 3
    assert region["threads"][0] == 1
    assert "thread 0: not known" not in said and "(GDB ?)" not in said
    assert (
        len(re.findall(r"^\*? +[01] +\(GDB [12]\) +working \(serial\), in target at", said, re.M))
        == 2
    )


@pytest.mark.parametrize("asked", ("threads", "parallel", "why", "tasks", "tasks -all"))
def test_what_a_worker_is_that_executes_a_target_region_is_known(asked: str) -> None:
    """GCC's runtime makes its record blank, but the team lists it."""
    where = ["break visit if $_thread != 1", "run", "ompd threads", f"ompd {asked}"]
    for _ in range(5):
        said = run_gdb(where, program("in_region", "gcc")).stdout
        # Who generated the task of a worker that is in no target region is then not known.
        if "has not begun" not in said:
            break
    assert "hit Breakpoint 1" in said and "Not known of" not in said, said
    assert asked != "tasks" or re.search(r"^GDB thread \d+\n.*\n  0 initial  -", said, re.M), said


@pytest.mark.parametrize("opt", ("O0", "O2"))
def test_a_task_that_a_target_construct_waits_for_is_not_in_its_region(opt: str) -> None:
    binary = build("task_before_target.c", "gcc", opt, "gnu")
    said = run_gdb(["break visit", "run", "ompd threads -json", "ompd bt"], binary).stdout
    assert '"target": {' not in said and "target region" not in said, said
    assert "--  task: main at task_before_target.c:13" in said


@pytest.mark.parametrize("opt", ("O0", "O2"))
@pytest.mark.parametrize("own, number", ((0, 0), (1, 0), (0, 1), (2, 1)))
def test_a_region_is_known_whose_threads_are_all_in_target_regions(
    own: int, number: int, opt: str
) -> None:
    """GCC's runtime keeps their records in its own frames meanwhile."""
    binary = build("team_in_targets.c", "gcc", opt, "gnu")
    asked = ["print lwps", "ompd threads -json", "ompd parallel -all -json", "ompd bt"]
    where = [f"break visit if own == {own} && number == {number}", "run"]
    said = run_gdb([*where, *asked], binary).stdout
    lwps = json.loads(re.sub(r".*= {(.*)}", r"[\1]", re.findall(r"\$1 = {.*}", said)[0]))
    rows, regions = re.findall(r'(?ms)^\{"schema".*?\]\}$', said)
    threads = {row["gdb_num"]: row for row in json.loads(rows)["threads"]}
    (outer,) = (one for one in json.loads(regions)["regions"] if one["team_size"] == 3)
    assert [threads[one]["lwp"] for one in outer["threads"]] == lwps
    assert [(row["level"], row["team_size"]) for row in threads.values()] == [(1, 2)] * 6
    line = "main at team_in_targets.c"
    assert f"level 1, thread {number} of 2: {line}:26" in said
    assert f"target region: {line}:24" in said
    assert f"level 1, thread {own} of 3: {line}:20" in said
    assert "is not known)" not in said
