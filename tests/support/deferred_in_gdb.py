# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: what `ompd tasks -all` says beside what the program expects.

collect(OUT, CORES) runs the program to its end; one document a stop is written to OUT,
and one more from a core of each of CORE_PHASES if CORES is a prefix for their names.
"""

from __future__ import annotations

import json
import os
from typing import Any, Optional

import gdb

Document = dict[str, Any]
CORE_PHASES = ("many", "dependences", "suspended", "priorities", "inner region", "detached")


def _quiet(command: str) -> None:
    gdb.execute(command, to_string=True)


def _static(name: str) -> gdb.Value:
    return gdb.lookup_static_symbol(name).value()


def _expected() -> list[Document]:
    rows = _static("deferred_rows")
    return [
        {
            "where": rows[i]["where"].string(),
            "line": int(rows[i]["line"]),
            "creator": int(rows[i]["creator"]),
            "count": int(rows[i]["count"]),
        }
        for i in range(int(_static("deferred_count")))
    ]


def _write(out: str, mode: str) -> None:
    document = {
        "phase": _static("deferred_phase").string(),
        "mode": mode,
        "expected": _expected(),
        "said": json.loads(gdb.execute("ompd tasks -all -json", to_string=True)),
        "alone": json.loads(gdb.execute("ompd tasks -json", to_string=True)),
        "text": gdb.execute("ompd tasks -all", to_string=True),
    }
    with open(out, "a", encoding="utf-8") as file:
        file.write(json.dumps(document) + "\n")


def collect(out: str, cores: Optional[str]) -> None:
    """Write the documents of every stop."""
    _quiet("set confirm off")
    _quiet("set pagination off")
    for name, value in (
        ("OMP_MAX_TASK_PRIORITY", "10"),
        ("KMP_ENABLE_TASK_THROTTLING", "0"),
        ("OMP_STACKSIZE", "1M"),
        ("MALLOC_ARENA_MAX", "1"),
    ):
        _quiet(f"set environment {name}={value}")
    _quiet("break deferred_stop")
    _quiet("run")
    made: list[str] = []
    while gdb.selected_inferior().threads():
        _write(out, "live")
        if cores is not None and _static("deferred_phase").string() in CORE_PHASES:
            made.append(f"{cores}{len(made)}")
            _quiet(f"gcore {made[-1]}")
        _quiet("continue")
    for core in made:
        _quiet(f"core-file {core}")
        _write(out, "core")
        os.unlink(core)
