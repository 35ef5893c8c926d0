# SPDX-License-Identifier: Apache-2.0
"""Functions that a library has in parts, or one for each processor, are named as they are called."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.gdb_session import run_gdb
from support.runtimes import ROOT


# GDB does not find a function that the C library chooses for the processor without calling it.
ENTER = """while "libm" not in (gdb.solib_name(gdb.selected_frame().pc()) or ""):
    gdb.execute("stepi", to_string=True)"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_part_has_the_name_of_what_is_called(compiler: str, tmp_path: Path) -> None:
    program = tmp_path / "parts"
    source = ROOT / "tests" / "programs" / "parts.c"
    flags = ["-g", "-O2", "-fopenmp", "-Wl,-z,now"]
    subprocess.run([compiler, *flags, source, "-o", program, "-lm"], check=True)
    line = 1 + source.read_text("utf-8").splitlines().index("        angle = sin(angle);")
    asked = [f"break parts.c:{line}", "run", f"python exec({ENTER!r})", "ompd threads", "ompd why"]
    text = run_gdb([*asked, "kill"], program).stdout.partition("  Where\n")[2]
    assert " in sin " in text and " in sem_wait " in text, text
    assert "slow" not in text and "_fma" not in text, text
