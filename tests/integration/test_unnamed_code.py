# SPDX-License-Identifier: Apache-2.0
"""Code that has no name: a stripped library that is called from a stripped program."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.build import PROGRAMS
from support.gdb_session import run_gdb
from support.runtimes import GNU, runtime_folder

FILES = PROGRAMS / "unnamed"
MARK = "@@"
BODIES = ("begin_work._omp_fn.0", ".omp_outlined.", "begin_work.omp_outlined")


@dataclass(frozen=True)
class Unnamed:
    """The program, and what the functions of its files are called that have lost their names."""

    program: Path
    library: Path
    names: dict[str, str]

    def asked(self, *commands: str, event: str = "break all_there") -> list[str]:
        """Return what each of COMMANDS says where all threads are at their places, and EVENT stops
        the program."""
        marked = (part for command in commands for part in (f"echo {MARK}\\n", command))
        begin = ["set breakpoint pending on", event, "run"]
        done = run_gdb([*begin, *marked, "kill"], self.program, merged=True, timeout=60)
        assert "Traceback" not in done.stdout, done.stdout
        return done.stdout.split(f"{MARK}\n")[1:]


@pytest.fixture(
    name="unnamed",
    scope="module",
    params=[("gcc", "O0", GNU), ("gcc", "O2", GNU), ("clang", "O2", "19")],
    ids="-".join,
)
def fixture_unnamed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Unnamed:
    compiler, opt, runtime = request.param
    folder = tmp_path_factory.mktemp("unnamed")
    return made(folder, compiler, opt, runtime, "library.c", "host.c", strip=("library", "host"))


def made(
    folder: Path,
    compiler: str,
    opt: str,
    runtime: str,
    library: str,
    host: str,
    strip: Sequence[str],
) -> Unnamed:
    """Build a library and the program that calls it in FOLDER; STRIP names what loses symbols."""
    files = {"library": folder / "libunnamed.so", "host": folder / "host"}
    flags = [compiler, f"-{opt}", "-fopenmp", "-Wall", "-Wextra", "-Werror"]
    if runtime != GNU:
        flags += [f"-L{runtime_folder(runtime)}", f"-Wl,-rpath,{runtime_folder(runtime)}"]
    shared = ["-shared", "-fPIC", str(FILES / library), "-o", str(files["library"])]
    # A library has only what it uses: one without OpenMP does not need the runtime.
    subprocess.run([*flags, "-Wl,--as-needed", *shared], check=True)
    own = [f"-L{folder}", "-lunnamed", f"-Wl,-rpath,{folder}", "-o", str(files["host"])]
    debug = [] if "host" in strip else ["-g"]
    subprocess.run([*flags, *debug, str(FILES / host), *own], check=True)
    names = {**_names(files["library"]), **_names(files["host"])}
    for kind in strip:
        subprocess.run(["strip", str(files[kind])], check=True)
    body = next((names[each] for each in BODIES if each in names), "")
    return Unnamed(files["host"], files["library"], {**names, "body": body})


def _names(file: Path) -> dict[str, str]:
    """Return what the functions of a file are called without their names."""
    said = subprocess.run(["nm", str(file)], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.findall(r"^([0-9a-f]+) [tT] (\S+)$", said, re.MULTILINE)
    return {name: f"{file.name}+{int(address, 16):#x}" for address, name in found}


def test_each_listing_names_code_by_its_file(unnamed: Unnamed) -> None:
    names = unnamed.names
    asked = ["thread 3", "ompd bt", "ompd bt -team", "ompd parallel", "ompd tasks", "ompd sample 1"]
    _, stack, team, region, tasks, sampled = unnamed.asked(*asked)
    for said in (stack, team, region, tasks, sampled):
        assert "??" not in said, said
    own = re.findall(r"^#\d+ +0x[0-9a-f]+ in (\S+) \(\)$", stack, re.MULTILINE)
    assert own == [names["count_up"], names["work"], names["body"]], stack
    for said in (stack, team):
        assert names["body"] in said, said
    for said in (region, tasks):  # one that has jumped to the runtime has left no name
        assert "begin_work from libunnamed.so" in said or names["body"] in said, said
    # Two threads are somewhere in one function, and one in another.
    assert re.search(
        rf"[ *] 1-2 \(GDB [\d,-]+\) +{re.escape(names['count_up'])}$", team, re.M
    ), team
    assert re.search(rf"[ *] 3 \(GDB \d+\) +{re.escape(names['count_down'])}$", team, re.M), team
    for name in (names["body"], names["work"], names["count_up"], names["count_down"]):
        assert len(re.findall(rf"% +{re.escape(name)}$", sampled, re.MULTILINE)) == 1, sampled


def test_a_value_is_of_the_same_function_in_each_thread(unnamed: Unnamed) -> None:
    other = unnamed.names["count_down"]
    _, innermost, _, caller = unnamed.asked(
        "thread 3", "ompd print $pc", "frame 1", "ompd print $pc"
    )
    assert innermost.count(f" (in {other})\n") == 1 and "<no frame" not in innermost, innermost
    assert " (in " not in caller and "<no frame" not in caller, caller


def test_a_function_of_a_library_has_its_file(unnamed: Unnamed) -> None:
    stack, document = unnamed.asked("ompd bt", "ompd bt -json")
    assert re.search(r"^#0 +0x[0-9a-f]+ in all_there \(\) from libunnamed.so$", stack, re.M), stack
    assert re.search(rf"#\d+ +0x[0-9a-f]+ in {re.escape(unnamed.names['main'])} \(\)$", stack, re.M)
    frames: list[dict[str, Any]] = json.JSONDecoder().raw_decode(document)[0]["stack"]
    assert frames[0]["function"] == "all_there"
    assert frames[0]["code"]["module"] == str(unnamed.library)
    work = frames[1]
    assert work["function"] is None
    name = f"libunnamed.so+{work['code']['offset']:#x}"
    assert name == unnamed.names["work"] and not work["code"]["executable"]
    assert frames[-1]["code"]["executable"]


def test_where_a_thread_is_without_a_name(unnamed: Unnamed) -> None:
    threads, why, document = unnamed.asked("ompd threads", "ompd why", "ompd threads -json")
    for said in (threads, why):
        assert "??" not in said, said
        assert unnamed.names["count_down"] in said, said
    assert threads.count(unnamed.names["count_down"]) == 1, threads
    assert threads.count(unnamed.names["count_up"]) == 2, threads
    rows = json.JSONDecoder().raw_decode(document)[0]["threads"]
    assert [row["location"]["function"] for row in rows] == ["all_there", None, None, None]
    assert {row["location"]["code"]["module"] for row in rows} == {str(unnamed.library)}


def test_the_innermost_place_and_its_caller_with_source(tmp_path: Path) -> None:
    """What waits in a library is named by what the user's code called of it."""
    program = made(tmp_path, "gcc", "O2", GNU, "waiting.c", "caller.c", strip=["library"])
    asked = ["ompd threads", "ompd why", "ompd threads -json"]
    threads, why, document = program.asked(*asked, event="echo")
    inside, caller = program.names["inside"], r"call at caller\.c:\d+"
    both = rf"{re.escape(inside)} \({caller}\)"
    assert re.search(rf" 0 of 3 .* in call_library +implicit +{caller}$", threads, re.M), threads
    assert re.search(rf" 1 of 3 .* working +implicit +{both}$", threads, re.M), threads
    assert re.search(rf" 2 of 3 .* crashed: SIGSEGV +implicit +{both}$", threads, re.M), threads
    assert f", SIGSEGV in {inside}, called at caller.c:" in why, why
    rows = json.JSONDecoder().raw_decode(document)[0]["threads"]
    innermost = [row["location"]["innermost"] for row in rows]
    assert rows[0]["outside"] == "call_library" and innermost[0] is None
    assert [each["code"]["module"] for each in innermost[1:]] == [str(program.library)] * 2


