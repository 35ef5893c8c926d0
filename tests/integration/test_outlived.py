# SPDX-License-Identifier: Apache-2.0
"""Values that GDB takes from where something else is by now."""

from __future__ import annotations

import re

from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU

OUTLIVED = Build("outlived.c", "gcc", "O2", GNU)
FIRST_CALL = "GCC tells what the first of these calls has, of which it made a loop"


def test_arguments_of_calls_that_became_a_loop() -> None:
    asked = ["up", "print n", "ompd print n", "ompd bt on", "bt -full 2", "continue"]
    asked += ["up", "print depth", "ompd print depth", "bt -full 2", "kill"]
    done = run_gdb(["break stop_here", "run", *asked], binary(OUTLIVED))
    shown = re.findall(r"^\$\d = (-?\d+)$", done.stdout, re.MULTILINE)
    assert shown == ["6", "0"], "GCC tells the calls' own arguments: " + done.stdout + done.stderr
    said = done.stdout + done.stderr
    assert said.count(f"of n {FIRST_CALL}") == said.count(f"of depth {FIRST_CALL}") == 2, said
    assert f"in sum_to (n=<not described: of n {FIRST_CALL}>, times" in said, said
    assert f" depth=<not described: of depth {FIRST_CALL}>, sum" in said, said


def test_a_register_that_holds_something_else() -> None:
    asked = ["up", "print other == $_omp_thread_num()", "ompd print other", "ompd print n"]
    done = run_gdb(["break stop_here", "run", *["continue"] * 2, *asked, "kill"], binary(OUTLIVED))
    said = done.stdout + done.stderr
    assert "$1 = 0" in said, "GCC tells another register: " + said
    assert "GCC tells other from a register that holds something else by now" in said, said
    assert re.search(r"^ *0(-1)?: 5$", said, re.MULTILINE), said  # the other may be there, too
