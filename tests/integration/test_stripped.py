# SPDX-License-Identifier: Apache-2.0
"""A stripped runtime, in each of the ways in which gdb runs a program on it.

GDB itself knows the recovered names: event functions can be broken at before
the runtime is loaded, and in every run.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import ROOT
from support.stripped import (
    BEGIN,
    QUIET,
    STATUS,
    THREADS,
    WAITING,
    Stripped,
    assert_recovered,
    assert_team_of,
    documents,
)


def test_a_breakpoint_before_the_first_run_is_hit_in_each(stripped: Stripped) -> None:
    asked = [f"break {BEGIN}", "run", "bt 2", *STATUS, "run", *STATUS, "info breakpoints"]
    said = stripped.gdb(asked).stdout
    assert f"Breakpoint 1 ({BEGIN}) pending." in said
    assert len(re.findall(rf"hit Breakpoint 1, 0x[0-9a-f]+ in {BEGIN} \(\)", said)) == 2
    assert "in __kmp_fork_call" in said  # functions after it keep their names
    assert_recovered(said, stripped.version, 2)
    events = [status["runtimes"][0]["events_enabled"] for status in documents(said, "STATUS")]
    assert events == [True, True]
    assert len(re.findall(r"^1\.?\d* +breakpoint", said, re.MULTILINE)) == 1  # one place


def test_a_breakpoint_on_the_loaded_runtime_is_set_anew(stripped: Stripped) -> None:
    asked = ["break truth_stop", "run", f"break {BEGIN}", "disable 1", "run", "bt 1"]
    said = stripped.gdb(asked).stdout
    assert "pending" not in said
    assert re.search(rf"hit Breakpoint 2, 0x[0-9a-f]+ in {BEGIN} \(\)", said)


NOTHING_KNOWN = "python import gdb_ompd.host.symbols.releases as p; p.known_releases = tuple"


def test_a_layout_of_no_known_version(stripped: Stripped) -> None:
    """It is believed where what runs agrees with it, and said to be unverified."""
    asked = [NOTHING_KNOWN, "break truth_stop", "run", "ompd status", *STATUS, *THREADS]
    said = stripped.gdb(asked).stdout
    assert "  Symbols       recovered (unverified layout)\n" in said
    (runtime,) = documents(said, "STATUS")[0]["runtimes"]
    assert (runtime["profile"], runtime["layout_verified"]) == (None, False)
    (listing,) = documents(said, "THREADS")
    assert max(thread["level"] or 0 for thread in listing["threads"]) >= 1
    assert [note for note in listing["notes"] if note.startswith("Unverified layout: ")]


def test_other_constants_in_the_program_than_in_the_file(stripped: Stripped) -> None:
    name = "ompd_access__kmp_base_team_t__t_nproc"
    asked = ["break truth_stop", "run", f"print (long){name}", f"set {{long}}&{name} = 8"]
    done = stripped.gdb([*asked, "ompd threads"])
    held = re.search(r"\$1 = (\d+)", done.stdout)
    assert held is not None
    assert (
        f"the runtime in memory is not the file {stripped.folder / 'libomp.so'}: {name} is 8 in"
        f" the program and {held.group(1)} in the file's code" in done.stderr
    )


def test_two_inferiors(stripped: Stripped) -> None:
    program = binary(Build("nested.c", "clang", "O0", stripped.version))
    asked = ["break truth_stop", "run", f"add-inferior -exec {program}", "inferior 2", "run"]
    asked += [*STATUS, "inferior 1", *STATUS]
    said = stripped.gdb(asked).stdout
    assert_recovered(said, stripped.version, 2)


def test_sourced_after_the_runtime_was_loaded(stripped: Stripped) -> None:
    asked = ["catch load libomp", "run", f"source {ROOT / 'gdb-scripts' / 'ompd.py'}"]
    asked += [f"break {BEGIN}", "continue", *STATUS]
    said = stripped.gdb(asked, extension=False).stdout
    assert re.search(rf"hit Breakpoint 2, 0x[0-9a-f]+ in {BEGIN} \(\)", said)
    assert_recovered(said, stripped.version)


def test_loaded_with_the_runtime_by_gdbs_auto_load(stripped: Stripped, tmp_path: Path) -> None:
    place = tmp_path / "auto" / str(stripped.folder).lstrip("/")
    place.mkdir(parents=True)
    (place / "libomp.so-gdb.py").symlink_to(ROOT / "gdb-scripts" / "libomp.so-gdb.py")
    asked = [f"add-auto-load-safe-path {tmp_path}"]
    asked += [f"add-auto-load-scripts-directory {tmp_path / 'auto'}"]
    asked += [f"break {BEGIN}", "run", *STATUS, "python print(len(gdb.objfiles()), 'files')"]
    asked += ["run", *STATUS, "python print(len(gdb.objfiles()), 'files')"]
    said = stripped.gdb(asked, extension=False).stdout
    assert len(re.findall(rf"hit Breakpoint 1, 0x[0-9a-f]+ in {BEGIN} \(\)", said)) == 2
    assert_recovered(said, stripped.version, 2)
    first, second = re.findall(r"(\d+) files", said)
    assert first == second  # attached once in each run


def test_a_runtime_under_another_name(stripped: Stripped) -> None:
    """It is found by what it exports, when it is first asked about."""
    vendor = stripped.folder / "vendor-rt.so"
    (stripped.folder / "libomp.so").rename(vendor)
    asked = [f"set environment LD_PRELOAD {vendor}", "break truth_stop", "run", *STATUS]
    asked += ["disable 1", f"break {BEGIN}", "run", "bt 1", *STATUS]
    said = stripped.gdb(asked).stdout
    assert_recovered(said, stripped.version, 2)
    assert re.search(rf"hit Breakpoint 2, 0x[0-9a-f]+ in {BEGIN} \(\)", said)


def test_the_distributions_own_runtime(tmp_path: Path) -> None:
    """What 'apt-get install clang libomp-dev' gives, and nothing else."""
    source, program = tmp_path / "waiting.c", tmp_path / "waiting"
    source.write_text(WAITING, encoding="ascii")
    subprocess.run(["clang", "-g", "-fopenmp", str(source), "-o", str(program)], check=True)
    asked = [*QUIET, "break usleep", "run", *STATUS, *THREADS]
    said = run_gdb(asked, program, env={"XDG_CACHE_HOME": str(tmp_path / "cache")}).stdout
    (runtime,) = documents(said, "STATUS")[0]["runtimes"]
    assert (runtime["symbols"], runtime["layout_verified"]) == ("recovered", True)
    assert runtime["problem"] is None
    assert_team_of(said, 3)
