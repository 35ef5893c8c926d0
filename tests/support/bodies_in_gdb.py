# SPDX-License-Identifier: Apache-2.0
"""Inside gdb: what the commands say at each construct's body that tests/programs/bodies.cpp
tells of, and what it tells itself. With BODIES_FINISH set, the region is finished too."""

from __future__ import annotations

import json
import os
from typing import Any

import gdb

COMMANDS = ("threads", "parallel", "tasks", "bt", "bt -team", "bt -all", "why")


def _said(command: str) -> Any:
    return json.loads(gdb.execute(f"ompd {command} -json", to_string=True))


def _own(name: str) -> Any:
    value = gdb.parse_and_eval(name)
    return value.string() if value.type.code == gdb.TYPE_CODE_PTR else int(value)


def _stop(breakpoint: gdb.Breakpoint) -> None:
    own = {name: _own(f"body_{name}") for name in ("function", "line", "level", "is_task")}
    stop: dict[str, Any] = {"own": own, "selected": gdb.selected_thread().num}
    stop["said"] = {command: _said(command) for command in COMMANDS}
    commands = ("threads", "bt", "bt -team", "why")
    stop["text"] = "\n".join(gdb.execute(f"ompd {each}", to_string=True) for each in commands)
    if "BODIES_FINISH" in os.environ and not own["is_task"]:
        breakpoint.enabled = False
        stop["finish"] = gdb.execute("ompd finish region", to_string=True)
        stop["level"] = int(gdb.parse_and_eval("$_omp_level()"))
        stop["where"] = gdb.selected_frame().name()
        breakpoint.enabled = True
    print("STOP", json.dumps(stop), flush=True)


def main() -> None:
    for setting in ("pagination off", "confirm off", "print thread-events off"):
        gdb.execute(f"set {setting}")
    breakpoint = gdb.Breakpoint("body_reached")
    gdb.execute("run", to_string=True)
    while gdb.selected_inferior().pid:
        _stop(breakpoint)
        gdb.execute("continue", to_string=True)


main()
