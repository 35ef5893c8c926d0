# SPDX-License-Identifier: Apache-2.0
"""Ask walk_in_gdb.py in one gdb."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.gdb_session import run_gdb
from support.runtimes import ROOT


def ask(call: str, program: Path, core: Path | None = None, first: tuple[str, ...] = ()) -> Any:
    """Run FIRST, then CALL of walk_in_gdb, on PROGRAM; return what it told."""
    commands = [
        *first,
        f"python import sys; sys.path.insert(0, '{ROOT / 'tests' / 'support'}')",
        f"python import walk_in_gdb; walk_in_gdb.{call}",
    ]
    done = run_gdb(commands, program, core=core, timeout=600)
    told = [line for line in done.stdout.splitlines() if line.startswith("WALK ")]
    assert len(told) == 1, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return json.loads(told[0].removeprefix("WALK "))
