# SPDX-License-Identifier: Apache-2.0
"""A program that was built with -g1, which tells of lines and of little else, or whose sources
are gone or were changed since."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.build import PROGRAMS
from support.gdb_session import run_gdb
from support.runtimes import runtime_folder

LINES = {"region": 14, "task": 17}
SHOWN = ["run", "ompd parallel", "ompd tasks"]


def built(folder: Path, compiler: str, *options: str, name: str = "lines_only") -> Path:
    """Build the program of a copy of its source in FOLDER."""
    program, lib = folder / name, runtime_folder("19")
    link = ["-fopenmp"] if compiler == "gcc" else ["-fopenmp", f"-L{lib}", f"-Wl,-rpath,{lib}"]
    source = shutil.copy(PROGRAMS / f"{name}.c", folder)
    subprocess.run([compiler, *options, source, *link, "-o", str(program)], check=True)
    return program


def assert_constructs_are_right(said: str) -> None:
    assert f"Region 1  level 1, 2 threads: second at lines_only.c:{LINES['region']}" in said
    assert f"  second at lines_only.c:{LINES['task']}" in said, said


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
@pytest.mark.parametrize("opt", ["-O0", "-O1"])
def test_a_construct_is_in_the_function_around_it(compiler: str, opt: str, tmp_path: Path) -> None:
    program = built(tmp_path, compiler, "-g1", opt)
    assert_constructs_are_right(run_gdb(SHOWN, program, timeout=60).stdout)


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_a_region_of_one_thread_in_a_task(compiler: str, tmp_path: Path) -> None:
    """clang's function of a task calls its own body, and there the region's: names are alike."""
    program = built(tmp_path, compiler, "-g1", "-O0", name="region_in_task")
    said = run_gdb(["break stop_here", "run", "ompd bt"], program, timeout=60).stdout
    begun = [line.partition(",")[0] for line in said.splitlines() if line.startswith("--")]
    assert begun[0] == "--  parallel region 2", said
    assert begun[1].startswith("--  task: main at region_in_task.c"), said
    assert begun[2] == "--  parallel region 1", said


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
@pytest.mark.parametrize("newer", [True, False], ids=["newer", "gone"])
def test_a_construct_has_its_line_without_the_source(
    compiler: str, newer: bool, tmp_path: Path
) -> None:
    """Which of the lines at a function's begin is the directive's is not read in another text."""
    program = built(tmp_path, compiler, "-g", "-O2")
    source = tmp_path / "lines_only.c"
    text = "\n" * 3 + source.read_text(encoding="utf-8")
    source.unlink()
    if newer:
        source.write_text(text, encoding="utf-8")
        after = program.stat().st_mtime + 10
        os.utime(source, (after, after))
    assert_constructs_are_right(run_gdb(SHOWN, program, timeout=60).stdout)
