# SPDX-License-Identifier: Apache-2.0
"""Damaged memory: gdb lives, says it in a line, and is right afterwards (scripts/fuzz.sh is longer)."""

from __future__ import annotations

from typing import Optional

import pytest

from fuzz.files import KINDS, fuzz_files
from fuzz.session import Setting, fuzz

GROWTH_KIB = 25 * 1024
# A test does not judge the time of a command, on a machine that may be busy: it is to end.
MOST_SECONDS = 60.0
SETTINGS = {Setting("19", "live"): 100, Setting("14", "core"): 60}


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_no_damage_does_harm(setting: Setting) -> None:
    report = fuzz(setting, first=0, runs=SETTINGS[setting], most_seconds=MOST_SECONDS)
    print(report)
    assert report.wrong == []
    assert report.runs == SETTINGS[setting]
    assert report.kib < GROWTH_KIB
    # The damage was met: many answers are others, and many are refused.
    assert report.answers["other"] > report.runs
    assert report.answers["error"] > report.runs


@pytest.mark.parametrize("kind", KINDS)
def test_no_damaged_file_does_harm(kind: str) -> None:
    report = fuzz_files(kind, first=0, runs=5, most_seconds=MOST_SECONDS)
    print(report)
    assert report.wrong == []
    assert report.runs == 5
    assert sum(report.answers.values()) > 100


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        ("stale", "another answer after the damage"),
        (None, ": took "),
        ("traceback", "KeyError: 'planted'"),
        ("death", "gdb died: -9"),
    ],
)
def test_what_is_planted_is_found(planted: Optional[str], said: str) -> None:
    # Not every damage changes what is kept: of these runs several do.
    first, runs = (14, 8) if planted == "stale" else (0, 2 if planted == "death" else 5)
    seconds = MOST_SECONDS if planted else 0.0
    report = fuzz(Setting("19", "core"), first, runs, planted, seconds)
    assert report.runs == runs
    assert any(said in line for line in report.wrong)
