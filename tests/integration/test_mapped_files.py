# SPDX-License-Identifier: Apache-2.0
"""What is mapped is read, whatever has its name by now: in a container, after an upgrade, and of a
program that was built again. Where GDB has another file, no name is taken from it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from gdb_ompd import _native
from support.asking import Answer, ask
from support.gdb_session import run_gdb
from support.mapped import (
    RUNTIMES,
    can_make_containers,
    in_container,
    program_with_own_runtime,
    running,
    runtime_of,
)
from support.marking import marking_library

THREADS, STATUS = "ompd threads -json", "ompd status -json"
Rows = list[tuple[object, object, object]]
TEAM: Rows = [(0, 3, "main"), (1, 3, "main"), (2, 3, "main")]


def rows(answer: Answer) -> Rows:
    """Return each thread's number, its team's size and the function of the region it is in.

    Of a process that it attaches to, GDB numbers the threads in an order of its own."""
    assert answer.stderr == "", answer
    found = json.loads(answer.stdout)["threads"]
    places = [row["location"] and row["location"]["function"] for row in found]
    assert all(place in ("main", "wait_here", None) for place in places), found
    return sorted((row["thread_num"], row["team_size"], "main") for row in found)


def status(answer: Answer) -> dict[str, str]:
    """Return what is said of the only runtime."""
    (found,) = json.loads(answer.stdout)["runtimes"]
    assert found["problem"] is None, found
    return dict(found)


def attached(
    pid: int, commands: Sequence[str], cache: Path, program: Path | None = None
) -> list[Answer]:
    """Return what a gdb answers that has attached to a program."""
    env = {"XDG_CACHE_HOME": str(cache)}
    session = ask([f"attach {pid}"], [*commands, "detach"], program, env=env)
    return session.answers[:-1]


def build_id(path: Path) -> str:
    found = _native.Elf(str(path)).build_id
    assert found is not None
    return found


@pytest.fixture
def program(compiler: str, tmp_path: Path) -> Path:
    """A program with a stripped runtime of its own."""
    made = program_with_own_runtime(compiler, tmp_path)
    subprocess.run(["strip", str(tmp_path / "lib" / RUNTIMES[compiler])], check=True)
    return made


@pytest.mark.skipif(not can_make_containers(), reason="this user cannot make containers")
def test_in_a_container(compiler: str, program: Path, tmp_path: Path) -> None:
    """It has its own files, of the same names as others on this machine; beside the runtime is a
    library, which is not loaded."""
    runtime = tmp_path / "lib" / RUNTIMES[compiler]
    own = build_id(runtime)
    root, mark = tmp_path / "root", tmp_path / "was-loaded"
    with in_container(program, root) as pid:
        marking_library(root / str(runtime.parent / "libompd.so").lstrip("/"), mark)
        other = "clang" if compiler == "gcc" else "gcc"
        shutil.copy(runtime_of(other), runtime)
        shutil.copy("/bin/true", program)
        places, said = attached(pid, [THREADS, STATUS], tmp_path / "cache")
    assert rows(places) == TEAM
    found = status(said)
    assert (found["file"], found["build_id"]) == (str(runtime), own)
    assert found["read_from"] == f"/proc/{pid}/root{runtime}"
    assert not mark.exists()


@pytest.mark.parametrize("by", ["nothing", "another"])
def test_stacks_go_through_a_runtime_that_was_replaced(
    compiler: str, program: Path, by: str, tmp_path: Path
) -> None:
    """By the tables of the file that is mapped: GDB has none of it, or those of another one."""
    runtime = tmp_path / "lib" / RUNTIMES[compiler]
    with running([str(program)]) as process:
        runtime.unlink()
        if by == "another":
            shutil.copy(runtime_of("clang" if compiler == "gcc" else "gcc"), runtime)
        asked = ["ompd bt -all", "thread apply all bt"]
        merged, stacks = attached(process.pid, asked, tmp_path / "cache")
    assert "do not agree" not in merged.stdout and "not known" not in merged.stdout, merged
    each = re.split(r"^Thread \d+ ", stacks.stdout, flags=re.M)[1:]
    outermost = [re.findall(r"^#\d+ .*?(?:__GI___)?(\w+) \(", s, re.M)[-1] for s in each]
    assert sorted(outermost) == ["clone3", "clone3", "main"], stacks.stdout


@pytest.mark.parametrize("by", ["nothing", "another"])
def test_a_runtime_that_was_replaced(compiler: str, program: Path, by: str, tmp_path: Path) -> None:
    runtime = tmp_path / "lib" / RUNTIMES[compiler]
    own = build_id(runtime)
    with running([str(program)]) as process:
        runtime.unlink()
        if by == "another":
            shutil.copy(runtime_of("clang" if compiler == "gcc" else "gcc"), runtime)
        asked = [THREADS, STATUS, "ompd threads", "ompd break parallel-begin"]
        places, said, listing, refused = attached(process.pid, asked, tmp_path / "cache")
    assert rows(places) == TEAM
    found = status(said)
    assert (found["file"], found["build_id"]) == (str(runtime), own)
    assert found["read_from"] not in (None, str(runtime))
    has = "another " if by == "another" else ""
    why = f"GDB {'has read another' if has else 'does not find'} {runtime}, "
    assert why in listing.stdout and why in refused.stderr, (listing, refused)


def test_a_runtime_that_gdb_is_given(compiler: str, program: Path, tmp_path: Path) -> None:
    """By the command that is named, with which it knows the places of events."""
    with running([str(program)]) as process:
        (tmp_path / "lib" / RUNTIMES[compiler]).unlink()
        (listing,) = attached(process.pid, ["ompd threads"], tmp_path / "cache")
        (give,) = re.findall("'(add-symbol-file .*)'", listing.stdout)
        asked = [give, "ompd threads", "ompd break parallel-end", "set variable go_on = 1"]
        given = attached(process.pid, [*asked, "continue"], tmp_path / "cache")
    assert "add-symbol-file" not in given[1].stdout
    assert "OpenMP parallel region ends at in_region.c:17 in main" in given[-1].stdout, given


PART = """
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
extern atomic_int go_on;
MORE
void run(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
#pragma omp single nowait
        { puts("in the region"); fflush(stdout); }
        while (!atomic_load(&go_on)) usleep(1000);
    }
}
"""
DECOY = "int decoy(int i) { for (volatile int k = 0; k < i; k++) i += k; return i; }\n"
MAIN = "#include <stdatomic.h>\natomic_int go_on; void run(void); int main(void) { run(); }\n"


@pytest.mark.parametrize("identified", ["build-id", "contents"])
def test_a_module_of_the_users_that_was_built_again(
    compiler: str, identified: str, tmp_path: Path
) -> None:
    """What is at the same address in the new file is never said of the old one's code."""
    note = "sha1" if identified == "build-id" else "none"
    options = ["-g", "-fopenmp", f"-L{runtime_of(compiler).parent}", f"-Wl,--build-id={note}"]
    rpath = f"-Wl,-rpath,{tmp_path}:{runtime_of(compiler).parent}"
    part, main, program = tmp_path / "part.c", tmp_path / "main.c", tmp_path / "program"

    def make_part(more: str) -> None:
        part.write_text(PART.replace("MORE", more), encoding="ascii")
        out = str(tmp_path / "new.so")
        subprocess.run([compiler, *options, "-shared", "-fPIC", str(part), "-o", out], check=True)
        (tmp_path / "new.so").replace(tmp_path / "part.so")

    make_part("")
    main.write_text(MAIN, encoding="ascii")
    linked = [str(main), str(tmp_path / "part.so"), "-o", str(program), "-rdynamic", rpath]
    subprocess.run([compiler, *options, *linked], check=True)
    with running([str(program)]) as process:
        make_part("\n".join(DECOY.replace("decoy", f"decoy{i}") for i in range(40)))
        places, why = attached(process.pid, [THREADS, "ompd why"], tmp_path / "cache")
    found = json.loads(places.stdout)["threads"]
    assert sorted(row["thread_num"] for row in found) == [0, 1, 2]
    assert {row["team_size"] for row in found} == {3}
    assert "decoy" not in places.stdout + why.stdout
    assert f"GDB has read another {tmp_path}/part.so" in why.stdout


