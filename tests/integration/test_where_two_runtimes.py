# SPDX-License-Identifier: Apache-2.0
"""Two OpenMP runtimes in one process: each thread is told by the one that runs its code."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.build import PROGRAMS
from support.gdb_session import GdbResult, run_gdb
from support.runtimes import VERSIONS, runtime_folder

OTHER = {"14": "19", "19": "14"}
# No kind is told while one of the runtimes is not initialised.
OLDER = (("native", "older"), (None, "older"))
TELL = """
import json

import gdb


def said(what):
    try:
        return json.loads(gdb.execute(f"ompd {what} -json", to_string=True))
    except gdb.error as error:
        return str(error)


def tell():
    frame = gdb.selected_frame()
    truth = {name: int(frame.read_var(name)) for name in ("thread_num", "team_size", "level")}
    answers = {what: said(what) for what in ("threads", "parallel -all", "status")}
    print("\\nTOLD " + json.dumps({"truth": truth, "selected": gdb.selected_thread().num, **answers}))
"""


def plugin(folder: Path, runtime: str, source: str = "plugin.c") -> Path:
    """Return a library with a region, on libomp RUNTIME or on libgomp."""
    library = folder / f"plugin-{runtime}.so"
    argv = ["-g", "-fopenmp", "-shared", "-fPIC", str(PROGRAMS / source), "-o", str(library)]
    if runtime == "libgomp":
        subprocess.run(["gcc", *argv], check=True)
    elif runtime == "copy":
        subprocess.run(
            ["gcc", *argv, f"-L{renamed_copy(folder)}", f"-Wl,-rpath,{folder}"], check=True
        )
    else:
        lib = runtime_folder(runtime)
        subprocess.run(["clang", *argv, f"-L{lib}", f"-Wl,-rpath,{lib}"], check=True)
    return library


def renamed_copy(folder: Path) -> Path:
    """Put a copy of libgomp into FOLDER, under another name as wheels of Python have it."""
    asked = ["gcc", "-print-file-name=libgomp.so.1"]
    file = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    data = Path(file).read_bytes().replace(b"libgomp.so.1\0", b"libgomp.so.9\0")
    (folder / "libgomp.so.9").write_bytes(data)
    (folder / "libgomp.so").symlink_to("libgomp.so.9")
    return folder


def at_both_regions(folder: Path, first: str, second: str) -> list[dict[str, Any]]:
    """Return what is told in a region of the FIRST runtime, then in one of the SECOND."""
    loader = folder / "loader"
    subprocess.run(["gcc", "-g", str(PROGRAMS / "loader.c"), "-o", str(loader)], check=True)
    script = folder / "tell.py"
    script.write_text(TELL, encoding="ascii")
    libraries = f"{plugin(folder, first)} {plugin(folder, second)}"
    done = run_gdb(
        [
            # Else the second libomp ends the program, however far apart they are.
            "set environment KMP_DUPLICATE_LIB_OK=TRUE",
            "set breakpoint pending on",
            f"source {script}",
            "break reached",
            f"run {libraries}",
            "python tell()",
            "continue",
            "python tell()",
            "kill",
        ],
        loader,
    )
    return told(done)


def told(done: GdbResult) -> list[dict[str, Any]]:
    lines = [line for line in done.stdout.splitlines() if line.startswith("TOLD ")]
    assert len(lines) == 2, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return [json.loads(line.removeprefix("TOLD ")) for line in lines]


def members(stop: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the region's threads, in the order of their numbers."""
    rows = {row["gdb_num"]: row for row in stop["threads"]["threads"]}
    (region,) = stop["parallel -all"]["regions"]
    return [rows[number] for number in region["threads"]]


def assert_the_region_is_told(stop: dict[str, Any]) -> None:
    """Each member is where the program says that the selected one is."""
    truth = stop["truth"]
    team = members(stop)
    assert team[truth["thread_num"]]["gdb_num"] == stop["selected"]
    said = [(row["thread_num"], row["team_size"], row["level"]) for row in team]
    assert said == [(n, truth["team_size"], truth["level"]) for n in range(truth["team_size"])]
    # The thread that is older than the runtimes has no storage of theirs.
    (older,) = (row for row in stop["threads"]["threads"] if row["gdb_num"] == 2)
    assert (older["kind"], older["location"]["function"]) in OLDER, older
    assert "ompd_get_thread_handle" not in str(older["error"]), older


