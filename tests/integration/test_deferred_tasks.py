# SPDX-License-Identifier: Apache-2.0
"""The tasks that no thread executes are those that the program says, where it says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.build import Build
from support.deferred import facts, run
from support.facts import Tally
from support.gdb_session import run_gdb
from support.runtimes import GNU, VERSIONS, runtime_folder, stripped

RUNTIMES = [*VERSIONS, *map(stripped, VERSIONS)]
ALL = [
    Build("deferred.c", compiler, opt, version)
    for compiler in ("clang", "gcc")
    for opt in ("O0", "O2")
    for version in (*RUNTIMES, GNU)
    if version != GNU or compiler == "gcc"
]
# Each value of each once, unless GDB_OMPD_ALL_BUILDS is set: each takes some seconds.
CHOSEN = [
    Build("deferred.c", "clang", "O2", "14"),
    Build("deferred.c", "clang", "O0", stripped("19")),
    Build("deferred.c", "gcc", "O0", "19"),
    Build("deferred.c", "gcc", "O2", stripped("14")),
    Build("deferred.c", "gcc", "O0", GNU),
    Build("deferred.c", "gcc", "O2", GNU),
]
EVERYTHING = "GDB_OMPD_ALL_BUILDS" in os.environ

TABLE_AGREES = """
import gdb
from gdb_ompd import _native
told = _native.PrivateFields.of_debug_information(_native.Elf(gdb.objfiles()[0].filename))
from gdb_ompd.host.symbols.releases import known_releases
of_machines = [each.fields for each in known_releases() if each.label == "LLVM {version}"]
print("SAME" if told and told.places in of_machines else told and told.places)
"""


@pytest.mark.parametrize("what", ALL if EVERYTHING else CHOSEN, ids=str)
def test_every_task(what: Build, tmp_path: Path) -> None:
    tally = Tally()
    documents = run(what, tmp_path, cores=EVERYTHING or what == CHOSEN[1])
    for document in documents:
        tally.add(facts(document, what))
        rows = document["said"]["tasks"]
        chains = [row for row in rows if row["gdb_num"] is not None]
        assert all(row["where"] is None for row in chains)
        assert all(not row["running"] for row in rows if row["where"] is not None)
        alone = document["alone"]["tasks"]
        assert [row for row in chains if row["gdb_num"] == alone[0]["gdb_num"]] == alone
        assert ("Tasks that no thread executes" in document["text"]) == bool(document["expected"])
    report = "\n".join(tally.lines())
    print(f"{len(documents)} stops: {report}")
    assert tally.compared > 2 * len(documents)
    # Of a region that GCC's code begins by a jump out of a task nobody knows the place.
    unknown = [fact for fact in tally.unknown if (what.compiler, what.opt) != ("gcc", "O2")]
    assert not tally.wrong and not unknown, report


def test_the_table_is_what_debug_information_says(runtime: str, tmp_path: Path) -> None:
    script = tmp_path / "agrees.py"
    script.write_text(TABLE_AGREES.replace("{version}", runtime), encoding="utf-8")
    done = run_gdb(
        [f"source {script}"],
        program=runtime_folder(runtime) / "libomp.so",
    )
    assert done.stdout.strip().endswith("SAME"), f"{done.stdout}\n{done.stderr}"
