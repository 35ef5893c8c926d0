# SPDX-License-Identifier: Apache-2.0
"""Where the runtime's symbols come from: the file, separate debug info, or its code."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import VERSIONS, runtime_folder


def asked(folder: Path, runtime: str) -> str:
    """Return what status and threads say of nested.c on the runtime in FOLDER."""
    # The search path comes before the program's own RUNPATH.
    commands = [f"set environment LD_LIBRARY_PATH {folder}", "break truth_stop", "run"]
    commands += ["ompd status -json", "echo END\\n", "ompd threads -json"]
    done = run_gdb(commands, binary(Build("nested.c", "clang", "O0", runtime)))
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def status_of(said: str) -> dict[str, object]:
    document, _ = json.JSONDecoder().raw_decode(said[said.index('{"schema"') :])
    runtimes: list[dict[str, object]] = document["runtimes"]
    return runtimes[0]


def stripped_copy(folder: Path, runtime: str) -> Path:
    original = runtime_folder(runtime)
    shutil.copy(original / "libompd.so", folder)
    copy = folder / "libomp.so"
    subprocess.run(["strip", "-o", str(copy), str(original / "libomp.so")], check=True)
    return copy


@pytest.mark.parametrize("runtime", VERSIONS)
def test_symbols_of_the_file(runtime: str) -> None:
    assert status_of(asked(runtime_folder(runtime), runtime))["symbols"] == "symtab"


@pytest.mark.parametrize("runtime", VERSIONS)
def test_separate_debug_information(runtime: str, tmp_path: Path) -> None:
    copy = stripped_copy(tmp_path, runtime)
    debug = tmp_path / "libomp.so.debug"
    original = str(runtime_folder(runtime) / "libomp.so")
    subprocess.run(["objcopy", "--only-keep-debug", original, str(debug)], check=True)
    subprocess.run(
        ["objcopy", f"--add-gnu-debuglink={debug.name}", copy.name], check=True, cwd=tmp_path
    )
    said = asked(tmp_path, runtime)
    status = status_of(said)
    assert (status["symbols"], status["problem"]) == ("debuginfo", None)
    threads = json.loads(said.split("END\n", 1)[1])["threads"]
    assert [thread["error"] for thread in threads if thread["error"]] == []
    assert max(thread["level"] or 0 for thread in threads) >= 1


@pytest.mark.parametrize("runtime", VERSIONS)
def test_recovered_where_there_are_none(runtime: str, tmp_path: Path) -> None:
    stripped_copy(tmp_path, runtime)
    said = asked(tmp_path, runtime)
    status = status_of(said)
    assert (status["symbols"], status["problem"]) == ("recovered", None)
    assert (status["profile"], status["layout_verified"]) == (f"LLVM {runtime}", True)
    threads = json.loads(said.split("END\n", 1)[1])["threads"]
    assert [thread["error"] for thread in threads if thread["error"]] == []
    assert max(thread["level"] or 0 for thread in threads) >= 1
