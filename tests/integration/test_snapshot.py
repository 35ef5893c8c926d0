# SPDX-License-Identifier: Apache-2.0
"""`gdb-ompd snapshot` of processes that a launcher might have started, and their report."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from support.build import build
from support.gdb_session import clean_environment, run_gdb
from support.runtimes import ROOT

TOOL = ROOT / "gdb-scripts" / "gdb-ompd"


def tool(*words: str, rank: int | None = None) -> tuple[int, str, str]:
    own = {} if rank is None else {"OMPI_COMM_WORLD_RANK": str(rank)}
    done = subprocess.run(
        [sys.executable, str(TOOL), *words],
        capture_output=True,
        text=True,
        env=clean_environment(own),
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def test_ranks_are_saved_and_folded(tmp_path: Path) -> None:
    program = build("ranked.c")
    ranks = []
    try:
        for rank in range(3):
            own = {"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "4"}
            process = subprocess.Popen(
                [str(program)], env=clean_environment(own), stdout=subprocess.PIPE, text=True
            )
            ranks.append(process)
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
        saved = tmp_path / "saved stops"
        # As a launcher starts it beside rank 1, then by a number, then all.
        code, said, error = tool("snapshot", "--program", "ranked", "-o", str(saved), rank=1)
        assert (code, said.count("Saved to"), error) == (0, 1, "")
        (only,) = saved.glob("*.json")
        about = json.loads(only.read_text())["circumstances"]
        assert about["pid"] == ranks[1].pid
        assert about["rank"] == {"number": 1, "size": 4, "variable": "OMPI_COMM_WORLD_RANK"}
        code, said, error = tool("snapshot", "-p", str(ranks[0].pid), "-o", str(saved))
        assert (code, error) == (0, "")
        code, said, error = tool("snapshot", "--program", "ranked", "-o", str(saved))
        assert (code, said.count("Saved to"), error) == (0, 3, "")
        code, said, error = tool("report", str(saved))
    finally:
        for process in ranks:
            process.kill()
            process.communicate()
    lines = said.splitlines()
    assert lines[0] == "3 processes in 2 states: rank 1 in MPI_Recv, ranks 0,2 in no MPI call."
    (received,) = (line for line in lines if line.startswith("rank 1: "))
    assert received.startswith("rank 1: thread 3 in MPI_Recv, exchange at ranked.c:")
    assert "; threads 0-2 at barrier, main at ranked.c:" in received
    assert any(line.startswith("ranks 0,2: thread 3 in sleep, main at") for line in lines)
    assert lines[-1] == "Not saved: rank 3"


def test_a_core_is_saved_with_its_rank(tmp_path: Path) -> None:
    program, core = build("nested.c"), tmp_path / "the core"
    env = {"OMPI_COMM_WORLD_RANK": "5", "MALLOC_ARENA_MAX": "1", "OMP_STACKSIZE": "1M"}
    run_gdb(["break truth_stop", "run", f"gcore {core}"], program, env=env)
    code, said, error = tool("snapshot", str(core), str(program), "-o", str(tmp_path / "saved"))
    assert (code, error) == (0, "")
    (path,) = (tmp_path / "saved").glob("*.json")
    assert json.loads(path.read_text())["circumstances"]["rank"]["number"] == 5


def test_what_cannot_be_saved_is_one_line(tmp_path: Path) -> None:
    for words, why in (
        (("-p", "999999999"), "gdb-ompd: -p 999999999: "),
        (("--program", "no-such-program"), "gdb-ompd: no process of yours is called"),
        (("-p", "1", "--gdb", "no-such-gdb"), "gdb-ompd: there is no no-such-gdb"),
    ):
        code, said, error = tool("snapshot", *words, "-o", str(tmp_path))
        assert (code, said) == (1, "") and error.startswith(why) and error.count("\n") == 1, error
    assert list(tmp_path.iterdir()) == []
