# SPDX-License-Identifier: Apache-2.0
"""A job of Open MPI that hangs across its ranks, saved beside each of them by its launcher."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.build import PROGRAMS
from support.gdb_session import clean_environment
from support.runtimes import ROOT, runtime_folder

MPI = shutil.which("mpirun") and shutil.which("mpicc")
LAUNCH = ["mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-np", "4"]


def launched() -> list[str]:
    return [*LAUNCH, *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]


@pytest.mark.skipif(not MPI, reason="no MPI on this machine")
def test_a_hang_across_ranks(tmp_path: Path) -> None:
    lib, program = runtime_folder("19"), tmp_path / "exchange"
    flags = ["-g", "-O0", "-fopenmp", f"-I{lib}/../include", str(PROGRAMS / "mpi" / "exchange.c")]
    link = [f"-L{lib}", f"-Wl,-rpath,{lib}", "-o", str(program)]
    environment = clean_environment({"TMPDIR": str(tmp_path)})
    subprocess.run(
        ["mpicc", *flags, *link], env={**environment, "OMPI_CC": "clang"}, check=True, cwd=tmp_path
    )
    saved = tmp_path / "stops"
    job = subprocess.Popen(
        [*launched(), str(program)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert job.stdout is not None and job.stdout.readline() == "ready\n"
        tool = [sys.executable, str(ROOT / "gdb-scripts" / "gdb-ompd")]
        beside = [*tool, "snapshot", "--program", "exchange", "-o", str(saved)]
        done = subprocess.run(
            [*launched(), *beside], env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.stdout.count("Saved to") == 4, done
    finally:
        os.killpg(job.pid, signal.SIGTERM)
        job.communicate(timeout=30)
    report = subprocess.run(
        [*tool, "report", str(saved)], capture_output=True, text=True, check=True
    )
    lines = report.stdout.splitlines()
    assert (
        lines[0] == "4 processes in 2 states: rank 3 in MPI_Recv, ranks 0-2 in MPI_Barrier."
    ), lines
    told = "Rank 3 is in no collective call (thread 3 in MPI_Recv, exchange at exchange.c:12; "
    told += "threads 0-2 at barrier, main at exchange.c:27); ranks 0-2 are in MPI_Barrier (main at"
    assert lines[1].startswith(told), lines
    assert lines[1].endswith("), which every rank of its communicator must call."), lines
    del lines[1]
    assert lines[1].startswith("rank 3: thread 3 in MPI_Recv, exchange at exchange.c:12; "), lines
    assert "threads 0-2 at barrier, main at exchange.c:27" in lines[1]
    assert any(
        line.startswith("ranks 0-2: ") and "MPI_Barrier, main at exchange.c:" in line
        for line in lines
    )
