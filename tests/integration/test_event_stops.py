# SPDX-License-Identifier: Apache-2.0
"""Thousands of stops in one run: nothing is kept of each, and nothing nests."""

from __future__ import annotations

import json
from pathlib import Path

from support.build import Build
from support.events import events, script

STOPS = 3_000
WARM = 1_000  # stops after which everything has been needed once
# GDB keeps the type of each string that a condition has, at each evaluation.
GDBS_OWN = 'break ompd_bp_parallel_begin if $_streq("parallel-begin", "parallel-begin")'
PROBE = """python
import gdb, json, traceback
found = []
def stopped(event):
    with open('/proc/self/statm') as file:
        resident, of_files = map(int, file.read().split()[1:3])
    found.append(((resident - of_files) * 4, len(traceback.extract_stack())))
gdb.events.stop.connect(stopped)
end"""
COMMANDS = ("commands", "silent", "set $count = $count + 1", "continue", "end")


def growth(folder: Path, command: str, stops: int) -> tuple[float, set[int]]:
    """Return by how many KiB gdb grew at each stop after the first ones, and how deep
    in Python its stops were."""
    lines = [PROBE, "set breakpoint pending on", command, *COMMANDS, "set $count = 0"]
    lines += [f"run {stops}", "python print('FOUND', json.dumps([found[:-1],"]
    lines[-1] += " int(gdb.convenience_variable('count'))]))"
    said = events(Build("many.c", "clang", "O0", "19"), [script(folder, lines)], timeout=400).stdout
    assert "exited normally" in said, said
    found, count = json.loads(said.split("FOUND ", 1)[1].split("\n", 1)[0])
    assert count == stops
    grown = (found[-1][0] - found[WARM][0]) / (stops - WARM)
    return grown, {depth for _, depth in found}


def test_nothing_is_kept_of_a_stop(tmp_path: Path) -> None:
    ours, depths = growth(tmp_path, "ompd break parallel-begin", STOPS)
    allowed, _ = growth(tmp_path, GDBS_OWN, STOPS)
    assert ours < allowed + 0.05
    assert len(depths) == 1