def test_a_call_of_a_library_from_code_without_a_name(tmp_path: Path) -> None:
    both = ["library", "host"]
    program = made(tmp_path, "gcc", "O2", GNU, "waiting.c", "caller.c", strip=both)
    (threads,) = program.asked("ompd threads", event="echo")
    names = program.names
    called = rf"in call_library +implicit +host\+0x[0-9a-f]+$"
    assert re.search(rf" 0 of 3 .* {called}", threads, re.M), threads
    assert threads.count(f"  {names['inside']}\n") == 2, threads


@pytest.mark.parametrize("run", ["run", "run by-name"])
@pytest.mark.parametrize(("compiler", "runtime"), [("gcc", GNU), ("clang", "19")])
def test_a_region_of_a_library_is_in_what_was_called_of_that(
    tmp_path: Path, compiler: str, runtime: str, run: str
) -> None:
    """As numpy's matrix products in OpenBLAS: no thread is "in pause" there."""
    program = made(tmp_path, compiler, "O2", runtime, "gather.c", "gathers.c", strip=["library"])
    asked = ["ompd threads", "ompd why", "ompd parallel", "ompd parallel -json"]
    begin = ["set breakpoint pending on", "break all_there", run]
    marked = (part for command in asked for part in (f"echo {MARK}\\n", command))
    said = run_gdb([*begin, *marked, "kill"], program.program, merged=True).stdout
    threads, why, region, document = said.split(f"{MARK}\n")[1:]
    inside = re.escape(program.names["inside"])
    for number in (0, 1):
        assert re.search(rf" {number} of 3 .* in gather +implicit +{inside}$", threads, re.M), said
    assert "pause" not in threads + why + region, said
    assert "(in gather)" in region and "(in gather)" in why, said
    regions = json.JSONDecoder().raw_decode(document)[0]["regions"]
    assert [each["library_call"] for each in regions] == ["gather"]


