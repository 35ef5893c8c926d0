# SPDX-License-Identifier: Apache-2.0
"""`ompd print` says what the program's threads have noted of their variables themselves."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Set as AbstractSet
from pathlib import Path
from typing import Any

import pytest
from support.build import PROGRAMS, Build, binary, can_build
from support.facts import Fact, Tally
from support.gdb_session import run_gdb
from support.gdbserver import gdbserver
from support.refusals import compiled
from support.runtimes import GNU, ROOT, VERSIONS

IN_GDB = ROOT / "tests" / "support" / "values_in_gdb.py"
STOPS = {
    "values/sharing.c": 6,
    "values/objects.cpp": 6,
    "values/arrays.f90": 2,
    "values/blocks.f90": 3,
    "values/bounds.f90": 2,
    "values/one_end.c": 2,
    "values/orphaned.c": 5,
    "values/other_file.c": 1,
    "values/own_copies.c": 6,
    "values/private_lengths.c": 6,
    "values/scopes.cpp": 6,
}
MATRIX = [
    Build(program, compiler, opt, version)
    for program in STOPS
    for compiler in ("clang", "gcc")
    if can_build(program, compiler)
    for opt in ("O0", "Og", "O2")
    for version in VERSIONS
]
# Why there may be no value: what the optimiser removed, and where GDB cannot know.
UNKNOWN = re.compile(
    r"optimized out|not in memory|not (saved|described): |clang does not describe|No symbol |No frame is currently executing|GDB does not tell"
    r"|pointer math on incomplete types"
)
# What debug information does not have even without optimisation: clang's of what a task shares, of
# what some untied ones declare, of a function's static variables, of a loop's variable and of what is
# lastprivate(conditional:), GCC's of
# the copies that sections have and of those of arrays' sections, of lengths in a body and of its static variables, and gfortran's of arrays whose descriptors are arguments of the
# function around the region.
NOT_DESCRIBED = {"i", "total", "covered", "functions_own", "list(2)", "grid(2,3)"}
NOT_DESCRIBED |= {"argument", "local", "called", "kept", "local[1]", "sizeof local"}
NOT_DESCRIBED |= {"conditional", "hidden"}
NOT_DESCRIBED |= {"copied[1]", "copied[2]", "sizeof copied", "part[2]", "begun[1]", "sized[1]"}
IN_MEMORY = {"pair[1]"}  # at each level of optimisation

Stop = dict[str, Any]


def stops(
    program: Path, core: Path | None = None, write: Path | None = None, before: str = ""
) -> list[Stop]:
    """Return what gdb saw at each stop of PROGRAM, or in a core, after the command BEFORE."""
    task = {"live": core is None, "core": str(write) if write else None}
    commands = [before, f"source {IN_GDB}"]
    done = run_gdb(commands, program, core, env={"VALUES_TASK": json.dumps(task)})
    return _found(done.stdout, done.stderr)


def _found(stdout: str, stderr: str) -> list[Stop]:
    found = re.findall(r"^VALUES (\{.*\})$", stdout, flags=re.MULTILINE)
    assert found, stdout + stderr
    return [json.loads(each) for each in found]


def compare(
    seen: list[Stop], may_be_unknown: bool, unknown: AbstractSet[str] = frozenset()
) -> Tally:
    """Compare each value; one that is not known, other than those UNKNOWN, must be said to be so for
    a reason."""
    tally = Tally()
    for stop in seen:
        for thread, notes in enumerate(stop["noted"]):
            for expression, truth in notes.items():
                rows = {row["thread_num"]: row for row in stop["said"][expression]}
                row = rows.get(thread, {"text": None, "error": f"no row: {rows}"})
                value = None if row["error"] else float(row["text"])
                subject = f"thread {thread}: {expression} ({row['error']})"
                tally.add([Fact(stop["function"], subject, "value", value, truth)])
                assert value is not None or expression not in IN_MEMORY, subject
                if value is None and expression not in NOT_DESCRIBED | unknown:
                    assert may_be_unknown and UNKNOWN.search(row["error"]), subject
        tally.add(_framed(stop))
    print("\n".join(tally.lines()))
    assert not tally.wrong, tally.wrong
    return tally


def _framed(stop: Stop) -> Iterator[Fact]:
    """Compare what the frame's decorator has for GDB's own backtraces, which is the user's alone."""
    for name, value in stop["framed"].items():
        noted = stop["noted"][stop["selected"]] if len(stop["noted"]) > stop["selected"] else {}
        assert name in str(noted) or not re.match(r"\.|vla$", name), name
        if isinstance(value, float) and name in noted:
            yield Fact(stop["function"], name, "in the frame", value, noted[name])


