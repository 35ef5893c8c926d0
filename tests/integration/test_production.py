# SPDX-License-Identifier: Apache-2.0
"""Programs of the distribution as shipped, those that this machine has. The long form, which
installs them all, is scripts/production.sh."""

from __future__ import annotations

from pathlib import Path

import pytest
from generator.findings import Findings
from production import rules
from production.examine import HEAD, examine
from production.programs import PROGRAMS, Program, missing

STOPS = 2
# What is large takes long to start: these are in the long form only.
LARGE = (
    *("torch", "torch-both", "scikit-learn", "faiss", "xgboost", "mmseqs2", "cp2k"),
    "data.table",
)


@pytest.mark.parametrize(
    "program", [each for each in PROGRAMS if each.name not in LARGE], ids=lambda each: each.name
)
def test_a_program_of_the_distribution_is_shown_as_gdb_and_the_kernel_have_it(
    program: Program, tmp_path: Path
) -> None:
    absent = missing(program)
    if absent:
        pytest.skip(f"not installed: {' '.join(absent)}")
    result = examine(program, STOPS, 2, tmp_path, is_short=True)
    print(f"{HEAD}\n{result.row()}")
    assert [what for _, what in result.failed] == []


MPI = {"pc": 64, "function": "PMPI_Recv", "module": "/usr/lib/libmpi.so.40"}
BARRIER = {"kind": "barrier", "address": None, "name": None}
USERS = {"pc": 16, "function": "work", "module": "/opt/lib/libwork.so"}
RUNTIMES = {"pc": 32, "function": None, "module": "/usr/lib/libgomp.so.1.0.0"}
THREAD = {
    "gdb_num": 1,
    "lwp": 7,
    "error": None,
    "waits_for": None,
    "outside": None,
    "level": 1,
    "state": "work_parallel",
    "location": {"function": "work", "pc": 16},
}


@pytest.mark.parametrize(
    ("said", "frames", "call", "fact"),
    [
        ({}, [USERS], None, None),
        ({"waits_for": BARRIER}, [USERS], None, "waits in work"),
        ({"state": "idle"}, [USERS], None, "state in the user's code"),
        ({}, [RUNTIMES, USERS], rules.FUTEX, "working in a futex of the runtime's"),
        ({"waits_for": BARRIER}, [RUNTIMES, USERS], rules.FUTEX, None),
        ({"location": {"function": "other", "pc": 48}}, [USERS], None, "place is on the stack"),
        ({"waits_for": BARRIER, "location": {"pc": 48}}, [RUNTIMES, USERS], rules.FUTEX, None),
        ({"outside": "MPI_Recv"}, [MPI, USERS], 0, None),
    ],
)
def test_the_rules_find_what_is_wrong(
    said: dict[str, object], frames: list[dict[str, object]], call: int, fact: str
) -> None:
    found = Findings()
    plain = {"gdb_num": 1, "lwp": 7, "call": call, "frames": frames}
    rules.thread({**THREAD, **said}, plain, found)
    assert [each.split(": ")[1] for each in found.wrong] == ([fact] if fact else [])
