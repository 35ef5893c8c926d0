# SPDX-License-Identifier: Apache-2.0
"""Where regions began, as native code reads it from plain stacks: what GDB's frames tell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb

SCRIPT = Path(__file__).resolve().parents[1] / "support" / "region_calls_in_gdb.py"
COMMANDS = ("ignore 1 9", "run", f"source {SCRIPT}", "kill")


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
@pytest.mark.parametrize("optimisation", ["O0", "O2"])
@pytest.mark.parametrize("name, at", [("restless.c", "fibonacci"), ("serialized.c", "truth_begin")])
def test_native_code_and_gdbs_frames_agree(
    name: str, at: str, compiler: str, optimisation: str
) -> None:
    done = run_gdb([f"break {at}", *COMMANDS], binary(Build(name, compiler, optimisation, "19")))
    (line,) = [each for each in done.stdout.splitlines() if each.startswith("TOLD ")]
    told = json.loads(line.removeprefix("TOLD "))
    assert any(is_native and places for is_native, (places, _), _ in told)
    for _, said, by_frames in told:
        assert said == by_frames
