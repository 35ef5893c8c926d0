# SPDX-License-Identifier: Apache-2.0
"""A runtime of our own, with its own records and a conforming OMPD library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import tiny
from support.gdb_session import DRIVER, GdbResult, run_gdb

SCRIPT = Path(tiny.__file__).with_name("tiny_in_gdb.py")
STOPS = 4
SMALL = {"MALLOC_ARENA_MAX": "1", "OMP_STACKSIZE": "1M"}


def told(done: GdbResult, stops: int) -> None:
    """Hold what gdb told at each stop against what the program recorded there."""
    lines = [line[5:] for line in done.stdout.splitlines() if line.startswith("TINY ")]
    assert len(lines) == stops, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    for number, line in enumerate(lines):
        facts = json.loads(line)
        assert len(facts) > 25
        wrong = [f"{what}: said {said}, truth {true}" for what, said, true in facts if said != true]
        assert not wrong, f"stop {number}: " + "\n".join(wrong)


@pytest.mark.parametrize("version", ["202011", "202111"])
def test_the_handles_tell_the_truth(tmp_path: Path, version: str) -> None:
    env = {"TINY_LIBRARY": str(tiny.library()), "TINY_OMPD_VERSION": version, **SMALL}
    env["TINY_CORE"] = str(tmp_path / "core")
    commands = [f"source {DRIVER}", f"source {SCRIPT}"]
    live = run_gdb([*commands, f"python tell({STOPS})"], program=tiny.program(), env=env)
    told(live, STOPS)
    assert "exited normally" in live.stdout
    for number in range(STOPS):
        core = tmp_path / f"core.{number}"
        told(run_gdb([*commands, "python tell()"], tiny.program(), core, env=env), 1)
