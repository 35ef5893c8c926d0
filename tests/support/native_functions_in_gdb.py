# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: call each function of OMPD through gdb_ompd._native on a real process.

Sourced after the truth driver. ``tell`` prints one line of JSON: groups of facts,
each fact being what was said and what gdb or the program knows.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import gdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.native_handles_in_gdb import lifetimes, regions, tasks, threads  # noqa: E402
from support.native_scene_in_gdb import Fact, Scene, outcome, the_provider  # noqa: E402
from support.native_values_in_gdb import (  # noqa: E402
    failures,
    memory,
    scopes,
    tool_data_of_a_tool,
    whole_process,
)

GROUPS = (
    threads,
    regions,
    tasks,
    scopes,
    tool_data_of_a_tool,
    whole_process,
    lifetimes,
    memory,
    failures,
)


def tell() -> None:
    """Print the facts of all groups."""
    found: dict[str, Any] = {}
    for group in GROUPS:
        facts: list[Fact] = []
        found[group.__name__] = facts
        try:
            facts.extend(group(Scene()))
        except Exception as error:  # the other groups still have something to say
            facts.append((f"{group.__name__} raised", repr(error), None))
    print("\nNATIVE " + json.dumps(found))


def tell_live(stop: int) -> None:
    """Run the program to its truth_stop number STOP, and tell."""
    gdb.execute("break truth_stop", to_string=True)
    gdb.execute("run", to_string=True)
    for _ in range(stop - 1):
        gdb.execute("continue", to_string=True)
    tell()
    gdb.execute("kill", to_string=True)


def write_in_core() -> None:
    """Try to write into a core file, and print what came of it."""
    provider = the_provider()
    address = int(gdb.parse_and_eval("(unsigned long) &truth_stop_number"))
    before = provider.space.read_uint(address, 4)
    said = outcome(provider.space.write, address, b"\x63\0\0\0")
    after = provider.space.read_uint(address, 4)
    print("\nCORE " + json.dumps({"said": said, "before": before, "after": after}))
