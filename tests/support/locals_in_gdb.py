# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: at the first STOPS in STOP_AT, which CALLED has called, prints as JSON, for each variable that ``ompd locals`` lists in the frame
around it, whether GDB has a value of it and what is said where there is none."""

from __future__ import annotations

import json

import gdb


def has_value(name: str) -> bool:
    """Tell whether GDB has a value of the variable in the selected frame."""
    try:
        value = gdb.selected_frame().read_var(name)
        value.fetch_lazy()
    except (gdb.error, ValueError):
        return False
    return not value.is_optimized_out


def main() -> None:
    """Go from stop to stop."""
    gdb.execute(f"break {globals()['STOP_AT']}", to_string=True)
    gdb.execute("run", to_string=True)
    for _ in range(globals()["STOPS"]):
        if not gdb.selected_inferior().pid:
            return
        gdb.execute(f"frame function {globals()['CALLED']}", to_string=True)
        gdb.execute("up", to_string=True)
        rows = json.loads(gdb.execute("ompd locals -json", to_string=True))["locals"]
        own = gdb.selected_thread().num
        for row in rows:
            error = next(one["error"] for one in row["values"] if one["gdb_num"] == own)
            name = row["expression"]
            print("LOCAL " + json.dumps([name, has_value(name), error]))
        gdb.execute("continue", to_string=True)


main()
