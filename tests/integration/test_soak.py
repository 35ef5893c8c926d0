# SPDX-License-Identifier: Apache-2.0
"""Many runs and snapshots in one gdb leave nothing behind (scripts/soak.sh is longer)."""

from __future__ import annotations

from pathlib import Path

import pytest

from soak.growth import Sample, complaints
from soak.session import build_program, soak

RERUNS, SNAPSHOTS, STOPS, ENDING = 30, 300, 20, 200
Samples = dict[str, list[Sample]]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_program(tmp_path_factory.mktemp("soak"))


@pytest.fixture(scope="module")
def plain(program: Path) -> Samples:
    return soak(program, RERUNS, SNAPSHOTS, plain=True, stops=STOPS, ending=ENDING)


def found(ours: Samples, plain: Samples) -> dict[str, list[str]]:
    """Return the complaints. But of snapshots gdb's resident size is not judged, which is still
    settling after so few repeats; the long form judges it."""
    said = {work: list(complaints(work, ours[work], plain[work])) for work in ours}
    return {
        work: [line for line in lines if work == "snapshots" or "KiB" not in line]
        for work, lines in said.items()
    }


def test_grows_no_more_than_gdb_alone(program: Path, plain: Samples) -> None:
    ours = soak(program, RERUNS, SNAPSHOTS, stops=STOPS, ending=ENDING)
    assert all(len(samples) > 20 for samples in ours.values())
    assert not any(found(ours, plain).values())


def test_a_snapshot_kept_at_each_stop_is_found(program: Path, plain: Samples) -> None:
    said = found(soak(program, RERUNS, SNAPSHOTS, leak="objects"), plain)
    assert any("blocks" in line for line in said["reruns"])
    assert any("blocks" in line for line in said["snapshots"])


def test_memory_kept_at_each_stop_is_found(program: Path, plain: Samples) -> None:
    said = found(soak(program, RERUNS, SNAPSHOTS, leak="memory"), plain)
    assert any("KiB" in line for line in said["snapshots"])
