# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: hold what is said of a region's workers against what they wrote down."""

from __future__ import annotations

import json
from typing import Any

import gdb

NOT_BEGUN, AT_END, IN_RUNTIME = "begin of region", "end-of-region barrier", "overhead"
# How many times as many stops there are at most, until somebody was at the end: where the
# threads are is as the machine has time for them.
PATIENCE = 10


def compare(stops: int, steps: int = 0) -> None:
    """Where the primary thread alone has begun a region, at STOPS hits of a breakpoint in the regions' body, or some more, at a call of the runtime's,
    and at STEPS of the primary thread when it has executed the body, print of the region that is
    begun who is said to wait at its beginning or end, is in the runtime or in no known state, and
    what is so."""
    found = _alone_in_region()
    wanted = set() if steps else {AT_END}  # the steps come to the end
    for stop in range(PATIENCE * stops):
        if stop >= stops and {each["said"] for each in found} >= wanted:
            break
        gdb.execute("continue", to_string=True)
        found += _said()
    if steps:
        gdb.execute("tbreak omp_get_thread_num", to_string=True)
        gdb.execute("continue", to_string=True)
        found += _said()
        gdb.execute("break body thread 1", to_string=True)
        while gdb.selected_thread().num != 1 or gdb.selected_frame().name() != "body":
            gdb.execute("continue", to_string=True)
        gdb.execute("delete", to_string=True)
        runtime = gdb.selected_frame().older().older()  # it has called the outlined function
        gdb.execute(f"tbreak *{runtime.pc()} thread 1", to_string=True)
        gdb.execute("continue", to_string=True)
    for _ in range(steps):
        gdb.execute("stepi", to_string=True)
        found += _said()
    print("BEGINNING " + json.dumps(found))


def _alone_in_region() -> list[dict[str, Any]]:
    """Return the same where the primary thread has begun a region and the others are held back."""
    gdb.execute("tbreak rested", to_string=True)
    while gdb.selected_frame().name() != "rested":
        gdb.execute("continue", to_string=True)
    gdb.execute("set scheduler-locking on")
    gdb.execute("tbreak body", to_string=True)
    gdb.execute("continue", to_string=True)
    found = _said()
    gdb.execute("set scheduler-locking off")
    return found


def _said() -> list[dict[str, Any]]:
    found = []
    number = int(gdb.parse_and_eval("region"))
    begun, ended = (_numbers(name) for name in ("begun", "ended"))
    threads = json.loads(gdb.execute("ompd threads -json", to_string=True))["threads"]
    why = json.loads(gdb.execute("ompd why -json", to_string=True))
    told = [group for team in why["teams"] for group in team["groups"]]
    groups = {number: group for group in told for number in group["gdb_num"]}
    for thread in threads:
        wait = thread["waits_for"]
        said = wait["kind"] if wait else thread["state"]
        if thread["level"] == 1 and said in (NOT_BEGUN, AT_END, IN_RUNTIME, None):
            me = thread["thread_num"]
            found.append({"said": said, "begun": begun[me] == number})
            found[-1] |= {"ended": ended[me] == number, "blocked": "blocked" in why["text"]}
            group = groups[thread["gdb_num"]]
            found[-1] |= {"waits": group["waits_for"] == wait, "outside": bool(group["outside"])}
    return found


def _numbers(name: str) -> list[int]:
    values = gdb.parse_and_eval(name)
    return [int(values[i]) for i in range(values.type.range()[1] + 1)]
