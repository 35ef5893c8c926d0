# SPDX-License-Identifier: Apache-2.0
"""Stops in the dynamic linker: nothing has called its beginning, whatever the stack has there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from support.build import PROGRAMS
from support.gdb_session import run_gdb

# Frames of GDB's own; it has no other way to end a stack than at 0.
OUTER = re.compile(r"^#\d+ +0x0*[1-9a-f]\w* in \?\? \(\)$", re.M)


@pytest.fixture(params=["gcc", "clang"])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A program that is linked to a library with a region in its constructor."""
    library, made, main = (tmp_path / name for name in ("libbefore.so", "before", "main.c"))
    main.write_text("extern volatile int prepared; int main(void) { return prepared - 2; }\n")
    library_of = [request.param, "-g", "-O1", "-fopenmp", "-fPIC", "-shared", "-o", library]
    subprocess.run([*library_of, PROGRAMS / "before_main.c"], check=True)
    linked = [main, library, f"-Wl,-rpath,{tmp_path}"]
    subprocess.run([request.param, "-g", "-o", made, *linked], check=True)
    return made


def test_a_constructors_stack_ends_in_the_dynamic_linker(program: Path) -> None:
    at_work = ["set breakpoint pending on", "break work", "run", "delete"]
    shown = ("ompd bt", "ompd bt -team", "thread apply 1 bt", "ompd finish region")
    said = run_gdb([*at_work, *shown], program).stdout
    # Where newer clangs end the function with a jump to the runtime, it has no frame.
    has_frame = "prepare () at before_main.c" in said
    assert "prepare at before_main.c" in said and "_dl_init" in said, said
    assert "no unwind information" not in said and "unwound further" not in said, said
    assert not OUTER.search(said) and "found by search" not in said, said
    assert not has_frame or "in prepare is done" in said, said


def test_a_step_in_the_dynamic_linker_sets_no_breakpoint_beyond_its_beginning(
    program: Path,
) -> None:
    shown = ("ompd bt", "ompd step", "bt", "ompd next")
    at_load = ["set breakpoint pending on", "break _dl_debug_state", "run", "continue"]
    done = run_gdb([*at_load, *shown], program)
    assert "Cannot insert breakpoint" not in done.stdout + done.stderr, done
    assert "Cannot access memory" not in done.stdout + done.stderr, done
    assert not OUTER.search(done.stdout) and "_dl_sysdep_start" in done.stdout, done.stdout
