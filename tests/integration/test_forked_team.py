# SPDX-License-Identifier: Apache-2.0
"""A process that was forked from one with OpenMP threads does not have these: each listing says so
from the fork on, and the verdict what to do."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from support.build import build
from support.gdb_session import run_gdb
from support.runtimes import GNU

BOTH = ["set detach-on-fork off", "set schedule-multiple on", "set print thread-events off"]
CHILD = ["set follow-fork-mode child", "set print thread-events off"]
NO_COPY = "this process was forked, and fork() did not copy members 1-"
TRIES = 6
PYTHON = "/usr/bin/python3"
PRODUCT = """
import os, numpy
a = numpy.ones((400, 400)); a @ a
child = os.fork()
if child == 0:
    a @ a
    os._exit(0)
print(child, flush=True)
os.waitpid(child, 0)
"""


def test_a_forked_process_that_waits_for_the_first_ones_threads() -> None:
    first = ["break all_but_one_have_come", "break has_forked thread 1", "break a_second_later"]
    alone = ["run", "set scheduler-locking on", "continue", "set scheduler-locking off"]
    asked = ["ompd why", "ompd threads", "ompd parallel -all"]
    script = [*BOTH, *first, *alone, "continue", "inferior 2", *asked, "kill inferiors 1 2"]
    program = build("forked_team.c", "gcc", "O0", GNU)
    said = run_gdb(script, program, env={"OMP_WAIT_POLICY": "passive"}).stdout
    assert "can go on" not in said and "working" not in said, said
    assert f"forked_team.c:12 can never begin: {NO_COPY}2 of its team; cure: spawn" in said, said
    assert said.count("no such thread in this process") == 2, said


def test_a_child_is_told_from_the_fork_on_that_its_next_region_will_hang() -> None:
    program = build("forked_team.c", "gcc", "O0", GNU)
    listed = run_gdb([*CHILD, "break has_forked", "run", "ompd threads", "kill"], program).stdout
    assert "the next region of several threads that GDB thread 1 begins will wait" in listed


def test_a_child_on_llvms_runtime_begins_anew() -> None:
    program = build("forked_team.c", "clang", "O0", "14")
    asked = ["ompd threads", "ompd why", "catch syscall exit_group", "continue", "ompd threads"]
    said = run_gdb([*CHILD, "break has_forked", "run", *asked, "kill"], program).stdout
    assert "fork()" not in said and "no such thread" not in said, said
    *_, last = said.split("GDB    LWP")
    assert last.count(" idle ") == 2, said


@contextmanager
def _forked_product() -> Iterator[int]:
    """Run numpy's matrix product in a process and in its child; give the child's number."""
    environment = {"PATH": os.environ["PATH"], "OMP_NUM_THREADS": "4"}
    command = [PYTHON, "-c", PRODUCT]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline() or 0)
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def _is_on_libgomp() -> bool:
    """Return True if this machine's numpy computes on GCC's runtime."""
    found = "import numpy; print(open('/proc/self/maps').read())"
    said = subprocess.run([PYTHON, "-c", found], capture_output=True, text=True, check=False)
    return "libgomp" in said.stdout


@pytest.mark.skipif(not _is_on_libgomp(), reason="needs python3-numpy, libopenblas0-openmp")
def test_pythons_child_in_a_matrix_product() -> None:
    asked = ["ompd why", "ompd threads", "detach"]
    with _forked_product() as child:
        for _ in range(TRIES):  # it comes to its region soon
            said = run_gdb([f"attach {child}", *asked]).stdout
            if "Deadlock" in said:
                break
    end = "(begin|end)"  # the workers may have been on their way to their pool
    region = rf"Deadlock: the region in exec_blas from libopenblas.so.0 can never {end}: {re.escape(NO_COPY)}3 of its team"
    assert re.search(region, said), said
