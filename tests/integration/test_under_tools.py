# SPDX-License-Identifier: Apache-2.0
"""Programs under tools that have a stub of their own for GDB, which gives no thread pointers:
threads are known by the C library's list, or are said to be unknown."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.asking import Answer, ask
from support.gdb_session import clean_environment
from support.mapped import RUNTIMES, program_with_own_runtime

THREADS, NUMBER = "ompd threads -json", "output $_omp_thread_num()"


@contextmanager
def under_valgrind(program: Path, tool: str = "none") -> Iterator[str]:
    """Give the command that connects gdb to PROGRAM, which waits for it."""
    pipes = program.parent / "vgdb"
    argv = ["valgrind", f"--tool={tool}", "--vgdb=full", "--vgdb-error=0", f"--vgdb-prefix={pipes}"]
    with subprocess.Popen(
        [*argv, str(program)],
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            said = iter(process.stderr.readline, "")
            assert any("target remote | " in line for line in said), "valgrind has ended"
            while not list(program.parent.glob("vgdb-from-*")):  # made after that is said
                assert process.poll() is None
                time.sleep(0.01)
            yield f"target remote | vgdb --vgdb-prefix={pipes} --pid={process.pid}"
        finally:
            process.kill()


def at_region(program: Path, *setup: str) -> tuple[Answer, Answer, Answer]:
    with under_valgrind(program) as connect:
        # The last thread at the barrier: all have come to their region.
        at_stop = ["set confirm off", connect, "break wait_here", "continue"]
        asked = [THREADS, NUMBER, "ompd why", "kill"]
        threads, number, why, _ = ask([*setup, *at_stop], asked, program).answers
    return threads, number, why


@pytest.fixture
def program(compiler: str, tmp_path: Path) -> Path:
    """A program with a runtime whose debug information older releases of valgrind do not stumble
    over."""
    if shutil.which("vgdb") is None:
        pytest.skip("valgrind is not installed")
    made = program_with_own_runtime(compiler, tmp_path)
    subprocess.run(["strip", str(tmp_path / "lib" / RUNTIMES[compiler])], check=True)
    return made


def test_valgrind(program: Path) -> None:
    threads, number, why = at_region(program)
    assert not threads.stderr, threads
    rows = json.loads(threads.stdout)["threads"]
    assert sorted((row["thread_num"], row["team_size"]) for row in rows) == [
        (0, 3),
        (1, 3),
        (2, 3),
    ]
    assert number.stdout in "012"
    assert "Team of 3, level 1, main at in_region.c:17" in why.stdout


def test_what_valgrind_puts_in_for_the_c_librarys_is_no_code_of_the_users(
    compiler: str, program: Path
) -> None:
    begin = {"gcc": "GOMP_parallel", "clang": "__kmpc_fork_call"}[compiler]
    with under_valgrind(program, "memcheck") as connect:
        at_begin = ["set confirm off", connect, f"tbreak {begin}", "continue"]
        in_malloc = ["tbreak _vgr10010ZU_libcZdsoZa_malloc", "continue"]
        (threads, _) = ask([*at_begin, *in_malloc], [THREADS, "kill"], program).answers
    first, *_ = json.loads(threads.stdout)["threads"]
    assert first["location"]["function"] == "main" and "vgpreload" not in threads.stdout, threads


def test_threads_that_cannot_be_told_apart(program: Path) -> None:
    """As with another C library: nobody is idle, or no OpenMP thread, for that."""
    hide = "python import gdb_ompd._native as n; n.identified = lambda space, modules, all, pointers: all"
    threads, _, why = at_region(program, hide)
    assert not threads.stderr, threads
    rows = json.loads(threads.stdout)["threads"]
    unknown = "GDB does not tell on this target which of the C library's threads it is"
    assert [(row["kind"], row["error"]) for row in rows] == [(None, unknown)] * 3
    assert "idle" not in why.stdout.splitlines()[0] and "Team of" not in why.stdout