@pytest.mark.parametrize("by", ["nothing", "another"])
def test_a_program_that_was_built_again(compiler: str, by: str, tmp_path: Path) -> None:
    """One line says what to do, and then all is as ever."""
    program = program_with_own_runtime(compiler, tmp_path)
    with running([str(program)]) as process:
        program.unlink()
        if by == "another":
            shutil.copy("/bin/true", program)
        given = program if by == "another" else None
        refused = attached(process.pid, ["ompd threads", "ompd why"], tmp_path, given)
        asked = [f"file /proc/{process.pid}/exe", THREADS]
        known = attached(process.pid, asked, tmp_path, given)
    cure = f"'file /proc/{process.pid}/exe' gives GDB the one that runs\n"
    # GDB 16 takes the one that runs by itself.
    is_found = all(answer.stdout and not answer.stderr for answer in refused)
    assert is_found or all(
        answer.stderr.endswith(cure) and not answer.stdout for answer in refused
    ), refused
    assert rows(known[1]) == TEAM


def test_a_program_that_is_built_again_while_gdb_has_it(tmp_path: Path) -> None:
    """GDB goes on with what it has read."""
    program = program_with_own_runtime("gcc", tmp_path)
    commands = ["break wait_here", "run", f"shell cp /bin/true {program}.new"]
    commands += [f"shell mv {program}.new {program}"]
    (answer,) = ask(commands, [THREADS], program).answers
    assert rows(answer) == TEAM


def test_cores_and_their_programs(compiler: str, tmp_path: Path) -> None:
    """GDB reads libraries with a core, and only of a program that is the core's."""
    program, core = program_with_own_runtime(compiler, tmp_path), tmp_path / "core"
    with running([str(program)]) as process:
        run_gdb([f"attach {process.pid}", f"gcore {core}"], extension=False)
    other = shutil.copy("/bin/true", tmp_path / "other")
    load, again = f"core-file {core}", f"'core-file {core}'"
    needed = f"({program}, build id {build_id(program)}): 'file {program}' first, then {again}\n"
    without = ask([load], ["ompd threads"], None).answers[0].stderr
    late = ask([load, f"file {program}"], ["ompd threads", "ompd why"], None).answers
    wrong = ask([f"file {other}", load], ["ompd threads", "ompd why"], None).answers
    right = ask([f"file {program}", load], [THREADS], None).answers
    if without == "":
        assert rows(right[0]) == TEAM
        pytest.skip("GDB finds the program of a core")
    assert without == f"GDB has no executable for this {needed}"
    assert all(
        answer.stderr == "GDB has not read the libraries of this core, which was loaded before its"
        f" program: load it again, {again}\n"
        and not answer.stdout
        for answer in late
    ), late
    other_id = build_id(tmp_path / "other")
    has = f"{other} with build id {other_id} is not the program's file {needed}"
    assert [answer.stderr for answer in wrong] == [has, has]
    assert rows(right[0]) == TEAM
    program.unlink()
    (gone,) = ask([load], ["ompd threads"], None).answers
    assert f"{program}, build id " in gone.stderr and "'file PROGRAM' first" in gone.stderr
