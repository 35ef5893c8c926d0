# SPDX-License-Identifier: Apache-2.0
"""Threads where inlined functions begin, of which GDB shows some outside of these: commands tell
one place as one place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.refusals import compiled
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


AROUND_INLINED = """\
static inline __attribute__((always_inline)) void inner(int n) {
    __asm__ volatile("inner_stop: nop" : : "r"(n));
}
int main(int argc, char **argv) {
#pragma omp parallel num_threads(1)
    inner(argc);
}
"""


def test_what_is_around_an_inlined_function_has_called_nothing(tmp_path: Path) -> None:
    """GDB tells its variables by the program counter itself, and not by the byte before it."""
    program = compiled(AROUND_INLINED, tmp_path, "clang", "-O1", "-fopenmp")
    from_package = "python from gdb_ompd.host.locations import executed_by"
    asked = "python f = gdb.selected_frame(); print('@', f.level(), f.pc() - executed_by(f))"
    asks = [
        "break *&inner_stop",
        "run",
        from_package,
        asked,
        "up",
        asked,
        "up",
        "up",
        asked,
        "kill",
    ]
    done = run_gdb(asks, program)
    assert re.findall(r"^@ (.*)$", done.stdout, re.MULTILINE) == ["0 0", "1 0", "3 1"], done.stdout
