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
        try:
            job.communicate(timeout=10)
        except subprocess.TimeoutExpired:  # Open MPI's launcher may outlive its ranks
            os.killpg(job.pid, signal.SIGKILL)
            job.communicate(timeout=10)
    report = subprocess.run(
        [*tool, "report", str(saved)], capture_output=True, text=True, check=True
    )
    every = report.stdout.splitlines()
    lines = [line for line in every if not line.startswith("Ranks 0-3 share CPU")]
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


@pytest.mark.skipif(not MPI, reason="no MPI on this machine")
def test_ranks_that_share_cpus_and_end(tmp_path: Path) -> None:
    program, saved = tmp_path / "finalize", tmp_path / "stops"
    environment = clean_environment({"TMPDIR": str(tmp_path)})
    source = str(PROGRAMS / "mpi" / "finalize.c")
    subprocess.run(
        ["mpicc", "-g", "-O2", "-fopenmp", source, "-o", str(program)], env=environment, check=True
    )
    cpus = sorted(os.sched_getaffinity(0))[:2]
    on = ["taskset", "-c", ",".join(map(str, cpus))]
    job = subprocess.Popen(
        [*launched(), "--bind-to", "none", *on, str(program)],
        env={**environment, "OMP_SCHEDULE": "static,3"},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    tool = [sys.executable, str(ROOT / "gdb-scripts" / "gdb-ompd")]
    try:
        assert job.stdout is not None and job.stdout.readline() == "ready\n"
        done = subprocess.run(
            [*tool, "snapshot", "--program", "finalize", "-o", str(saved)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=200,
        )
        assert done.stdout.count("Saved to") == 4, done
    finally:
        os.killpg(job.pid, signal.SIGTERM)
        try:
            job.communicate(timeout=10)
        except subprocess.TimeoutExpired:  # Open MPI's launcher may outlive its ranks
            os.killpg(job.pid, signal.SIGKILL)
            job.communicate(timeout=10)
    report = subprocess.run(
        [*tool, "report", str(saved)], capture_output=True, text=True, check=True
    )
    first, told, shared, *rest = report.stdout.splitlines()
    assert first.endswith("ranks 0-2 in MPI_Finalize, rank 3 in no MPI call."), first
    assert told.startswith("Rank 3 is in no MPI call (") and "ranks 0-2 are in MPI_Finalize" in told
    listed = f"{cpus[0]}-{cpus[-1]}" if len(cpus) > 1 else f"{cpus[0]}"
    assert shared.startswith("Ranks 0-3 share CPU") and f" {listed} of " in shared, shared
    assert f": 16 threads of OpenMP on {len(cpus)} CPU" in shared
    assert not any("the other" in line for line in rest)  # their settings are alike
    ending = next(line for line in rest if line.startswith("ranks 0-2: "))
    assert ending.count(" of libraries") == 1 and "not an OpenMP thread" not in ending, ending
