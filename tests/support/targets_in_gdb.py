# SPDX-License-Identifier: Apache-2.0
"""Run in gdb: compare what `ompd threads` says at each stop of a program of tests/programs/targets
with what the program says, and print the number of stops and what differs as one line of JSON.

$CORES is a folder in which each stop leaves a core and what the program says there, "" for none.
$SAID is the file with that of the core that gdb has: an image for a device is not in its file then.
"""

from __future__ import annotations

import json
import os
from typing import Any

import gdb

MOST_STOPS = 40


def said() -> tuple[int, bool]:
    """Return the construct's line, and whether the host executes the region."""
    kept = os.environ.get("SAID")
    if kept:
        with open(kept, encoding="utf-8") as file:
            line, on_host = json.load(file)
        return line, on_host
    frame = gdb.newest_frame()
    return int(frame.read_var("line")), bool(frame.read_var("on_host"))


def shown() -> dict[str, Any]:
    """Return what is said of the selected thread."""
    selected = gdb.selected_thread()
    rows = json.loads(gdb.execute("ompd threads -json", to_string=True))["threads"]
    return next(row for row in rows if selected is not None and row["gdb_num"] == selected.num)


def differences() -> list[str]:
    """Return how the selected thread's row differs from what the program says."""
    line, on_host = said()
    row = shown()
    target = row["target"] or {}
    wanted = {"kind": "target", "executes": True, "line": line, "on_host": on_host}
    if not on_host:
        wanted["device"] = 0
    found = [
        f"{key}: {target.get(key)} for {value}"
        for key, value in wanted.items()
        if target.get(key) != value
    ]
    mark = gdb.execute("ompd bt", to_string=True)
    if "--  target region: " not in mark and "--  task: " not in mark:
        found.append(f"no target region in {mark}")
    return found


def main() -> None:
    """Stop at each visit."""
    cores = os.environ["CORES"]
    gdb.execute("set pagination off")
    gdb.execute("break visit")
    gdb.execute(
        "run > /dev/null" if not gdb.selected_inferior().pid else "continue", to_string=True
    )
    stops, wrong = 0, []
    while gdb.selected_inferior().pid and stops < MOST_STOPS:
        wrong += [f"stop {stops}: {each}" for each in differences()]
        if cores:
            gdb.execute(f"gcore {cores}/core.{stops}", to_string=True)
            with open(f"{cores}/said.{stops}", "w", encoding="utf-8") as file:
                json.dump(said(), file)
        stops += 1
        gdb.execute("continue", to_string=True)
    print(json.dumps({"stops": stops, "wrong": wrong}))


if os.environ.get("SAID"):
    print(json.dumps({"stops": 1, "wrong": differences()}))
else:
    main()
