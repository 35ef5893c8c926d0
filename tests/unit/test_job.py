# SPDX-License-Identifier: Apache-2.0
"""Saved ranks are folded: equal states share a line, and the rare ones come first."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from gdb_ompd import tool  # noqa: E402
from gdb_ompd.saved import document
from gdb_ompd.explain.job import as_in_c  # noqa: E402
from gdb_ompd.explain.machines import OnMachine, notes  # noqa: E402
from gdb_ompd.explain.report import Report, Verdict  # noqa: E402
from gdb_ompd.saved.job import CALL, folded  # noqa: E402
from gdb_ompd.saved.taking import taken  # noqa: E402
from gdb_ompd.render.pictures import SIDE  # noqa: E402
from support.html import read  # noqa: E402
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


def stops(folder: Path, *calls: str | None, missing: int = 0, late: int = 0) -> None:
    """Save a rank for each of CALLS: thread 3 is in it, or all are at a barrier for None."""
    for rank, call in enumerate(calls):
        stop = MadeStop(4) if call is None else MadeStop(4, 3, call)
        about = circumstances(rank, len(calls) + missing)
        about = about._replace(time=about.time + late * rank)
        (folder / f"{rank}.json").write_text(document.text(taken(stop, about)))


BARRIER = "(4 threads at barrier, step at heat.c:52)"
REST = "; threads 0-2 at barrier, step at heat.c:52)"
AT = "exchange at exchange.c:40"


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        (
            ("MPI_Barrier", "MPI_Barrier", "PMPI_Recv"),
            f"Rank 2 is in no collective call (thread 3 in MPI_Recv, {AT}{REST}; ranks 0-1 are in"
            f" MPI_Barrier ({AT}), which every rank of its communicator must call.",
        ),
        (
            ("mpi_allreduce_", None, "MPI_Allreduce"),
            f"Rank 1 is in no MPI call {BARRIER}; ranks 0,2 are in MPI_Allreduce ({AT}),"
            " which every rank of its communicator must call.",
        ),
        (
            ("MPI_Bcast", "MPI_Barrier", "MPI_Barrier"),
            f"Rank 0 is in MPI_Bcast ({AT}); ranks 1-2 are in MPI_Barrier ({AT}):"
            " none of these calls completes another.",
        ),
        (
            ("MPI_Recv", "MPI_Recv", "MPI_Probe"),
            "All 3 are in calls that receive (MPI_Probe, MPI_Recv), none is in one that sends.",
        ),
        (
            ("MPI_Ssend", "MPI_Send"),
            "All 2 are in calls that send (MPI_Send, MPI_Ssend), none is in one that receives.",
        ),
        # Nothing is known of who receives from whom, of requests, nor of a barrier that all are in.
        (("MPI_Recv", "MPI_Send"), None),
        (("MPI_Recv", None), None),
        (("MPI_Ibarrier", None), None),
        (("MPI_Waitall", "MPI_Recv"), None),
        (("MPI_Barrier", "MPI_Barrier"), None),
        ((None, None), None),
    ],
)
def test_what_the_ranks_tell_together(
    calls: tuple[str | None, ...],
    said: str | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stops(tmp_path, *calls)
    lines = report(tmp_path, capsys)
    together = lines[1 : next(n for n, line in enumerate(lines) if line.startswith("rank"))]
    assert together == ([said] if said else [])


def test_a_rank_that_is_not_saved_may_be_awaited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stops(tmp_path, "MPI_Barrier", "MPI_Barrier", missing=1, late=2500)
    lines = report(tmp_path, capsys)
    assert lines[1].startswith("Rank 2 is not saved; ranks 0-1 are in MPI_Barrier (")
    assert lines[-2:] == [
        "The last stop was saved 2 s after the first.",
        "Not saved: rank 2",
    ]
    (tmp_path / "1.json").unlink()
    stops(tmp_path, "MPI_Recv", missing=1)
    assert report(tmp_path, capsys)[1].startswith("rank 0: "), "the other may send"


def test_the_page_says_what_the_lines_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stops(tmp_path, *["MPI_Barrier"] * 60, None, "<b>MPI_Recv", missing=2)
    page = tmp_path / "job.html"
    first, second, *_ = report(tmp_path, capsys)
    assert tool.main(["report", str(tmp_path), "-o", str(page)]) == 0
    assert capsys.readouterr().out == f"Written to {page}.\n"
    text = page.read_text("utf-8")
    reader = read(text)
    assert first in reader.texts and second in reader.texts
    states, threads = reader.tables
    assert [row[1] for row in states] == ["rank 60", "rank 61", "ranks 0-59"]
    assert [row[3] for row in states] == ["running", "waiting", "waiting"]
    assert [row[3] for row in threads] == ["", "", "", "MPI_Barrier", ""]
    # A row ends after rank 49; rank 0 stands for its state and has a page.
    assert sum(tag == "path" for tag, _ in reader.tags) == 6
    assert text.count(f"h{SIDE}v{SIDE}") == 64 and "http" not in text.replace("http://www.w3", "")


@pytest.mark.parametrize("options, count", [((), 2), (("--all-pages",), 5)], ids=["states", "all"])
def test_the_page_leads_to_those_of_ranks(
    options: tuple[str, ...], count: int, tmp_path: Path
) -> None:
    stops(tmp_path, *["MPI_Barrier"] * 4, "MPI_Recv")
    page = tmp_path / "a job.html"
    assert tool.main(["report", str(tmp_path), "-o", str(page), *options]) == 0
    reader = read(page.read_text("utf-8"))
    linked = {dict(names)["href"] for tag, names in reader.tags if tag == "a"}
    pages = {unquote(each) for each in linked if not each.startswith("#")}
    assert len(pages) == count
    for each in pages:
        assert "heat" in (tmp_path / each).read_text("utf-8")


def test_mpi_calls_are_named_as_c_has_them() -> None:
    names = ("MPI_Recv", "PMPI_Recv", "mpi_recv_", "pmpi_recv__", "mpi_recv_f08_", "MPI_Ibarrier")
    assert all(map(CALL.fullmatch, names)) and not CALL.fullmatch("mpi_exchange")
    assert [as_in_c(name) for name in names] == ["MPI_Recv"] * 5 + ["MPI_Ibarrier"]


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
        times = []
        for _ in range(3):  # a busy machine takes one longer
            start = time.process_time()
            assert folded(str(folder)).processes == ranks
            times.append(time.process_time() - start)
        took[ranks] = min(times)
    assert took[160] < 4 * took[40] * 1.8, took


def placed(*ranks: tuple[str, Sequence[int], int, str]) -> list[OnMachine]:
    return [
        OnMachine(n, host, frozenset(cpus), threads, (("nthreads-var", value),))
        for n, (host, cpus, threads, value) in enumerate(ranks)
    ]


def test_ranks_of_one_host_that_share_cpus_are_said() -> None:
    share = placed(("a", (0, 1), 2, "2"), ("a", (1, 2), 2, "2"), ("b", (0, 1), 2, "2"))
    (note,) = notes(share)
    assert note.startswith("Ranks 0-1 share CPUs 0-2 of a: 4 threads of OpenMP on 3 CPUs. ")
    apart = placed(("a", (0, 1), 2, "2"), ("a", (2, 3), 2, "2"), ("b", (0, 1), 2, "2"))
    enough = placed(("a", range(8), 4, "4"), ("a", range(8), 4, "4"), ("b", (), 4, "4"))
    assert list(notes(apart)) == list(notes(enough)) == []
    many = placed(*((host, (0,), 1, "1") for host in "abcdefgh" for _ in range(2)))
    assert len(list(notes(many))) == 4 and list(notes(many))[-1].startswith("5 more groups")


def test_a_rank_with_other_settings_than_the_rest_is_said() -> None:
    ranks = placed(*(("a", (n,), 1, "1" if n == 2 else "8") for n in range(6)))
    assert list(notes(ranks)) == ["Rank 2 has nthreads-var 1, the other 5 ranks 8."]
    halves = placed(*(("a", (n,), 1, str(n % 2)) for n in range(6)))
    each = placed(*(("a", (n,), 1, str(n)) for n in range(6)))
    assert list(notes(halves)) == list(notes(each)) == list(notes(ranks[:2])) == []


def test_a_rank_in_a_collective_waits_for_the_others(tmp_path: Path) -> None:
    class Polling(MadeStop):
        """The library polls: the code goes on, the rank does not."""

        def report(self) -> Report:
            text = "running: GDB thread 4 can go on, 3 threads wait for that"
            return Report(Verdict.RUNNING, text, (), (), ())

    for call, said in (("MPI_Barrier", "waiting"), ("MPI_Comm_rank", "running")):
        stop = taken(Polling(4, 3, call), circumstances(0, 1))
        (tmp_path / "0.json").write_text(document.text(stop))
        (fold,) = folded(str(tmp_path)).folds
        assert fold.one.verdict is not None and fold.one.verdict.value == said
        assert fold.one.text.startswith(said)
