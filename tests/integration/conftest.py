# SPDX-License-Identifier: Apache-2.0
"""What every integration test needs: a gdb that may trace, and the matrix."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.gdb_session import START, CannotCall, clean_environment  # noqa: E402
from support import pairwise  # noqa: E402
from support.inquiry import PROGRAMS, stops_of  # noqa: E402
from support.runtimes import VERSIONS, runtime_folder  # noqa: E402
from support.stripped import Stripped, strip  # noqa: E402
from support.truth import Stop  # noqa: E402

# By processor time, from three minutes down to most of one: the other worker must not wait for
# one that is begun last.
LONGEST = (
    "test_truth",
    "test_why",
    "test_waits",
    "test_stepping",
    "test_fuzz",
    "test_values",
    "test_random_stops",
    "test_stepping_on_the_way",
    "test_examples",
    "test_where_programs",
    "test_stepping_constructs",
    "test_bt",
)


def _why_no_tracing() -> str | None:
    """Return why gdb cannot run a program here, in one line; None if it can."""
    if shutil.which("gdb") is None:
        return "gdb is not installed: run scripts/bootstrap.sh"
    done = subprocess.run(
        ["gdb", *START, "-batch", "-ex", "run", "/bin/true"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=clean_environment(),
        timeout=60,
    )
    if "exited normally" in done.stdout:
        return None
    said = done.stdout.strip().splitlines() or ["nothing"]
    return f"gdb cannot trace a program here (is ptrace allowed?): it said: {said[-1]}"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Iterator[None]:
    """Skip the tests in which gdb is to call the program's functions and cannot."""
    outcome: Any = yield  # type: ignore[misc]
    report = outcome.get_result()
    if report.failed and CannotCall.SAID in f"{call.excinfo and call.excinfo.value}":
        report.outcome = "skipped"
        why = "Skipped: this gdb cannot call functions of programs on this processor"
        report.longrepr = (__file__, 1, why)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the builds that repeat only pairs which others have (support/pairwise.py), and
    put the longest files first."""
    here = [item for item in items if Path(__file__).parent in Path(item.fspath).parents]
    chosen = pairwise.choose([item.nodeid for item in here])
    left_out = [item for item in here if item.nodeid not in chosen]
    config.hook.pytest_deselected(items=left_out)
    dropped = set(left_out)
    rank = {name: place for place, name in enumerate(LONGEST)}
    kept = [item for item in items if item not in dropped]
    items[:] = sorted(kept, key=lambda item: rank.get(Path(item.fspath).stem, len(rank)))


@pytest.fixture(scope="session", autouse=True)
def tracing_works() -> Iterator[None]:
    """End the whole run at once where no test of this folder could pass."""
    problem = _why_no_tracing()
    if problem is not None:
        pytest.exit(problem, returncode=3)
    yield


@pytest.fixture(params=VERSIONS, ids=lambda version: f"libomp{version}", scope="session")
def runtime(request: pytest.FixtureRequest) -> str:
    """Each runtime's version; the first use builds it."""
    version = str(request.param)
    runtime_folder(version)
    return version


@pytest.fixture(params=("clang", "gcc"), scope="session")
def compiler(request: pytest.FixtureRequest) -> str:
    """Each compiler."""
    return str(request.param)


@pytest.fixture(params=("O0", "O2"), scope="session")
def opt(request: pytest.FixtureRequest) -> str:
    """Each level of optimisation."""
    return str(request.param)


@pytest.fixture(params=("live", "core", "gdbserver"), scope="session")
def mode(request: pytest.FixtureRequest) -> str:
    """Each way to reach a program."""
    return str(request.param)


@pytest.fixture
def stripped(runtime: str, tmp_path: Path) -> Stripped:
    """Each version's runtime, stripped, and an empty cache."""
    return strip(runtime, tmp_path)


@pytest.fixture(params=PROGRAMS)
def stops(request: pytest.FixtureRequest, runtime: str) -> tuple[Stop, ...]:
    """Each truth program's stops, with what gdb_ompd.inquiry said there."""
    return stops_of(str(request.param), runtime)
