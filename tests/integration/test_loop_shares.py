# SPDX-License-Identifier: Apache-2.0
"""`ompd loop` against what the program records of its loops."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Optional

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU, ROOT

IN_GDB = ROOT / "tests" / "support" / "shares_in_gdb.py"
LOOPS = "values/loop_shares.c"
SOURCE = (ROOT / "tests" / "programs" / LOOPS).read_text(encoding="utf-8").splitlines()
BUILDS = [
    Build(LOOPS),
    Build(LOOPS, "clang", "O2", "14"),
    Build(LOOPS, "gcc", "O0", GNU),
    Build(LOOPS, "gcc", "O2", GNU),
]
COUNT = 24
SCHEDULES = {
    "plain": ("static", None),
    "chunks": ("static", 2),
    "long_chunks": ("static", 9),
    "monotonic": ("dynamic", 3),
    "guided": ("guided", 2),
    "ordered": ("dynamic", 1),
}
KINDS = 13


def stops(what: Build) -> list[dict[str, Any]]:
    done = run_gdb([f"source {IN_GDB}"], binary(what))
    rows = [json.loads(row) for row in re.findall(r"^SHARES (.*)$", done.stdout, re.MULTILINE)]
    assert len(rows) == KINDS, done.stdout + done.stderr
    return rows


@pytest.mark.parametrize("what", BUILDS, ids=str)
def test_threads_have_what_they_execute(what: Build) -> None:
    unknown = set()
    for stop in stops(what):
        is_value = what.compiler == "gcc" and not any(each["inferred"] for each in stop["said"])
        first, step = (stop["first"], stop["step"]) if is_value else (0, 1)

        def iterations(values: Optional[list[int]]) -> list[int]:
            if values is None:
                return []
            begin, end = ((value - first) // step for value in values)
            return list(range(begin, end + 1))

        kind, wrong = stop["kind"], (stop["kind"], stop)
        for share in stop["said"]:
            if not share["in_loop"]:
                unknown.add(kind)
                continue
            assert "work(" not in SOURCE[share["place"]["line"] - 1], wrong
            own = share["thread_num"]
            now = iterations(share["now"])
            assert all(stop["owner"][n] == own for n in now), wrong
            assert not now or stop["now"][own] in now, wrong
            assert share["iteration"] in (None, stop["now"][own]), wrong
            unknown |= set() if now else {kind}
            assert not any(stop["begun"][n] for n in iterations(share["later"])), wrong
            schedule, chunk = SCHEDULES.get(kind, ("dynamic", None if kind == "inside" else 2))
            assert share["schedule"] == schedule, wrong
            assert share["chunk"] in ({None, 2} if chunk is None else {None, chunk}), wrong
            whole = iterations(share["whole"])
            assert whole in ([], list(range(COUNT))), wrong
            if share["next"] is not None:
                left = (share["next"] - first) // step
                begun = [n for n in range(COUNT) if stop["begun"][n]]
                assert max(begun) < left <= max(max(begun) + 3, COUNT), wrong
            if step != 1 or whole:
                assert share["of_variable"] == ((first, step) != (0, 1)), wrong
            else:
                assert share["of_variable"] in ((None,) if is_value else (None, False)), wrong
            by_code = what.compiler == "gcc" and kind in ("plain", "chunks", "long_chunks")
            assert share["inferred"] == by_code, wrong
    assert unknown == (
        {"chunks", "long_chunks"} if what.compiler == "gcc" else set()
    )  # its code has them itself


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_what_gccs_code_shares_out_by_itself_is_computed_as_it_does(opt: str) -> None:
    script = ROOT / "tests" / "support" / "static_shares_in_gdb.py"
    done = run_gdb([f"source {script}"], binary(Build("values/static_shares.c", "gcc", opt, GNU)))
    rows = [json.loads(row) for row in re.findall(r"^SHARE (.*)$", done.stdout, re.MULTILINE)]
    assert len(rows) == 48, done.stdout + done.stderr
    for iteration, in_loop, now, inferred in rows:
        assert not in_loop or (inferred and iteration >= 0)
        assert now is None or now[0] <= iteration <= now[1], (iteration, now)
    if opt == "O0":
        assert all(now is not None for iteration, _, now, _ in rows if iteration >= 0)


def test_what_the_command_does_not_take_is_refused() -> None:
    assert 'Junk at end of command: "-x"' in run_gdb(["ompd loop -x"]).stderr


def test_before_its_first_iteration_a_loop_has_none() -> None:
    """Without optimisation clang describes the iteration's number from the function's begin on."""
    orphaned = "values/orphaned.c"
    lines = (ROOT / "tests" / "programs" / orphaned).read_text(encoding="utf-8").splitlines()
    line = next(n for n, text in enumerate(lines, 1) if "i < steps" in text)
    asked = [f"break orphaned.c:{line}", "run", "bt 1", "print $_omp_iteration()", "ompd print i"]
    said = run_gdb(asked, binary(Build(orphaned))).stdout
    assert "#0  loop" in said, said
    assert "$1 = void" in said and "this is iteration" not in said, said
    body = next(n for n, text in enumerate(lines, 1) if "last = i * 3" in text)
    asked = [f"break orphaned.c:{body}", "run", "print $_omp_iteration() >= 0"]
    assert "$1 = 1" in run_gdb(asked, binary(Build(orphaned))).stdout


COUNTED = """program counted
  implicit none
  integer :: l, last
  !$omp parallel do schedule(guided) num_threads(2) lastprivate(last)
  do l = 5, 25, 2
    last = l
    call look
  end do
contains
  subroutine look
  end subroutine
end program
"""


def test_the_body_of_a_fortran_program_has_its_name(tmp_path: Path) -> None:
    """The main() that gfortran makes may begin in a line of a program that contains procedures."""
    source, program = tmp_path / "counted.f90", tmp_path / "counted"
    source.write_text(COUNTED, encoding="ascii")
    command = ["gfortran", "-g", "-O0", "-fopenmp", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    said = run_gdb(["break look", "run", "ompd bt"], program).stdout
    assert "#1  counted at counted.f90:7\n" in said and "main at" not in said, said


def test_fortrans_loops_with_a_step_are_counted_from_0(tmp_path: Path) -> None:
    source, program = tmp_path / "counted.f90", tmp_path / "counted"
    source.write_text(COUNTED, encoding="ascii")
    command = ["gfortran", "-g", "-O0", "-fopenmp", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    done = run_gdb(["break look", "run", "up", "ompd loop -json"], program)
    loops = json.loads(done.stdout[done.stdout.index('{"schema"') :])["loops"]
    # Whoever came first. Newer compilers count with the variable.
    first = [loop["of_variable"] for loop in loops if loop["now"] in ([0, 5], [5, 13])]
    assert first and first[0] in (None, True), done.stdout
