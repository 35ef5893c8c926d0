# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: what the frame layer says of each thread beside the program's rows.

collect(PLAN) runs the programs of PLAN, a JSON file; one document a stop is written
to WAITS_OUT.
"""

from __future__ import annotations

import json
import os
from typing import Any

import gdb
from gdb_ompd.errors import OmpdToolError
from gdb_ompd.host.sessions.registry import session_of
from looks_in_gdb import compared

Document = dict[str, Any]


def _text(value: gdb.Value) -> Any:
    return None if int(value) == 0 else value.string()


def _rows() -> list[Document]:
    """Return what the program's threads recorded."""
    rows = gdb.lookup_static_symbol("waits_rows").value()
    count = int(gdb.lookup_static_symbol("waits_count").value().cast(gdb.lookup_type("int")))
    return [
        {
            "lwp": int(rows[i]["lwp"]),
            "kind": _text(rows[i]["kind"]),
            "object": int(rows[i]["object"]),
            "name": _text(rows[i]["name"]),
            "line": int(rows[i]["line"]),
        }
        for i in range(count)
    ]


def _said() -> dict[int, Document]:
    """Return the frame layer's answers by LWP."""
    lwps = {thread.num: thread.ptid[1] for thread in gdb.selected_inferior().threads()}
    return {
        lwps[number]: {
            "kind": wait.kind.value if wait.kind is not None else "",
            "object": wait.address or 0,
            "name": wait.name,
            "line": wait.location.line if wait.location is not None else None,
            "entry_point": wait.entry_point,
            "outside": wait.outside,
        }
        for number, wait in session_of().waits().items()
    }


def _listed() -> Any:
    """Return the rows of ``ompd threads``, null where OMPD cannot be read."""
    try:
        session_of().threads()
    except OmpdToolError:
        return None
    return json.loads(gdb.execute("ompd threads -json", to_string=True))


def _write(label: str, mode: str) -> None:
    document = {
        "label": label,
        "mode": mode,
        "rows": _rows(),
        "rows_at": int(gdb.lookup_static_symbol("waits_rows").value().address),
        "said": _said(),
        "listed": _listed(),
        "looks": compared(),
    }
    with open(os.environ["WAITS_OUT"], "a", encoding="utf-8") as out:
        out.write(json.dumps(document) + "\n")


def _quiet(command: str) -> None:
    gdb.execute(command, to_string=True)


def collect(plan: str) -> None:
    """Run each program, spinning and sleeping, and read a core of the second run."""
    with open(plan, encoding="utf-8") as file:
        programs = json.load(file)
    base = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    _quiet("set confirm off")
    for program in programs:
        _quiet(f"file {program['path']}")
        _quiet("break waits_stop")
        for mode, environment in program["modes"].items():
            _quiet("unset environment")
            for name, value in {**base, **environment}.items():
                _quiet(f"set environment {name}={value}")
            _quiet("run")
            if gdb.selected_frame().name() != "waits_stop":
                raise gdb.GdbError(f"{program['label']} did not come to its stop")
            _write(program["label"], mode)
            if mode == "sleeping":
                _quiet(f"gcore {program['core']}")
            _quiet("kill")
        _quiet("delete breakpoints")
        _quiet(f"core-file {program['core']}")
        _write(program["label"], "core")
        _quiet("core-file")
        os.unlink(program["core"])
