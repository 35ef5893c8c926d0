# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: at each stop of chains.c, or in a core of one, print as JSON what
the program has recorded and what "ompd bt" shows of each thread.

BT_TASK holds {"live": true, "cores": FOLDER} or {"live": false}.
"""

from __future__ import annotations

import json
import os
from typing import Any

import gdb

TASK: dict[str, Any] = json.loads(os.environ["BT_TASK"])
STOPS = 3


def recorded(stop: int) -> dict[int, list[str]]:
    """Return what each thread has recorded for this stop, by LWP, outermost first."""
    slots = gdb.parse_and_eval("recorded")
    found = {}
    for index in range(slots.type.range()[1] + 1):
        slot = slots[index]
        if int(slot["stop"]) == stop:
            chain = slot["chain"]
            length = int(chain["length"])
            found[int(slot["lwp"])] = [chain["entry"][n].string() for n in range(length)]
    return found


def shown() -> dict[int, dict[str, Any]]:
    """Return each thread's document by LWP; the selection stays as it was."""
    found = {}
    before = gdb.selected_thread()
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        gdb.execute("up", to_string=True)
        selected = (gdb.selected_thread().num, gdb.selected_frame().level())
        found[thread.ptid[1]] = json.loads(gdb.execute("ompd bt -json", to_string=True))
        gdb.execute("ompd bt -all", to_string=True)
        assert (gdb.selected_thread().num, gdb.selected_frame().level()) == selected
    before.switch()
    return found


def tell() -> None:
    """Print one stop."""
    stop = int(gdb.parse_and_eval("current_stop"))
    trees = json.loads(gdb.execute("ompd bt -all -json", to_string=True))
    answer = {"stop": stop, "recorded": recorded(stop), "shown": shown(), "trees": trees}
    print("STOP " + json.dumps(answer))


def main() -> None:
    """Go through the stops."""
    if not TASK["live"]:
        # gdb's warnings of what it misses in a core are no part of the answers.
        gdb.execute("info threads", to_string=True)
        tell()
        return
    gdb.execute("break truth_stop")
    gdb.execute("run", to_string=True)
    for stop in range(1, STOPS + 1):
        tell()
        gdb.execute(f"gcore {TASK['cores']}/core.{stop}", to_string=True)
        gdb.execute("continue", to_string=True)


main()
