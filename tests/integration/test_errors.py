# SPDX-License-Identifier: Apache-2.0
"""Whatever the process or its runtime lacks is told in one line and nothing else."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from gdb_ompd import _native
from support.asking import ask
from support.build import build
from support.gdb_session import run_gdb
from support.gdb_ways import finds_libraries
from support.refusals import (
    AT_MAIN,
    AT_WORK,
    OPENMP,
    PLAIN,
    QUESTIONS,
    assert_each_says,
    assert_each_tells,
    assert_status_says,
    compiled,
    exit_code,
    on_libomp,
    with_runtime_in,
)
from support.runtimes import GNU, VERSIONS, runtime_folder

RESUMING = ("ompd step", "ompd next 2", "ompd finish", "ompd finish task")
NO_PROCESS = "no process: start one with 'run', attach, or load a core file"


def test_exit_codes_of_gdb_itself_differ() -> None:
    """Else the comparisons with them would show nothing."""
    assert exit_code("info line nonsense") != exit_code("print 1")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("before", [(), AT_MAIN], ids=["no process", "at main"])
def test_init_goes_on_until_there_is_something_to_ask(
    version: str, before: tuple[str, ...], tmp_path: Path
) -> None:
    after = [
        r'printf "LAST %d\n", $bpnum',
        "ompd threads",
        "break program.c:7",
        "continue",
        "ompd init",
    ]
    session = run_gdb([*before, "ompd init", *after], on_libomp(tmp_path, version))
    # LLVM's plugin takes the first two numbers as well: scripts name the later ones.
    assert "Temporary breakpoint 2, ompd_dll_locations_valid ()" in session.stdout
    assert session.stdout.count("Loaded OMPD lib successfully!\nOMPD library /") == 2
    assert "\nLAST 2\n" in session.stdout
    assert "is still starting" in session.stdout


def test_no_process() -> None:
    assert_each_says(NO_PROCESS, [], [*QUESTIONS, *RESUMING])
    assert_status_says(f"There is {NO_PROCESS}.", [])


def test_program_that_has_not_started(tmp_path: Path) -> None:
    assert_each_says(NO_PROCESS, [], program=on_libomp(tmp_path))


def test_program_that_has_ended(tmp_path: Path) -> None:
    assert_each_says(NO_PROCESS, ["run"], program=on_libomp(tmp_path))


def test_a_core_cannot_be_stepped(tmp_path: Path) -> None:
    core = tmp_path / "core"
    text = "a core file cannot be resumed: run the program to step through it"
    setup = [*AT_WORK, f"generate-core-file {core}", "kill", f"core-file {core}"]
    assert_each_says(text, setup, RESUMING, on_libomp(tmp_path))


def test_program_without_openmp(tmp_path: Path) -> None:
    text = (
        "no OpenMP runtime is mapped: the program is not built with OpenMP,"
        " or has not loaded its libraries yet"
    )
    program = compiled(PLAIN, tmp_path, "gcc")
    assert_each_says(text, AT_MAIN, program=program)
    assert_status_says(text, AT_MAIN, program)


@pytest.mark.parametrize("version", VERSIONS)
def test_runtime_that_has_not_started(version: str, tmp_path: Path) -> None:
    text = (
        f"{runtime_folder(version)}/libomp.so is not initialised yet: go on to the first"
        " OpenMP construct or call"
    )
    program = on_libomp(tmp_path, version)
    assert_each_tells(text, AT_MAIN, program)
    assert_status_says(text, AT_MAIN, program)


@pytest.mark.parametrize("version", VERSIONS)
def test_before_the_start_values_are_those_of_the_thread_that_is_selected(
    version: str, tmp_path: Path
) -> None:
    program, told = on_libomp(tmp_path, version), "is not initialised yet"
    asked = ["ompd print 6 * 7", "ompd print nothing", "ompd apply print 42", "ompd print -team 42"]
    first, unknown, applied, team = ask(AT_MAIN, asked, program).answers
    assert (first.stdout, first.stderr) == ("GDB 1: 42\n", "")
    assert unknown.stdout == 'GDB 1: <No symbol "nothing" in current context>\n'
    assert applied.stdout.startswith("\nGDB thread 1:\n$") and applied.stdout.endswith(" = 42\n")
    assert told in team.stdout + team.stderr


@pytest.mark.parametrize("version", VERSIONS)
def test_the_advice_for_a_runtime_that_has_not_started(version: str, tmp_path: Path) -> None:
    """Where the message sends the user, commands answer."""
    program = on_libomp(tmp_path, version)
    told = ask(AT_MAIN, ["ompd threads"], program).answers[0].stdout
    for place in ["work", *re.findall(r"'break (\w+)'", told)]:
        setup = [*AT_MAIN, f"break {place}", "continue"]
        answer = ask(setup, ["ompd threads"], program).answers[0]
        assert (place, answer.stderr) == (place, "")
        assert "initial" in answer.stdout


@pytest.mark.parametrize("version", VERSIONS)
def test_runtime_that_has_shut_down(version: str, tmp_path: Path) -> None:
    text = f"{runtime_folder(version)}/libomp.so has shut down: the program is exiting"
    program = on_libomp(tmp_path, version)
    setup = ["catch syscall exit_group", "run"]
    assert_each_tells(text, setup, program)
    assert_status_says(text, setup, program)


def stripped_with(folder: Path, version: str, old: bytes, new: bytes) -> Path:
    """Return a folder with a stripped libomp in which the string OLD is NEW."""
    stripped = folder / "stripped"
    stripped.mkdir()
    library, original = stripped / "libomp.so", runtime_folder(version) / "libomp.so"
    subprocess.run(["strip", "-o", str(library), str(original)], check=True)
    contents = library.read_bytes()
    assert contents.count(old) == 1
    library.write_bytes(contents.replace(old, new))
    return stripped


@pytest.mark.parametrize("version", VERSIONS)
def test_stripped_runtime_that_is_not_understood(version: str, tmp_path: Path) -> None:
    stripped = stripped_with(tmp_path, version, b"OMP_CANCELLATION\0", b"OMP_CANCELLATIOX\0")
    text = (
        f"{stripped}/libomp.so is stripped of the symbols that OMPD needs, and they cannot be"
        " recovered (0 entries of the settings table are called OMP_CANCELLATION): install its"
        " debug symbols (debuginfod, or the package libomp5-VERSION-dbgsym), or use a runtime"
        " built with symbols ('sh scripts/build-libomp.sh 19' makes one)"
    )
    program = on_libomp(tmp_path, version)
    assert_each_says(text, with_runtime_in(stripped), program=program)
    assert_status_says(text, with_runtime_in(stripped), program)


def test_stripped_runtime_without_ompd(tmp_path: Path) -> None:
    """What OMPD support leaves in a stripped file is this text."""
    stripped = stripped_with(tmp_path, "19", b"OMP_OMPD active", b"OMP_DMPO active")
    text = (
        f"{stripped}/libomp.so was built without OMPD support: use another libomp, such as the"
        " distribution's, or one that 'sh scripts/build-libomp.sh 19' makes"
    )
    program = on_libomp(tmp_path)
    assert_each_says(text, with_runtime_in(stripped), program=program)
    assert_status_says(text, with_runtime_in(stripped), program)


def test_libgomp_without_our_library(tmp_path: Path) -> None:
    program = compiled(OPENMP, tmp_path, "gcc", "-fopenmp")
    missing = tmp_path / "libgompd.so"
    text = f"no OMPD library at {missing}: mend it with 'set ompd library PATH'"
    prepare = [f"set ompd library {missing}", *AT_WORK]
    assert_each_says(text, prepare, program=program)
    assert_status_says(text, prepare, program)


def test_core_without_executable(tmp_path: Path) -> None:
    core = tmp_path / "core"
    program = on_libomp(tmp_path)
    made = run_gdb([*AT_WORK, f"generate-core-file {core}"], program)
    assert core.exists(), made.stdout + made.stderr
    build_id = _native.Elf(str(program)).build_id
    program.unlink()  # newer debuggers look for it by the name in the core
    if finds_libraries(core):
        (answer,) = ask([f"core-file {core}"], ["ompd threads"], None).answers
        assert answer.stderr == ""
        assert re.search(r"^\* +1 +\d+ +0 of 1 +0 +working \(serial\)", answer.stdout, re.M)
        return
    text = (
        f"GDB has no executable for this ({program}, build id {build_id}): 'file PROGRAM' first,"
        f" then 'core-file {core}'"
    )
    assert_each_says(text, [f"core-file {core}"], [*QUESTIONS, "ompd devices"])
    assert_status_says(text, [f"core-file {core}"])


def test_a_connection_that_is_lost_is_said_in_one_line() -> None:
    program = build("nested.c", "gcc", "O0", GNU)
    kill = (
        "python import os, re; pid = gdb.selected_inferior().pid; said = open(f'/proc/{pid}/status')"
        ".read(); os.kill(int(re.search(r'TracerPid:\\s+(\\d+)', said)[1]), 9)"
    )
    connect = [f"target remote | exec gdbserver --once - {program}", "break truth_stop", "continue"]
    done = run_gdb([*connect, kill, "ompd threads", "ompd threads"], program)
    assert "the program is lost: Remote co" in done.stderr, done
    assert "Python Exception" not in done.stderr and "no process: " in done.stderr, done
