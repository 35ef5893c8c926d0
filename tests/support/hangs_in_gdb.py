# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: attach, ask `ompd why -json`, let the program go, and do so again."""

from __future__ import annotations

import json
import os
import time
from typing import Optional

import gdb


def _quiet(command: str) -> None:
    gdb.execute(command, to_string=True)


def _why() -> None:
    document = json.loads(gdb.execute("ompd why -json", to_string=True))
    document["shown"] = gdb.execute("ompd why", to_string=True)
    print("WHY: " + json.dumps(document), flush=True)


def ask(pid: int, stops: int, core: Optional[str]) -> None:
    """Print an answer a stop, on one line behind "WHY: "."""
    _quiet("set confirm off")
    for number in range(stops):
        time.sleep(0.02 * (number % 3))  # at different moments
        _quiet(f"attach {pid}")
        _why()
        if core is not None:
            _quiet(f"gcore {core}")
        _quiet("detach")
    if core is not None:
        _quiet(f"core-file {core}")
        _quiet("info threads")  # has gdb say what it misses in the core
        _why()
        os.unlink(core)
