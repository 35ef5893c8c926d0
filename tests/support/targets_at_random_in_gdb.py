# SPDX-License-Identifier: Apache-2.0
"""Run in gdb: stop tests/programs/targets_at_random.c where its timer interrupts it, and compare
what `ompd threads` says of each thread that works with what the program has recorded. The number of
threads compared and what differs are printed as one line of JSON.

$KIND is what the program is to execute, and $CORE where it leaves a core at its last stop; without
a $KIND gdb has that core.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

import gdb

STOPS, MOST_STOPS = 6, 200  # that are compared, and in all
FIELDS = ("team_num", "num_teams", "thread_num", "team_size", "level", "active_level")


def recorded() -> dict[int, dict[str, int]]:
    said = gdb.parse_and_eval("said")
    rows = [said[at] for at in range(int(gdb.parse_and_eval("used")))]
    fields = [field.name for field in said.type.target().fields()]
    return {int(row["lwp"]): {name: int(row[name]) for name in fields} for row in rows}


def works(thread: gdb.InferiorThread) -> bool:
    thread.switch()
    return gdb.newest_frame().name() == "work"


def differences(row: dict[str, Any], truth: dict[str, int]) -> list[str]:
    shown = {name: row[name] for name in FIELDS}
    target = row["target"] or {}
    shown.update(target=target.get("line", 0), on_host=int(target.get("on_host", True)))
    wrong = [f"{key}: {shown[key]} for {truth[key]}" for key in shown if shown[key] != truth[key]]
    said = gdb.execute("ompd bt", to_string=True)
    if truth["target"] and "--  target region: " not in said:
        wrong.append(f"no target region in {said}")
    if truth["num_teams"] > 1 and not re.search(r"^--  league of teams: \w+ at ", said, re.M):
        wrong.append(f"no league in {said}")
    if "not known)" in said:
        wrong.append(said)
    return wrong


def compare() -> tuple[int, list[str]]:
    wrong: list[str] = []
    working = [thread for thread in gdb.selected_inferior().threads() if works(thread)]
    if working:
        truths = recorded()
        said = json.loads(gdb.execute("ompd threads -json", to_string=True))["threads"]
        rows = {row["gdb_num"]: row for row in said}
    for thread in working:
        thread.switch()
        wrong += differences(rows[thread.num], truths[thread.ptid[1]])
    return len(working), wrong


def main() -> None:
    compared, wrong = 0, []
    if "KIND" not in os.environ:
        compared, wrong = compare()
    else:
        gdb.execute("handle SIGALRM stop print nopass", to_string=True)
        gdb.execute(f"run {os.environ['KIND']} > /dev/null", to_string=True)
        stops = 0
        for _ in range(MOST_STOPS):
            more, others = compare()
            compared, wrong, stops = compared + more, wrong + others, stops + bool(more)
            if stops == STOPS:
                gdb.execute(f"gcore {os.environ['CORE']}", to_string=True)
                break
            gdb.execute("continue", to_string=True)
    print(json.dumps({"compared": compared, "wrong": wrong}))


main()
