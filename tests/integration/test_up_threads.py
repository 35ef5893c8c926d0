# SPDX-License-Identifier: Apache-2.0
"""Variables of callers in each thread: "-up" looks them up, and without it is said where they are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.build import PROGRAMS
from support.gdb_session import run_gdb

SOURCE = PROGRAMS / "called.c"
# All threads have passed the breakpoint or stand at it, in the function that is called.
STOP = ["break 10 if $_omp_thread_num() == 2", "run"]


@pytest.fixture(name="program", scope="module", params=("gcc", "clang"))
def fixture_program(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The program on the compiler's own runtime."""
    program = tmp_path_factory.mktemp("called") / "called"
    command = [str(request.param), "-g", "-fopenmp", str(SOURCE), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def said(program: Path, *commands: str) -> list[str]:
    """Return what the commands say where thread 2 of the team is in the function."""
    asked = [part for command in commands for part in ("echo @@\\n", command)]
    done = run_gdb([*STOP, *asked, "kill"], program, merged=True)
    return done.stdout.split("@@\n")[1:]


def test_each_thread_is_looked_through(program: Path) -> None:
    asked = ("print -up own", "print -up -threads 2 own", "print -up -threads 2 -stats own+rate")
    one, chosen, stats = said(program, *(f"ompd {each}" for each in asked))
    assert one.splitlines()[0] == "20"
    assert chosen.splitlines() == ["own of main at called.c:18", "2: 20"]
    assert "2: 22.5" in stats.splitlines() and "rate of main at called.c:18" in stats


def test_it_is_said_where_a_callers_variable_is(program: Path) -> None:
    asked = ("print -threads 2 own", "frame #1", "print -threads 2 own", "diff -up -threads 2 own")
    shown, _, there, diff = said(program, *(f"ompd {each}" for each in asked))
    assert 'a variable of main at called.c:18: "ompd frame #1", or "ompd print -up"' in shown
    assert there.splitlines() == ["2: 20"]
    assert "own of main at called.c:18" in diff
