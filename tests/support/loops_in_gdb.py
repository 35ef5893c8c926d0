# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: at each iteration of loop_kinds.c or counted_loops.cpp prints as JSON what the program tells of it
beside what ``ompd print``, ``$_omp_var``, ``ompd locals`` and ``$_omp_iteration()`` say."""

from __future__ import annotations

import json
from typing import Optional

import gdb


def printed(expression: str) -> Optional[int]:
    """Return what is said of the selected thread, None where that is not known."""
    rows = json.loads(gdb.execute(f"ompd print -json -- {expression}", to_string=True))["values"]
    own = next(row for row in rows if row["gdb_num"] == gdb.selected_thread().num)
    return None if own["error"] else int(own["text"].split()[0], 0)


def evaluated(expression: str) -> Optional[int]:
    """Return a value of GDB's, None where there is none."""
    try:
        value = gdb.parse_and_eval(expression)
        return None if value.type.code == gdb.TYPE_CODE_VOID else int(value)
    except gdb.error:
        return None


def main() -> None:
    """Go from iteration to iteration."""
    gdb.execute("break probe", to_string=True)
    gdb.execute("run", to_string=True)
    while gdb.selected_inferior().pid:
        frame = gdb.selected_frame()
        said = frame.read_var("expression").string()
        row = [said, int(frame.read_var("value")), int(frame.read_var("iteration"))]
        gdb.execute("up", to_string=True)
        at = gdb.selected_frame().find_sal().line
        by_var = evaluated('$_omp_var("i")') if said == "i" else None
        row += [at, printed(said), by_var, evaluated("$_omp_iteration()")]
        print("LOOP " + json.dumps(row))
        gdb.execute("continue", to_string=True)


main()
