# SPDX-License-Identifier: Apache-2.0
"""A debugger without libthread_db, as in a container, with another C library, or where GDB may not
load it: threads are known by the kernel's numbers, their own variables by the C library's records."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from support.asking import Answer, ask
from support.build import PROGRAMS
from support.mapped import can_make_containers, in_container, program_with_own_runtime, running

WITHOUT = "set libthread-db-search-path /nonexistent"
ASKED = (
    "ompd threads -json",
    "ompd print own",
    "thread 1",
    "ompd print own + 1",
    "ompd print -up own",
    "ompd whatis own",
    "print own",
)


def assert_known(answers: list[Answer]) -> None:
    threads, own, _, sums, up, whatis, plain = answers
    rows = [(row["thread_num"], row["team_size"]) for row in json.loads(threads.stdout)["threads"]]
    assert sorted(rows) == [(0, 3), (1, 3), (2, 3)], threads  # GDB has an order of its own
    assert own.stdout == "0: 100\n1: 101\n2: 102\n", own
    assert sums.stdout == "0: 101\n1: 102\n2: 103\n", sums
    assert up.stdout.startswith("100\n"), up
    assert whatis.stdout.startswith("own: threadprivate "), whatis
    assert "Cannot find thread-local storage" in plain.stderr  # GDB itself has none


@pytest.mark.parametrize("opt", ["-O0", "-O2"])
def test_attached_and_in_a_core(compiler: str, opt: str, tmp_path: Path) -> None:
    program, core = program_with_own_runtime(compiler, tmp_path, opt), tmp_path / "core"
    with running([str(program)]) as process:
        asked = [*ASKED, f"gcore {core}", "detach"]
        assert_known(ask([WITHOUT, f"attach {process.pid}"], asked, program).answers[:-2])
    assert_known(ask([WITHOUT, f"core-file {core}"], ASKED, program).answers)


@pytest.mark.skipif(not can_make_containers(), reason="this user cannot make containers")
def test_in_a_container(compiler: str, tmp_path: Path) -> None:
    """Where the C library has other numbers of the threads than the debugger."""
    program, root = program_with_own_runtime(compiler, tmp_path), tmp_path / "root"
    with in_container(program, root) as pid:
        asked = ["ompd parallel -json", "detach"]
        parallel, _ = ask([WITHOUT, f"attach {pid}"], asked, program).answers
    (region,) = json.loads(parallel.stdout)["regions"]
    assert sorted(region["threads"]) == [1, 2, 3], parallel


def test_a_static_program(tmp_path: Path) -> None:
    """Of whose runtime only what it calls is linked. Stripped it is known by the unstripped one."""
    program, stripped = tmp_path / "static", tmp_path / "stripped"
    source = str(PROGRAMS / "in_region.c")
    command = ["gcc", "-g", "-fopenmp", "-static", source, "-o", str(program)]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    subprocess.run(["strip", "-o", str(stripped), str(program)], check=True)
    with running([str(stripped)]) as process:
        asked = ["ompd threads", "ompd why", f"file {program}", *ASKED, "detach"]
        threads, why, _, *known = ask([WITHOUT, f"attach {process.pid}"], asked, None).answers
    assert threads == why and "'file PROGRAM' with the unstripped program" in why.stderr
    assert_known(known[:-1])


def test_a_variable_that_is_not_found(tmp_path: Path) -> None:
    """Without libthread_db and without what the C library says of a library's place."""
    program = program_with_own_runtime("gcc", tmp_path)
    hide = "python import gdb_ompd.host.sessions.session as s; s.Session.thread_local = lambda *asked: None"
    setup = [WITHOUT, hide, "break wait_here", "run"]
    (answer,) = ask(setup, ["ompd print own"], program).answers
    assert answer.stdout.startswith(
        "0-2: <each thread has its own, which GDB does not find: "
    ), answer
