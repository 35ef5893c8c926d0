# SPDX-License-Identifier: Apache-2.0
"""Saved ranks are folded: equal states share a line, and the rare ones come first."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from gdb_ompd import tool  # noqa: E402
from gdb_ompd.saved import document  # noqa: E402
from gdb_ompd.saved.job import _as_in_c, folded  # noqa: E402
from gdb_ompd.saved.taking import taken  # noqa: E402
from support.made_stops import MadeStop, circumstances, write  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def report(folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert tool.main(["report", str(folder)]) == 0
    return capsys.readouterr().out.splitlines()


def test_the_outlier_is_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(128, 8, tmp_path)
    assert report(tmp_path, capsys) == [
        "128 processes in 2 states: rank 127 in MPI_Recv, ranks 0-126 in no MPI call.",
        "rank 127: thread 3 in MPI_Recv, exchange at exchange.c:40; "
        "7 threads at barrier, step at heat.c:52",
        "  waiting for thread 3 (GDB thread 4) at exchange.c:40",
        "ranks 0-126: 8 threads at barrier, step at heat.c:52",
    ]


def test_who_is_missing_or_cannot_be_read_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(6, 4, tmp_path)
    (tmp_path / "rank-2.json").unlink()
    (tmp_path / "rank-3.json").write_text("{}")
    lines = report(tmp_path, capsys)
    assert lines[0].startswith("4 processes in 2 states: ")
    assert "Not saved: ranks 2-3" in lines
    assert lines[-1] == f"{tmp_path}/rank-3.json: no saved stop"


def test_a_rank_that_was_saved_again_counts_once_and_threads_may_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, late, age, rank in (
        ("old", None, 5, 0),
        ("new", 2, 0, 0),
        ("other", 1, 0, 1),
        ("alone", None, 0, None),
    ):
        about = circumstances(rank, 2 if rank is not None else None)
        about = about._replace(time=about.time - age)
        (tmp_path / f"{name}.json").write_text(document.text(taken(MadeStop(4, late), about)))
    lines = report(tmp_path, capsys)
    assert lines[0] == "3 processes in 2 states."
    assert lines[1] == "alone.json: 4 threads at barrier, step at heat.c:52"
    # Thread 2 of one, thread 1 of the other.
    assert lines[2].startswith("ranks 0-1: 1 thread working, exchange at exchange.c:40; 3 threads")
    assert lines[-1] == "1 ranks were saved again: the latest is shown."


def test_mpi_calls_are_named_as_c_has_them() -> None:
    names = ("MPI_Recv", "PMPI_Recv", "mpi_recv_", "pmpi_recv__", "MPI_Ibarrier")
    assert [_as_in_c(name) for name in names] == ["MPI_Recv"] * 4 + ["MPI_Ibarrier"]


def test_a_folder_without_saved_stops_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        assert tool.main(["report", str(folder)]) == 1
        assert capsys.readouterr().err.startswith(f"gdb-ompd: {folder}: ")


def test_the_tool_runs_without_gdb_and_through_a_closed_pipe(tmp_path: Path) -> None:
    write(3, 2, tmp_path)
    script = ROOT / "gdb-scripts" / "gdb-ompd"
    done = subprocess.run(
        f"'{sys.executable}' '{script}' report '{tmp_path}' | head -c 1",
        shell=True,
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"]},
    )
    assert (done.stdout, done.stderr) == ("3", "")


def test_folding_grows_with_the_number_of_ranks_only(tmp_path: Path) -> None:
    took = {}
    for ranks in (40, 160):
        folder = tmp_path / str(ranks)
        write(ranks, 32, folder)
        start = time.process_time()
        assert folded(str(folder)).processes == ranks
        took[ranks] = time.process_time() - start
    assert took[160] < 4 * took[40] * 1.8, took
