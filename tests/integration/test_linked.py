# SPDX-License-Identifier: Apache-2.0
"""Programs of link-time optimisation: a function's description and its lines are in two units."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.gdb_session import run_gdb
from support.runtimes import ROOT

ASKED = ("print balance", "whatis balance", "locals", "loop", "diff balance", "threads", "why")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_variables_and_lines_are_known(compiler: str, tmp_path: Path) -> None:
    program = tmp_path / "hang"
    options = ["-g", "-O2", "-flto", "-fopenmp", "-o", str(program)]
    subprocess.run([compiler, *options, str(ROOT / "examples" / "hang.c")], check=True)
    asked = ["break usleep", "run", *(f"ompd {each}" for each in ASKED), "kill"]
    done = run_gdb(asked, program, merged=True)
    assert "\n0-3: " in done.stdout and "balance: shared" in done.stdout, done.stdout
    assert "look at hang.c:46" in done.stdout and done.returncode == 0, done.stdout
