# SPDX-License-Identifier: Apache-2.0
"""A machine without the C library's debug file, programs with and without debug information, and
any language set: each command answers as in the language of the program."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from support.asking import BUGS
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU

SCRIPT = Path(__file__).parents[1] / "support" / "languages_in_gdb.py"
NO_DEBUG_FILES = "set debug-file-directory /nonexistent"
# In Rust GDB finds Fortran's main program, where stacks end, by chance: if it has it in a cache.
# Behind it are arguments of C, which GDB writes as the language that is set does.
WHOLE_STACKS = ("set backtrace past-main on", "set print frame-arguments presence")
# Each with the function at which it is stopped.
BUILDS = [
    (Build("restless.f90", "gcc", "O0", GNU), "__restless_work_MOD_fibonacci"),
    (Build("restless.f90", "gcc", "O2", "19"), "__restless_work_MOD_fibonacci"),
    (Build("restless.c", "clang", "O0", "19"), "__kmpc_critical"),
    (Build("restless.c", "gcc", "O2", GNU), "GOMP_critical_name_start"),
]


def told(program: Path, stop: str, mode: str) -> dict[str, list[dict[str, str]]]:
    """Return by language what the commands say: questions, and those on expressions."""
    core = program.with_name("core")
    made = ["set language c", f"break {stop}", "run", "set language auto"]
    asked = [*WHOLE_STACKS, f"source {SCRIPT}", "python tell('n')"]
    if mode == "core":
        small = {"OMP_STACKSIZE": "1M", "MALLOC_ARENA_MAX": "1"}
        run_gdb([NO_DEBUG_FILES, *made, f"gcore {core}"], program, env=small)
        done = run_gdb([NO_DEBUG_FILES, *asked], program, core)
    else:
        done = run_gdb([NO_DEBUG_FILES, *made, *asked], program)
    for bug in BUGS:
        assert bug not in done.stdout + done.stderr, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("TOLD ")]
    assert lines, done.stdout + done.stderr
    found: dict[str, list[dict[str, str]]] = json.loads(lines[0].removeprefix("TOLD "))
    return found


@pytest.mark.parametrize("way", ("live", "core"))
@pytest.mark.parametrize("debug", ("g", "no-g"))
@pytest.mark.parametrize("build, stop", BUILDS, ids=[str(build) for build, _ in BUILDS])
def test_every_command_answers(
    build: Build, stop: str, debug: str, way: str, tmp_path: Path
) -> None:
    program = Path(shutil.copy(binary(build), tmp_path))
    if debug == "no-g":
        subprocess.run(["strip", "--strip-debug", str(program)], check=True)
    by_language = told(program, stop, way)
    expected, _ = by_language["auto"]
    for language, (questions, expressions) in by_language.items():
        # In no language GDB writes no arguments of frames.
        assert questions == expected or language == "unknown", language
        for bug in BUGS:
            said = {**questions, **expressions}
            assert bug not in "".join(said.values()), (language, said)


@pytest.mark.parametrize("debug", ("g", "no-g"))
@pytest.mark.parametrize("build, stop", BUILDS[:1] + BUILDS[2:3], ids=str)
def test_it_goes_on_in_every_language(build: Build, stop: str, debug: str, tmp_path: Path) -> None:
    program = Path(shutil.copy(binary(build), tmp_path))
    if debug == "no-g":
        subprocess.run(["strip", "--strip-debug", str(program)], check=True)
    # Where threads are when one goes on is chance, and at few places there is no answer.
    if not all(map(_goes_on, _told_going_on(program, stop).items())):
        for language, answers in _told_going_on(program, stop).items():
            assert _goes_on((language, answers)), (language, answers)


def _told_going_on(program: Path, stop: str) -> dict[str, dict[str, str]]:
    asked = ["set language c", f"tbreak {stop}", "run", f"source {SCRIPT}", "python go_on()"]
    done = run_gdb([NO_DEBUG_FILES, *asked], program)
    for bug in (*BUGS, "[Inferior", "syntax error"):
        assert bug not in done.stdout + done.stderr, done.stdout + done.stderr
    [line] = [line for line in done.stdout.splitlines() if line.startswith("TOLD ")]
    told: dict[str, dict[str, str]] = json.loads(line.removeprefix("TOLD "))
    return told


def _goes_on(told: tuple[str, dict[str, str]]) -> bool:
    errors = (said for said in told[1].values() if said.startswith("error"))
    known = all("is in no parallel region" in said for said in errors)
    return known and "parallel region" in told[1]["1 continue"]
