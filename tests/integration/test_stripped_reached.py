# SPDX-License-Identifier: Apache-2.0
"""A stripped runtime in a process that gdb has not started: attached, core, gdbserver."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import clean_environment
from support.runtimes import VERSIONS, runtime_folder
from support.stripped import (
    BEGIN,
    STATUS,
    THREADS,
    WAITING,
    Stripped,
    assert_recovered,
    assert_team_of,
    documents,
)


@pytest.fixture
def waiting(stripped: Stripped, tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """A program outside of gdb, in a region on the stripped runtime."""
    source, program = tmp_path / "waiting.c", tmp_path / "waiting"
    source.write_text(WAITING, encoding="ascii")
    link = [f"-L{runtime_folder(stripped.version)}", f"-Wl,-rpath,{stripped.folder}"]
    command = ["clang", "-g", "-fopenmp", str(source), "-o", str(program), *link]
    subprocess.run(command, check=True)
    env = clean_environment({"OMP_DEBUG": "enabled"})
    process = subprocess.Popen(
        [program], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        yield program, process
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()


def test_attached(stripped: Stripped, waiting: tuple[Path, subprocess.Popen[str]]) -> None:
    program, process = waiting
    asked = [f"attach {process.pid}", *STATUS, *THREADS, f"break {BEGIN}"]
    asked += ["set variable go = 1", "continue", "bt 1"]
    said = stripped.gdb(asked, program).stdout
    assert_recovered(said, stripped.version)
    assert_team_of(said, 3)
    assert re.search(rf"hit Breakpoint 1, 0x[0-9a-f]+ in {BEGIN} \(\)", said)


def test_a_file_that_was_replaced_since(
    stripped: Stripped, waiting: tuple[Path, subprocess.Popen[str]]
) -> None:
    """Symbols of another build would have GDB write into the wrong code: it is given none. What is
    mapped is read by its own."""
    program, process = waiting
    other = next(version for version in VERSIONS if version != stripped.version)
    file, new = stripped.folder / "libomp.so", stripped.folder / "new"
    subprocess.run(["strip", "-o", str(new), str(runtime_folder(other) / "libomp.so")], check=True)
    os.replace(new, file)
    asked = [f"attach {process.pid}", *STATUS, f"info address {BEGIN}"]
    done = stripped.gdb(asked, program)
    assert_recovered(done.stdout, stripped.version)
    assert f'No symbol "{BEGIN}" in current context.' in done.stdout + done.stderr


def test_core(stripped: Stripped, tmp_path: Path) -> None:
    core = tmp_path / "core"
    stripped.gdb(["break truth_stop", "run", "continue", f"generate-core-file {core}"])
    asked = [*STATUS, *THREADS, "info symbol ompd_bp_task_begin"]
    said = stripped.gdb(asked, core=core, env={"XDG_CACHE_HOME": str(tmp_path / "other")}).stdout
    assert_recovered(said, stripped.version)
    assert documents(said, "THREADS")[0]["threads"]
    assert "ompd_bp_task_begin in section .text" in said
    # GDB's words for a breakpoint that waits for its function.
    assert "not defined" not in stripped.gdb([f"core-file {core}", *THREADS]).stderr


def test_gdbserver(stripped: Stripped) -> None:
    program = binary(Build("nested.c", "clang", "O0", stripped.version))
    asked = [f"break {BEGIN}", f"target remote | gdbserver --once - {program}", "continue"]
    said = stripped.gdb([*asked, *STATUS, "kill"]).stdout
    assert re.search(rf"hit Breakpoint 1, 0x[0-9a-f]+ in {BEGIN} \(\)", said)
    assert_recovered(said, stripped.version)
    assert len(stripped.kept) == 1  # the file is on this machine: nothing is fetched


HIDING = ["unshare", "--mount", "--map-root-user"]


def can_hide() -> bool:
    return subprocess.run([*HIDING, "true"], capture_output=True).returncode == 0


@pytest.mark.skipif(not can_hide(), reason="mount namespaces are not allowed here")
@pytest.mark.parametrize("cache", ["on", "off"])
def test_a_runtime_that_only_the_other_machine_has(stripped: Stripped, cache: str) -> None:
    """gdbserver is given the folder of the runtime, which is empty for gdb."""
    program = binary(Build("nested.c", "clang", "O0", stripped.version))
    held = stripped.folder.with_name("held")
    stripped.folder.rename(held)
    stripped.folder.mkdir()
    inside = f"mount --bind {held} {stripped.folder} && exec gdbserver --once - {program}"
    server = f"{' '.join(HIDING)} sh -c '{inside}'"
    asked = [f"set ompd cache {cache}", f"break {BEGIN}", f"target remote | {server}", "continue"]
    ompd = f"set ompd library {held / 'libompd.so'}"
    said = stripped.gdb([*asked, ompd, *STATUS, "kill"]).stdout
    assert re.search(rf"hit Breakpoint 1, 0x[0-9a-f]+ in {BEGIN} \(\)", said)
    assert_recovered(said, stripped.version)
    assert ("libomp.so" in stripped.kept) == (cache == "on")
    assert list(stripped.folder.iterdir()) == []
