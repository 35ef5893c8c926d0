# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: what is kept of the last stop, beside what is read anew at this one.

Prints one line of JSON: of how many stacks it is kept where they began regions, and a line
for each difference.
"""

from __future__ import annotations

import json
import random
from typing import Any

import gdb
import gdb_ompd
from gdb_ompd.stop.registry import session_of
from looks_in_gdb import compared
from random_stops_in_gdb import PLACES, run_to

STOPS = 120


def asked() -> dict[str, Any]:
    """Ask for the threads, and for what is read of the runtime after them."""
    snapshot = gdb_ompd.snapshot(locations=False)
    numbers = [thread.gdb_num for thread in snapshot.threads if thread.level is not None]
    session = session_of()
    return {
        "threads": snapshot.threads,
        "regions": snapshot.regions,
        "tasks": session.tasks(numbers),
        "icvs": session.icvs(numbers, [region.id for region in snapshot.regions]),
    }


def move(choice: random.Random) -> None:
    """Go on a little, or to where the runtime changes its records."""
    far = choice.random() < 0.3
    if far:
        run_to(choice.choice(PLACES), choice.randrange(4))
    else:
        gdb.execute(choice.choice(("stepi", "stepi 20")), to_string=True)


def main() -> None:
    """Compare at stops that follow upon each other."""
    choice = random.Random(7)
    gdb.execute("set pagination off")
    gdb.execute("break inner", to_string=True)
    gdb.execute("run", to_string=True)
    gdb.execute("delete", to_string=True)
    begun, differences = 0, []
    for stop in range(STOPS):
        move(choice)
        said = asked()
        of_stacks = compared()
        begun += of_stacks["begun"]
        differences += [f"stop {stop}: {line}" for line in of_stacks["differences"]]
        session_of().end_stop(keep=False)
        anew = asked()
        differences += [f"stop {stop}: {key}" for key in said if said[key] != anew[key]]
    gdb.execute("kill")
    report = {"begun": begun, "differences": differences}
    print("KEPT " + json.dumps(report))
