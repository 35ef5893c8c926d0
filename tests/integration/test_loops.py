# SPDX-License-Identifier: Apache-2.0
"""What counts a loop, and its iteration, against what each iteration tells itself."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.build import Build, binary
from support.counted_loops import rows_of
from support.gdb_session import run_gdb
from support.runtimes import GNU, ROOT

IN_GDB = ROOT / "tests" / "support" / "loops_in_gdb.py"
KINDS = "values/loop_kinds.c"
BUILDS = [Build(KINDS), Build(KINDS, "clang", "O2", "14"), Build(KINDS, "gcc", "O0", GNU)]

COUNTED = [
    Build("values/counted_loops.cpp"),
    Build("values/counted_loops.cpp", "gcc", "O0", GNU),
    *(
        Build("values/counted_loops.cpp", compiler, opt, runtime)
        for compiler, runtime in (("clang", "14"), ("gcc", GNU))
        for opt in ("O2", "Og")
    ),
]
# Of 12 kinds of loops, what the optimiser has not left to tell.
MOST_UNKNOWN = {
    ("clang", "O0"): 0,
    ("gcc", "O0"): 0,
    ("gcc", "Og"): 1,
    ("gcc", "O2"): 3,
}
# GCC does not keep how many iterations an iterator makes.
MOST_UNCOUNTED = {"clang": 0, "gcc": 1}


@pytest.mark.parametrize("what", BUILDS, ids=str)
def test_each_iteration_has_its_own_value(what: Build) -> None:
    done = run_gdb([f"source {IN_GDB}"], binary(what))
    rows = [json.loads(row) for row in re.findall(r"^LOOP (.*)$", done.stdout, re.MULTILINE)]
    assert len(rows) > 120, done.stdout + done.stderr
    wrong = [row for row in rows if row[4] not in (None, row[1]) or row[5] not in (None, row[1])]
    assert not wrong, wrong[:5]
    counted = [row for row in rows if row[6] not in (None, row[2])]
    assert not counted, counted[:5]
    if what.opt == "O0":
        unknown = {(row[0], row[3]) for row in rows if row[4] is None}
        assert not unknown, unknown
        assert all(row[5] == row[1] for row in rows if row[0] == "i")
    if what.compiler == "clang" and what.opt == "O0":
        assert all(row[6] == row[2] for row in rows), [r for r in rows if r[6] is None][:5]


@pytest.mark.parametrize("what", COUNTED, ids=str)
def test_no_kind_of_loop_has_a_wrong_value(what: Build) -> None:
    rows = rows_of(binary(what), 8)
    assert len(rows) == 12 * 8
    wrong = [each for each in rows if "wrong" in each.answers.values()]
    assert not wrong, wrong[:5]
    never = {each.line for each in rows if each.answers["ompd print"] == "not known"}
    assert len(never) <= MOST_UNKNOWN.get((what.compiler, what.opt), 10), never
    uncounted = {each.line for each in rows if each.answers["$_omp_iteration()"] != "right"}
    assert len(uncounted) <= MOST_UNCOUNTED[what.compiler], uncounted


@pytest.mark.parametrize("opt", ["O0", "Og", "O2"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_width_of_what_counts_a_loop(compiler: str, opt: str) -> None:
    runtime = GNU if compiler == "gcc" else "14"
    rows = rows_of(binary(Build("values/narrow_loops.cpp", compiler, opt, runtime)), 0)
    assert len(rows) == 8 * (9 + 3) + 5 * 5 + 9 + 3
    wrong = [each for each in rows if "wrong" in each.answers.values()]
    assert not wrong, wrong[:5]
    # What counts a loop that GCC's code shares out by itself is not always told.
    uncounted = {each.line for each in rows if each.answers["$_omp_iteration()"] != "right"}
    assert uncounted <= ({20} if compiler == "gcc" else set()), uncounted


@pytest.mark.parametrize("has_source", [True, False], ids=["source", "no source"])
@pytest.mark.parametrize("options", ["-O2", "-O2 -funroll-loops", "-Og -funroll-loops"])
def test_the_copies_of_an_unrolled_loop(options: str, has_source: bool, tmp_path: Path) -> None:
    source = tmp_path / "unrolled_loops.c"
    shutil.copy(ROOT / "tests" / "programs" / "values" / source.name, source)
    program = tmp_path / "loops"
    command = ["gcc", "-g", "-fopenmp", *options.split(), str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    if not has_source:
        source.unlink()
    rows = rows_of(program, 1)
    assert len(rows) == 2 * (10 + 9 + 16 + 13 + 3 * 7) + 3 * 13
    wrong = [each for each in rows if "wrong" in each.answers.values()]
    # GDB knows no pragma without the source.
    assert {each.line for each in wrong} <= (set() if has_source else {23}), wrong[:5]
    right = {each.line for each in rows if each.answers["ompd print"] == "right"}
    assert len(right) >= (3 if has_source else 1), right
    assert options != "-O2" or 35 in right, right


def test_a_condition_stops_in_the_iteration_that_is_meant() -> None:
    source = (ROOT / "tests" / "programs" / KINDS).read_text(encoding="utf-8").splitlines()
    line = 1 + next(n for n, text in enumerate(source) if "(i - 5) / 3" in text)
    stop = f'break loop_kinds.c:{line} if $_omp_var("i") == 17'
    asked = [stop, "run", "ompd print -- i", "print $_omp_iteration()", "ompd print -- list[i]"]
    done = run_gdb([*asked, "kill"], binary(BUILDS[0]))
    assert re.search(r"^\d: 17$", done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert "\n$1 = 4\n" in done.stdout or "\n$2 = 4\n" in done.stdout, done.stdout
