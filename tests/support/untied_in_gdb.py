# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: print the chains and the logical stacks at some stops."""

from __future__ import annotations

import json

import gdb


def tell(stops: int) -> None:
    """At STOPS hits of a breakpoint print the tasks of all threads, and the selected
    thread's logical stack."""
    found = []
    for _ in range(stops):
        gdb.execute("continue", to_string=True)
        tasks = json.loads(gdb.execute("ompd tasks -all -json", to_string=True))["tasks"]
        stack = gdb.execute("ompd bt", to_string=True)
        found.append({"tasks": [t for t in tasks if t["gdb_num"] is not None], "stack": stack})
    print("UNTIED " + json.dumps(found))
