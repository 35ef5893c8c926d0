# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: hold what is said of threads that begin and end regions of one thread
against what they wrote down."""

from __future__ import annotations

import json
from typing import Any

import gdb

AT_END = "end-of-region barrier"


def compare(stops: int) -> None:
    """At STOPS calls of the kernel by which threads wake others, print what is wrongly said to
    wait for its team, which regions have no place, and whose stack is said not to agree."""
    wrong: list[dict[str, Any]] = []
    unplaced: list[dict[str, Any]] = []
    differ: list[str] = []
    seen = 0
    for _ in range(stops):
        gdb.execute("continue", to_string=True)
        come = gdb.parse_and_eval("come")
        for thread in _read("ompd threads -json")["threads"]:
            if thread["team_size"] != 3:
                continue
            seen += 1
            wait = thread["waits_for"]
            if wait and wait["kind"] == AT_END and not int(come[thread["thread_num"]]):
                wrong.append(thread)
        team = [one for one in _read("ompd parallel -all -json")["regions"] if one["level"] == 1]
        unplaced += [one for one in team if one["function"] != "team"]
        said = gdb.execute("ompd bt -all", to_string=True)
        differ += [said] if "do not agree" in said else []
    print("INNER " + json.dumps([wrong, seen, unplaced, differ]))


def _read(command: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gdb.execute(command, to_string=True))
    return found
