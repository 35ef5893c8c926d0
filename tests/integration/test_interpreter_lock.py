# SPDX-License-Identifier: Apache-2.0
"""A team that wants CPython's global lock, which its primary thread keeps: the code of the stripped
interpreter tells who has taken it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.build import PROGRAMS
from support.gdb_session import run_gdb

PYTHON = "/usr/bin/python3"
TRIES = 6
SOURCE = PROGRAMS / "extension" / "interpreter_lock.c"
INCLUDE = "import sysconfig; print(sysconfig.get_path('include'))"


def _headers() -> Path:
    """Return the folder of the interpreter's headers."""
    said = subprocess.run([PYTHON, "-c", INCLUDE], capture_output=True, text=True, check=False)
    return Path(said.stdout.strip())


@contextmanager
def _hung(folder: Path) -> Iterator[int]:
    """Run the interpreter with the extension, which hangs; give its number."""
    options = ["-g", "-O2", "-shared", "-fPIC", "-fopenmp", f"-I{_headers()}"]
    subprocess.run(
        ["gcc", *options, str(SOURCE), "-o", str(folder / "interpreter_lock.so")], check=True
    )
    program = "print('ready', flush=True); import interpreter_lock; interpreter_lock.total()"
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(folder)}
    command = [PYTHON, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process.pid
        finally:
            process.kill()


@pytest.mark.skipif(not (_headers() / "Python.h").exists(), reason="needs python3-dev")
def test_who_has_taken_the_interpreters_lock(tmp_path: Path) -> None:
    with _hung(tmp_path) as pid:
        for attempt in range(TRIES):  # it comes to its region soon
            time.sleep(0.1 * attempt)
            said = run_gdb([f"attach {pid}", "ompd why", "detach"]).stdout
            if "wait for" in said:
                break
    at_end = "GDB thread 1 waits at end of region at interpreter_lock.c:10"
    waits = "wait for the lock of PyGILState_Ensure() at interpreter_lock.c:12 held by GDB thread 1"
    verdict = f"Deadlock, as far as the code tells: {at_end}, GDB threads 2-4 {waits}."
    assert verdict in said, said