def test_a_library_around_that_is_its_user(tmp_path: Path) -> None:
    program = made(tmp_path, "gcc", "O2", GNU, "gather.c", "gathers.c", strip=["library"])
    own = [f"-L{tmp_path}", f"-Wl,-rpath,{tmp_path}", "-o"]
    outer, host = ["-shared", "-fPIC", "outer.c", "-lunnamed"], ["-Dgather=run_all", "gathers.c"]
    for files, made_of in (("libouter.so", outer), ("host", [*host, "-louter"])):
        subprocess.run(["gcc", "-O2", *made_of, *own, str(tmp_path / files)], check=True, cwd=FILES)
    (threads,) = program.asked("ompd threads", event="break all_there")
    assert threads.count("in gather ") == 2, threads


def clangs(name: str, opt: str, folder: Path) -> Path:
    """Build a stripped program of clang's."""
    program, lib = folder / name, runtime_folder("19")
    flags = ["clang", f"-{opt}", "-fopenmp", f"-L{lib}", f"-Wl,-rpath,{lib}", "-s"]
    subprocess.run([*flags, str(FILES / f"{name}.c"), "-o", str(program)], check=True)
    return program


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_a_task_that_is_executed_at_once_shows_in_the_stack(opt: str, tmp_path: Path) -> None:
    """As its own frames, or without, where the compiler has put it into its creator's function."""
    said = run_gdb(["run", "ompd tasks", "ompd bt"], clangs("at_once", opt, tmp_path)).stdout
    (task,) = re.findall(r"^ +0 explicit .* (at_once\+\w+)$", said, re.MULTILINE)
    marks = re.findall(r"^-- +(.*)$", said, re.MULTILINE)
    assert [mark.partition(",")[0] for mark in marks] == [
        f"task: {task}",
        "parallel region 1",
    ], said


@pytest.mark.parametrize(("opt", "run"), [("O0", "run"), ("O2", "run"), ("O2", "run bound")])
def test_a_serialized_region_shows_in_the_stack(opt: str, run: str, tmp_path: Path) -> None:
    program = clangs("serialized", opt, tmp_path)
    said = run_gdb([run, "ompd parallel -all", "ompd bt"], program).stdout
    outer, inner = re.findall(r"Region \d .* serialized: (serialized\+\w+)", said)
    assert outer != inner, said
    marks = re.findall(r"^-- +(.*)$", said, re.MULTILINE)
    assert marks[0].startswith("task: "), said
    assert marks[1:] == [
        f"parallel region {number}, level {number}, serialized: {body}"
        for number, body in ((2, inner), (1, outer))
    ], said


@pytest.mark.parametrize("arguments", ["", "with-record"])
def test_a_task_with_a_region_that_a_thread_has_done_its_part_of(
    tmp_path: Path, arguments: str
) -> None:
    """GCC's runtime keeps no function of it, and its call could as well copy variables."""
    program = tmp_path / "around"
    flags = ["gcc", "-O2", "-fopenmp", "-s"]
    subprocess.run([*flags, str(FILES / "around.c"), "-o", str(program)], check=True)
    asked = ["ompd tasks -all", "ompd bt", "ompd tasks"]
    env = {"OMP_WAIT_POLICY": "passive"}
    said = run_gdb([f"run {arguments}", *asked], program, env=env, timeout=60).stdout
    listed = re.findall(r"^ +1 explicit +2 +2 +(around\+\w+)$", said, re.MULTILINE)
    assert len(listed) == 3 and len(set(listed)) == 1, said
    assert re.search(rf" 1 +suspended +{re.escape(listed[0])} +initial task$", said, re.M), said
    marks = re.findall(r"^-- +(.*)$", said, re.MULTILINE)
    assert marks[1:] == [f"task: {listed[0]}"], said


# The user knows the function that a library exports, and "ompd parallel" names that.
@pytest.mark.parametrize("build", [("gcc", "O0", GNU), ("gcc", "O2", GNU), ("clang", "O2", "19")])
def test_a_regions_event_is_known_by_the_exported_function_above(
    build: tuple[str, str, str], tmp_path: Path
) -> None:
    made_of = made(tmp_path, *build, "helper.c", "helped.c", strip=("library", "host"))
    event = ["set breakpoint pending on", "break prepare", "run", "delete"]
    event += ["ompd break parallel-begin solve", "continue", "continue", "continue", "continue"]
    done = run_gdb(event, made_of.program, merged=True, timeout=60)
    assert done.stdout.count("OpenMP parallel region begins") == 3, done.stdout
    assert "exited normally" in done.stdout, done.stdout
