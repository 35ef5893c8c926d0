# SPDX-License-Identifier: Apache-2.0
"""The OMPD library's own handles in the Python API, and how long they live."""

from __future__ import annotations

import json
from pathlib import Path

from support.build import build
from support.gdb_session import DRIVER, run_gdb

SCRIPT = Path(__file__).resolve().parents[1] / "support" / "handles_in_gdb.py"


def test_handles_are_the_programs_and_last(runtime: str) -> None:
    done = run_gdb(
        [f"source {DRIVER}", f"source {SCRIPT}", "python import gdb_ompd", "python tell(3)"],
        program=build("task_regions.c", runtime=runtime),
    )
    lines = [line[8:] for line in done.stdout.splitlines() if line.startswith("HANDLES ")]
    assert lines, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    facts = json.loads(lines[0])
    assert len(facts) > 40
    wrong = [f"{what}: said {said}, truth {true}" for what, said, true in facts if said != true]
    assert not wrong, "\n".join(wrong)
