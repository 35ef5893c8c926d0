# SPDX-License-Identifier: Apache-2.0
"""Values that GDB takes from where something else is by now."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
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


FREED = """\
subroutine work(n)
  integer, intent(in) :: n
  integer, allocatable :: made(:)
  real(8) :: sized(n)
  character(len=:), allocatable :: text
  allocate(made(2))
  made = n
  sized = n
  text = repeat('ab', n)
  !$omp parallel num_threads(2)
  call show(made(1), sized(2), text)
  !$omp end parallel
end subroutine
subroutine show(a, b, c)
  integer :: a
  real(8) :: b
  character(len=*) :: c
  print *, a, b, c
end subroutine
program main
  call work(command_argument_count() + 2)
end program
"""
AT_RETURN = (
    "python begin = gdb.selected_frame().function().value().address;"
    " begin = int(begin); code = gdb.selected_frame().architecture().disassemble(begin, begin + 2000);"
    " gdb.Breakpoint('*%d' % next(one['addr'] for one in code if one['asm'].startswith('ret')))"
)


@pytest.mark.parametrize("level", ["-O0", "-O1"])
def test_a_freed_array_is_not_told(level: str, tmp_path: Path) -> None:
    source, program = tmp_path / "freed.f90", tmp_path / "freed"
    source.write_text(FREED)
    command = ["gfortran", "-g", level, "-fno-inline", "-fopenmp", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    asked = ["ompd print made", "ompd print sized", "ompd print text"]
    before = ["break work", "run", AT_RETURN, "break GOMP_parallel", "continue", "up"]
    known = ["ompd print made", "ompd print text"]
    done = run_gdb([*before, *known, "delete 3", "continue", *asked, "kill"], program)
    said = done.stdout + done.stderr
    why = "this procedure ends, and may have freed"
    for name in ("made", "sized", "text"):
        assert said.count(f"0: <not described: {why} {name}>") == 1, said
    assert said.count("0: 'abab'") == 1, said
    assert "(2, 2)" in said, said


CONTAINED = """\
subroutine work(n)
  integer, intent(in) :: n
  integer :: kept
  kept = n * 3
  call inner(n)
contains
  subroutine inner(m)
    integer, intent(in) :: m
    !$omp parallel num_threads(2)
    call show(kept + m)
    !$omp end parallel
    call show(kept)
  end subroutine
end subroutine
subroutine show(a)
  integer :: a
  print *, a
end subroutine
program main
  call work(command_argument_count() + 2)
end program
"""


def test_where_a_contained_procedure_ends_its_register_is_the_callers(tmp_path: Path) -> None:
    source, program = tmp_path / "contained.f90", tmp_path / "contained"
    source.write_text(CONTAINED)
    command = ["gfortran", "-g", "-Og", "-fno-inline", "-fopenmp", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    before = ["break show if a == 6", "run", "up", "print kept", "ompd print kept", AT_RETURN]
    asked = ["print kept == 6", "ompd print kept", "kill"]
    done = run_gdb([*before, "continue", *asked], program)
    said = done.stdout + done.stderr
    why = "<not described: GCC tells kept from a register that holds something else here>"
    assert re.findall(r"^\$\d = (.*)$", said, re.MULTILINE) == ["6", ".FALSE."], said
    assert re.findall(r"^0: (.*)$", said, re.MULTILINE) == ["6", why], said
