# SPDX-License-Identifier: Apache-2.0
"""An object that variables lead to by pointers has the name that its user gives it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb

ASK = """python
import gdb
from gdb_ompd.host.object_names import variable_name
gdb.execute("break named")
gdb.execute("run", to_string=True)
count, wrong = 0, []
while gdb.selected_inferior().pid:
    address, name = int(gdb.parse_and_eval("object")), gdb.parse_and_eval("name").string()
    said = variable_name(address, gdb.selected_frame().older()) or ""
    count, wrong = count + (said == name), wrong + ([(name, said)] if said not in (name, "") else [])
    gdb.execute("continue", to_string=True)
print("NAMED", count, wrong)
"""
SAY = """python
import gdb
from gdb_ompd.host.object_names import variable_name
print("SAID", variable_name(int(gdb.parse_and_eval("object")), None))
"""


@pytest.mark.parametrize("opt", ("O0", "O2"))
@pytest.mark.parametrize("compiler", ("gcc", "clang"))
def test_a_pointed_object_has_its_name(compiler: str, opt: str, tmp_path: Path) -> None:
    script = tmp_path / "ask.gdb"
    script.write_text(f"{ASK}end\n", encoding="ascii")
    done = run_gdb([f"source {script}"], binary(Build("pointed.cpp", compiler, opt, "14")))
    named = re.search(r"^NAMED (\d+) \[\]$", done.stdout, re.M)
    # Optimized code does not keep all variables.
    assert named and int(named[1]) >= (18 if opt == "O0" else 14), done.stdout + done.stderr


@pytest.mark.parametrize("compiler", ("gcc", "clang"))
def test_a_variable_is_none_of_another_case(compiler: str, tmp_path: Path) -> None:
    """As Fortran's, in which names have no case, GDB finds a constant of an enumeration for it."""
    script = tmp_path / "say.gdb"
    script.write_text(f"{SAY}end\n", encoding="ascii")
    program = binary(Build("pointed.cpp", compiler, "O0", "14"))
    for name in ("counts[2]", "total"):
        stop = f'break named if $_streq(name, "{name}")'
        asked = ["set language c", stop, "run", "set language fortran", f"source {script}"]
        assert f"SAID {name}\n" in run_gdb(asked, program).stdout
