# SPDX-License-Identifier: Apache-2.0
"""Run in gdb: compare what `ompd devices` says at each visit() of tests/programs/devices/mapped.c
with what the program knows, and print how many objects were compared and what differs as JSON.

$CORES is a folder in which each stop leaves a core and what the program knows there, "" for none.
$SAID is the file with that of the core that gdb has.
"""

from __future__ import annotations

import json
import os
from typing import Optional

import gdb


def known() -> list[list[object]]:
    """Return what the program knows to be mapped: device, host, device's address, bytes,
    references and name."""
    count = int(gdb.parse_and_eval("known"))
    truths = (gdb.parse_and_eval(f"truths[{index}]") for index in range(count))
    fields = ("number", "host", "device", "bytes", "references")
    return sorted([*(int(each[f]) for f in fields), each["name"].string()] for each in truths)


def shown() -> list[list[object]]:
    """Return what is said, in the same form."""
    document = json.loads(gdb.execute("ompd devices -json", to_string=True))
    keys = ("host", "device", "bytes", "references")
    return sorted(
        [device["number"], *(each[key] for key in keys), _variable(each["name"])]
        for device in document["devices"]
        for each in device["mapped"]
    )


def _variable(name: Optional[str]) -> str:
    """Return which variable a NAME is made of. Clang tells its runtime the directive's "row", which
    is gone by then; where the code keeps no "rows" they have no name."""
    variable = "rows" if name is None else name.lstrip("*").partition("[")[0]
    return "rows" if variable == "row" else variable


def main() -> None:
    """Compare at each stop, or in the core."""
    kept = os.environ.get("SAID")
    if kept:
        with open(kept, encoding="utf-8") as file:
            truth = json.load(file)
        print(json.dumps({"compared": len(truth), "wrong": [] if shown() == truth else shown()}))
        return
    cores = os.environ["CORES"]
    gdb.execute("set pagination off")
    gdb.execute("break visit")
    gdb.execute("run > /dev/null", to_string=True)
    stops, compared, wrong = 0, 0, []
    while gdb.selected_inferior().pid:
        truth, said = known(), shown()
        compared += len(truth)
        wrong += [] if truth == said else [{"stop": stops, "truth": truth, "said": said}]
        if cores:
            gdb.execute(f"gcore {cores}/core.{stops}", to_string=True)
            with open(f"{cores}/said.{stops}", "w", encoding="utf-8") as file:
                json.dump(truth, file)
        stops += 1
        gdb.execute("continue", to_string=True)
    print(json.dumps({"compared": compared, "wrong": wrong}))


main()
