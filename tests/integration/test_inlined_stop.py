# SPDX-License-Identifier: Apache-2.0
"""Threads where inlined functions begin, of which GDB shows some outside of these: commands tell
one place as one place."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU


def documents(said: str) -> list[Any]:
    """Return the JSON documents among what gdb has SAID."""
    found, decoder = [], json.JSONDecoder()
    for begin in re.finditer(r"^\{", said, re.MULTILINE):
        found.append(decoder.raw_decode(said, begin.start())[0])
    return found


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_threads_at_one_place_have_one_stack(runtime: str, compiler: str) -> None:
    program = binary(Build("inlined_stop.cpp", compiler, "O2", runtime))
    asked = ["ompd bt -team -json", "up", "ompd print -json cell"]
    said = run_gdb(["break note", "run", *["continue"] * 2, *asked], program)
    tree, values = documents(said.stdout)
    nodes = tree["trees"][0]["nodes"]
    note = [node for node in nodes if re.match(r"note\b", node["function"] or "")]
    assert len(note) == 1, nodes
    inside = [node for node in nodes if node["function"] == "update"]
    assert len(inside) == 1 and set(note[0]["threads"]) <= set(inside[0]["threads"]), nodes
    for row in values["values"]:
        if row["error"] is None:
            assert row["text"].split()[-1] == str(row["thread_num"] * 10), row
        elif row["gdb_num"] in note[0]["threads"]:
            assert row["error"] == "optimized out", row


def test_a_static_variable_is_not_taken_for_the_local_one(runtime: str) -> None:
    """In a function that has no local variable of that name GDB takes the static one."""
    program = binary(Build("inlined_stop.cpp", "gcc", "O0", runtime))
    said = run_gdb(["break update", "run", "ompd print -json cell"], program)
    rows = documents(said.stdout)[0]["values"]
    elsewhere = [row for row in rows if row["error"] is not None]
    assert all(row["error"].startswith('No symbol "cell"') for row in elsewhere), rows
    told = [int(row["text"].split()[-1]) for row in rows if row["error"] is None]
    assert told and all(value >= 0 for value in told), rows


def test_what_a_printer_fails_with_is_not_in_the_stack() -> None:
    program = binary(Build("inlined_stop.cpp", "gcc", "O0", GNU))
    fails = 'python Fails = type("Fails", (), {"to_string": lambda self: 1 / 0})'
    printer = "python gdb.pretty_printers.append(lambda value: Fails())"
    said = run_gdb(["break note", "run", fails, printer, "ompd bt", "bt 2"], program, merged=True)
    own, gdbs = said.stdout.split("GDB thread", 1)[1].split("#0 ")[1:]
    assert "update (cell=" in own and "Exception" not in own, own
    assert "ZeroDivisionError" in gdbs, gdbs
