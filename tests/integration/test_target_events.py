# SPDX-License-Identifier: Apache-2.0
"""`ompd break target-begin` and `target-end`: the host's begin and end of target constructs."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from support.build import OFFLOADS, build
from support.gdb_session import run_gdb

DISTRIBUTION = {"offload": OFFLOADS, "clang": "14", "gcc": "gnu"}
# By line, how often each construct is met.
MET = {"7 in repeated": 3, "10 in repeated": 1, "19 in main": 2, "23 in main": 1}
BOTH = ["ompd break target-begin", "ompd break target-end"]


def program(compiler: str, opt: str = "O0") -> Path:
    return build("target_events.c", compiler, opt, DISTRIBUTION[compiler])


def events(said: str, verb: str) -> dict[str, int]:
    found = re.findall(rf"^OpenMP target region {verb}(?: at target_events\.c:(.*))?$", said, re.M)
    return dict(Counter(found))


@pytest.mark.parametrize(
    "compiler, opt, offload",
    [
        ("clang", "O0", ""),
        ("offload", "O0", ""),
        ("offload", "O0", "disabled"),
        ("gcc", "O0", ""),
        ("gcc", "O2", ""),
    ],
)
def test_each_construct_begins_and_ends_once(compiler: str, opt: str, offload: str) -> None:
    env = {"OMP_TARGET_OFFLOAD": offload} if offload else {}
    asked = ["start", *BOTH, *["continue"] * 15]
    said = run_gdb(asked, program(compiler, opt), env=env).stdout
    assert events(said, "begins") == MET, said
    ends = dict(MET)
    if compiler == "gcc":  # where a task's ends the runtime has forgotten its function
        ends[""] = ends.pop("23 in main")
    assert events(said, "ends") == ends, said
    assert "exited normally" in said


@pytest.mark.parametrize("compiler", sorted(DISTRIBUTION))
def test_it_is_set_before_the_program_starts(compiler: str) -> None:
    asked = ["ompd tbreak ompd_bp_device_begin target_events.c:19", "run", "print $_omp_event"]
    said = run_gdb(asked, program(compiler)).stdout
    assert re.search(r"^OpenMP target region begins at target_events\.c:19 in main$", said, re.M)
    assert '$1 = "target-begin"' in said


def test_the_user_is_told_of_ends_that_are_known_later() -> None:
    said = run_gdb([BOTH[1]], program("offload")).stdout
    assert "is known once the library for devices is loaded: set target-end again" in said


@pytest.mark.parametrize("asked", (BOTH, ["start", *BOTH]))
def test_a_program_without_target_constructs_is_told_in_a_line(asked: list[str]) -> None:
    said = run_gdb(asked, build("nested.c", "gcc", runtime="gnu"))
    assert len(re.findall(r"no loaded file has code of a target construct", said.stderr)) == 2
    assert "pending" not in said.stdout
