# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: at each loop of loop_shares.c prints as JSON what ``ompd loop`` says of it, and
what the program tells then and when the loop is done."""

from __future__ import annotations

import json
from typing import Any

import gdb


def numbers(name: str) -> list[int]:
    value = gdb.parse_and_eval(f"'loop_shares.c'::{name}")
    first, last = value.type.range()
    return [int(value[n]) for n in range(first, last + 1)]


def main() -> None:
    """Go from loop to loop."""
    gdb.execute("break all_there", to_string=True)
    gdb.execute("break all_done", to_string=True)
    gdb.execute("run", to_string=True)
    row: dict[str, Any] = {}
    while gdb.selected_inferior().pid:
        frame = gdb.selected_frame()
        if frame.name() == "all_there":
            row = {name: int(frame.read_var(name)) for name in ("first", "step")}
            row["kind"] = frame.read_var("kind").string()
            row["now"], row["begun"] = numbers("now"), numbers("begun")
            row["said"] = json.loads(gdb.execute("ompd loop -json", to_string=True))["loops"]
            row["text"] = gdb.execute("ompd loop", to_string=True)
        else:
            print("SHARES " + json.dumps({**row, "owner": numbers("owner")}))
        gdb.execute("continue", to_string=True)


main()
