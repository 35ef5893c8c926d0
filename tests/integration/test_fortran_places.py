# SPDX-License-Identifier: Apache-2.0
"""Where Fortran's constructs are, which GCC places at the last statement in them."""

from __future__ import annotations

import re

from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU

STOPS = 7


def test_a_construct_is_where_its_directive_is() -> None:
    program = binary(Build("places.f90", "gcc", "O0", GNU))
    # The argument is a constant: its address is in the register of the first one.
    begin = ["break *__constructs_MOD_stop_here", "run", "set language c"]
    asked = ["print *(int *) $rdi", "ompd bt", "continue"]
    done = run_gdb([*begin, *asked * STOPS], program)
    wanted = re.findall(r"^\$\d+ = (\d+)$", done.stdout, re.MULTILINE)
    stacks = re.split(r"^\$\d+ = \d+$", done.stdout, flags=re.MULTILINE)[1:]
    found = [re.findall(r"-- .*places\.f90:(\d+)", stack)[:1] for stack in stacks]
    assert found == [[line] for line in wanted] and len(wanted) == STOPS, done.stdout
