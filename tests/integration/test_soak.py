# SPDX-License-Identifier: Apache-2.0
"""Many runs and snapshots in one gdb leave nothing behind (scripts/soak.sh is longer)."""

from __future__ import annotations

from pathlib import Path

import pytest

from soak.growth import Sample, complaints
from soak.session import build_program, soak

RERUNS, SNAPSHOTS = 30, 300
Samples = dict[str, list[Sample]]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_program(tmp_path_factory.mktemp("soak"))


@pytest.fixture(scope="module")
def plain(program: Path) -> Samples:
    return soak(program, RERUNS, SNAPSHOTS, plain=True)


def found(ours: Samples, plain: Samples) -> dict[str, list[str]]:
    """Return the complaints. Of thirty re-runs only Python's blocks are judged: gdb's
    resident size is still settling then; the long form judges it."""
    said = {work: list(complaints(work, ours[work], plain[work])) for work in ours}
    said["reruns"] = [line for line in said["reruns"] if "blocks" in line]
    return said


def test_grows_no_more_than_gdb_alone(program: Path, plain: Samples) -> None:
    ours = soak(program, RERUNS, SNAPSHOTS)
    assert len(ours["reruns"]) > 20 and len(ours["snapshots"]) > 20
    assert found(ours, plain) == {"reruns": [], "snapshots": []}


def test_a_snapshot_kept_at_each_stop_is_found(program: Path, plain: Samples) -> None:
    said = found(soak(program, RERUNS, SNAPSHOTS, leak="objects"), plain)
    assert any("blocks" in line for line in said["reruns"])
    assert any("blocks" in line for line in said["snapshots"])


def test_memory_kept_at_each_stop_is_found(program: Path, plain: Samples) -> None:
    said = found(soak(program, RERUNS, SNAPSHOTS, leak="memory"), plain)
    assert any("KiB" in line for line in said["snapshots"])
