# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: at each stop of a program of tests/programs/values, or in a core of one,
prints as one JSON line what its threads have noted beside what ``ompd print`` says.

VALUES_TASK holds JSON: "live", and "core", the file of the core to be written at the first
stop, or null.
"""

from __future__ import annotations

import json
import os
from typing import Any

import gdb
import gdb.frames
from gdb_ompd.host.selection import setting

NUMBERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_BOOL)
TASK: dict[str, Any] = json.loads(os.environ["VALUES_TASK"])


def in_c(expression: str) -> gdb.Value:
    """Evaluate an expression of the C part of the program."""
    with setting("language", "c"):
        return gdb.parse_and_eval(expression)


def noted() -> list[dict[str, float]]:
    """Return what each thread has noted, by its number in the team."""
    counts, notes = in_c("values_counts"), in_c("values_notes")
    found = []
    for thread in range(16):
        rows = [notes[thread][n] for n in range(int(counts[thread]))]
        found.append({row["expression"].string(): float(row["value"]) for row in rows})
    return found


def said(expression: str) -> list[dict[str, Any]]:
    """Return what is said of each thread."""
    try:
        told = gdb.execute(f"ompd print -json -- {expression}", to_string=True)
    except gdb.error as error:
        return [{"thread_num": None, "error": str(error), "text": None}]
    values: list[dict[str, Any]] = json.loads(told)["values"]
    return values


def framed() -> dict[str, Any]:
    """Return what the decorator of the selected frame has: numbers, and words."""
    level, newest = gdb.selected_frame().level(), gdb.newest_frame()
    shown = gdb.frames.execute_frame_filters(newest, 0, -1)
    found = next(each for each in shown if each.inferior_frame().level() == level)
    values: dict[str, Any] = {}
    is_body = str(found.function()).endswith("]")  # a function's arguments are what it was given
    arguments = found.frame_args() if is_body else ()
    for each in (*(found.frame_locals() or ()), *arguments):
        value = each.value()
        if value is None:  # it is GDB's to read
            value = each.symbol().value(gdb.selected_frame())
        if str(each.symbol()) in values:
            continue  # a copy of an argument
        is_word = isinstance(value, str) or value.is_optimized_out
        is_number = not is_word and value.type.strip_typedefs().code in NUMBERS
        values[str(each.symbol())] = float(value) if is_number else str(value)
    return values


def stop() -> dict[str, Any]:
    """Compare at one stop, in the frame that called values_hold."""
    gdb.execute("frame function values_hold", to_string=True)
    gdb.execute("up", to_string=True)
    notes = noted()
    expressions = sorted({expression for rows in notes for expression in rows})
    return {
        "function": gdb.selected_frame().name(),
        "noted": [rows for rows in notes if rows],
        "selected": int(gdb.parse_and_eval("$_omp_thread_num()")),
        "framed": framed(),
        "said": {expression: said(expression) for expression in expressions},
    }


def main() -> None:
    """Go from stop to stop."""
    for setting in ("pagination off", "confirm off", "width 0", "print thread-events off"):
        gdb.execute(f"set {setting}")
    gdb.execute("ompd bt on", to_string=True)
    if not TASK["live"]:
        print("VALUES " + json.dumps(stop()))
        return
    gdb.execute("break values_stop", to_string=True)
    gdb.execute("continue" if TASK.get("remote") else "run", to_string=True)
    while gdb.selected_thread() is not None:
        print("VALUES " + json.dumps(stop()))
        if TASK["core"]:
            gdb.execute(f"generate-core-file {TASK['core']}", to_string=True)
            TASK["core"] = None
        gdb.execute("continue", to_string=True)


main()