@pytest.mark.parametrize("first", VERSIONS)
def test_two_of_libomp(first: str, tmp_path: Path) -> None:
    """The program's first thread is the primary thread of both regions, one after the other."""
    stops = at_both_regions(tmp_path, first, OTHER[first])
    for stop in stops:
        assert len(stop["status"]["runtimes"]) == 2
        assert_the_region_is_told(stop)
    assert [row["kind"] for row in members(stops[1])] == ["initial", "worker", "worker"]


def assert_idle(stop: dict[str, Any], gdb_nums: range) -> None:
    """The other runtime's workers are in no region."""
    rows = [row for row in stop["threads"]["threads"] if row["gdb_num"] in gdb_nums]
    assert [(row["kind"], row["state"]) for row in rows] == [("worker", "idle")] * len(gdb_nums)


@pytest.mark.parametrize("runtime", VERSIONS)
def test_libgomp_and_then_libomp(runtime: str, tmp_path: Path) -> None:
    first, second = at_both_regions(tmp_path, "libgomp", runtime)
    assert_the_region_is_told(first)
    assert_the_region_is_told(second)
    assert_idle(second, range(3, 5))
    kinds = sorted(row["kind"] for row in second["status"]["runtimes"])
    assert kinds == ["GNU libgomp", "LLVM libomp"]


@pytest.mark.parametrize("runtime", VERSIONS)
def test_libomp_and_then_libgomp(runtime: str, tmp_path: Path) -> None:
    first, second = at_both_regions(tmp_path, runtime, "libgomp")
    assert_the_region_is_told(first)
    assert_the_region_is_told(second)
    assert_idle(second, range(3, 5))


def test_two_copies_of_libgomp(tmp_path: Path) -> None:
    """As where wheels bring their own: each is read, and not one of them twice."""
    first, second = at_both_regions(tmp_path, "libgomp", "copy")
    assert_the_region_is_told(first)
    assert_the_region_is_told(second)
    assert [row["file"].rpartition("/")[2] for row in second["status"]["runtimes"]] == [
        "libgomp.so.1",
        "libgomp.so.9",
    ]


def test_a_region_of_the_other_runtime_inside_one(tmp_path: Path) -> None:
    """Who begins it waits at its end, and the way to the program's start leads through both."""
    lib, plugged = runtime_folder("19"), tmp_path / "libinner.so"
    linked = ["-fopenmp", f"-L{lib}", f"-Wl,-rpath,{lib}", "-shared", "-fPIC"]
    source = str(PROGRAMS / "inner_plugin.c")
    subprocess.run(["clang", "-g", *linked, source, "-o", str(plugged)], check=True)
    program, source = tmp_path / "program", str(PROGRAMS / "region_around.c")
    rpath = f"-Wl,-rpath,{lib}"
    argv = ["gcc", "-g", "-fopenmp", source, str(plugged), rpath, "-o", str(program)]
    subprocess.run(argv, check=True)
    script = ["break stop_here", "run", "ompd bt", "ompd bt -all", "ompd why", "ompd threads -json"]
    said = run_gdb(script, program).stdout
    rows = json.JSONDecoder().raw_decode(said[said.index('{"schema": 1') :])[0]["threads"]
    numbers = sorted((row["team_size"], row["thread_num"]) for row in rows)
    assert numbers == [(2, 0), (2, 1), (3, 0), (3, 1)]
    assert all(row["state"] for row in rows)
    assert "parallel region 2, level 1, thread 1 of 2: inner_region" in said
    assert "parallel region 1, level 1, thread 2 of 3: main" in said
    assert "blocked in" not in said and "do not agree" not in said and "league" not in said


def test_a_task_outside_of_regions(tmp_path: Path) -> None:
    """It is of the runtime that executes it, though another knows its thread, too."""
    loader = tmp_path / "loader"
    subprocess.run(["gcc", "-g", str(PROGRAMS / "loader.c"), "-o", str(loader)], check=True)
    libraries = f"{plugin(tmp_path, 'libgomp')} {plugin(tmp_path, '19', 'task_outside.c')}"
    script = ["set breakpoint pending on", "break at_task", f"run {libraries}"]
    said = run_gdb([*script, "ompd threads -json", "ompd tasks"], loader).stdout
    rows = json.JSONDecoder().raw_decode(said[said.index('{"schema": 1') :])[0]["threads"]
    assert [row["task"] for row in rows if row["gdb_num"] == 1] == ["explicit"], said
    assert "plugin_run at task_outside.c:9" in said
