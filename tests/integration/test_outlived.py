# SPDX-License-Identifier: Apache-2.0
"""Values that GDB takes from where something else is by now."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from support.build import PROGRAMS, Build, binary
from support.gdb_session import run_gdb
from support.refusals import compiled
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
    assert "GCC tells other from a register that holds something else here" in said, said
    assert re.search(r"^ *0(-1)?: 5$", said, re.MULTILINE), said  # the other may be there, too


def test_a_preserved_register_that_holds_something_else(tmp_path: Path) -> None:
    program = tmp_path / "outlived"
    # So GCC describes it where it has given up to follow a function's variables.
    command = ["gcc", "-g", "-O2", "-fno-var-tracking", "-fopenmp", str(PROGRAMS / "outlived.c")]
    subprocess.run([*command, "-o", str(program)], check=True)
    asked = ["print own == 23", "ompd print own"]
    at_begin = ["break *'hold_preserved._omp_fn.0' if $_thread == 1", "run", *asked, "delete"]
    at_begin.append("set scheduler-locking on")
    at_calls = ["break GOMP_single_start", "continue", "up", *asked, "delete", "break GOMP_task"]
    done = run_gdb([*at_begin, *at_calls, "continue", "up", *asked, "kill"], program)
    said = done.stdout + done.stderr
    assert re.findall(r"^\$\d = (\d)$", said, re.MULTILINE) == ["0", "1", "0"], said
    told = re.findall(r"^ *0(?:-1)?: (23|<not described: .*>)$", done.stdout, re.MULTILINE)
    why = "<not described: GCC tells own from a register that holds something else here>"
    assert told == [why, "23", why], said


TWO_IN_ONE = """\
int omp_get_thread_num(void);
__attribute__((noipa)) static int get(int n) { return n + 6 + omp_get_thread_num(); }
int main(int argc, char **argv) {
    int first = get(argc);
    get(1);
    int second = get(first * argc);
    get(2);
    return get(second + 1);
}
"""


def test_two_variables_of_one_register(tmp_path: Path) -> None:
    program = compiled(TWO_IN_ONE, tmp_path, "gcc", "-O2", "-fno-var-tracking", "-fopenmp")
    asked = ["break get if n == 1", "run", "continue", "up", "print second"]
    done = run_gdb([*asked, "ompd print second", "ompd print first", "kill"], program)
    said = done.stdout + done.stderr
    assert "$1 = 1\n" in said, "GCC has them in two registers: " + said
    assert "GCC tells second from a register that holds something else here" in said, said
    assert "0: 7\n" in said, said