@pytest.mark.parametrize("what", MATRIX, ids=str)
def test_each_value_is_the_programs(what: Build, tmp_path: Path) -> None:
    program, core = binary(what), tmp_path / "core"
    live = stops(program, write=core)
    assert len(live) == STOPS[what.program]
    tally = compare(live, what.opt != "O0")
    assert tally.compared >= len(tally.unknown)
    if what.compiler == "clang" and what.opt == "O0":  # only GCC does not describe it
        assert not [each for each in tally.unknown if "copied" in str(each)]
    in_core = stops(program, core)
    assert in_core[0]["noted"] == live[0]["noted"]
    at_first = compare(live[:1], what.opt != "O0")
    assert len(compare(in_core, what.opt != "O0").unknown) <= len(at_first.unknown)


@pytest.mark.parametrize(
    "what",
    [
        Build("values/private_lengths.c", "gcc", "O0", GNU),
        Build("values/private_lengths.c", "clang"),
    ],
    ids=str,
)
def test_a_private_array_has_the_bounds_of_the_one_around(what: Build) -> None:
    asked = ["ompd print -json sizeof lone", "ompd print -json lone[1][1]"]
    done = run_gdb(["break leaf", "run", "up", *asked], binary(what))
    thread = re.search(r"^Thread (\d+) .* hit Breakpoint", done.stdout, re.MULTILINE)
    assert thread is not None, done.stdout
    own = re.findall(rf'"gdb_num": {thread[1]}, .*"text": "(\d+)"', done.stdout)
    assert own == ["48", "4"], done.stdout


UNSOURCED = [
    Build("values/own_copies.c", "gcc", "O0", GNU),
    Build("values/own_copies.c", "clang"),
    Build("values/scopes.cpp", "gcc", "O0", GNU),
    Build("values/scopes.cpp", "clang"),
    Build("values/blocks.f90", "gcc", "O0", GNU),
]
# Only the source tells which variable is meant, and of what is lastprivate(conditional:) that there
# is another one than the original.
NEED_SOURCE = {"hidden", "other", "sized[1]", "begun[1]"}


@pytest.mark.parametrize("what", UNSOURCED, ids=str)
@pytest.mark.parametrize("source", ["absent", "newer", "longer", "longer, of no newer time"])
def test_without_the_source_no_value_is_wrong_and_none_lost(
    what: Build, source: str, tmp_path: Path
) -> None:
    program, own = binary(what), PROGRAMS / what.program
    if source != "absent":
        copy = tmp_path / own.name
        text = own.read_text(encoding="utf-8")
        copy.write_text("\n" * 10 * source.startswith("longer") + text, encoding="utf-8")
        time = program.stat().st_mtime + (-100 if "no newer" in source else 100)
        os.utime(copy, (time, time))
    seen = stops(program, before=f"set substitute-path {own.parent} {tmp_path}")
    assert len(seen) == STOPS[what.program]
    for notes in (notes for stop in seen for notes in stop["noted"] if source != "newer"):
        notes.pop("conditional", None)
    unknown = {each.subject.split()[2] for each in compare(seen, False, NEED_SOURCE).unknown}
    expected = {each.subject.split()[2] for each in compare(stops(program), False).unknown}
    lost = unknown - expected - (set() if source == "newer" else NEED_SOURCE)
    assert not lost, lost


def test_through_gdbserver() -> None:
    program = binary(Build("values/sharing.c"))
    task = {"live": True, "core": None, "remote": True}
    with gdbserver("--once", str(program)) as (_, address):
        commands = [f"target remote {address}", f"source {IN_GDB}"]
        done = run_gdb(commands, program, env={"VALUES_TASK": json.dumps(task)})
        seen = _found(done.stdout, done.stderr)
    assert len(seen) == STOPS["values/sharing.c"]
    tally = compare(seen, False)
    assert tally.compared >= len(tally.unknown)


TRUTH = """\
__attribute__((noinline)) static int get(int n) { __asm__("" : "+r"(n)); return n; }
__attribute__((noinline)) static void stop(double n) { __asm__ volatile("" : : "x"(n)); }
int main(int argc, char **argv) {
#pragma omp parallel num_threads(1)
    {
        int number = get(argc * 4 + 1);
        _Bool is_odd = (4 - number * 9) & 1;
        stop(is_odd);
        stop(number);
    }
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_of_a_truth_value_that_is_computed_the_last_bit_counts(
    compiler: str, tmp_path: Path
) -> None:
    program = compiled(TRUTH, tmp_path, compiler, "-O2", "-fopenmp")
    asked = ["up", "print is_odd", "ompd print is_odd", "ompd print is_odd + 1", "bt -full 2"]
    done = run_gdb(["break stop", "run", "ompd bt on", *asked, "kill"], program)
    said = done.stdout + done.stderr
    assert re.search(r"^\$1 = \d+$", said, re.MULTILINE), "the compiler cuts it off: " + said
    assert re.findall(r"^0: (.*)$", said, re.MULTILINE) == ["true", "2"], said
    assert re.search(r"^ *is_odd = true$", said, re.MULTILINE), said
