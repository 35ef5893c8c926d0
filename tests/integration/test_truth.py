# SPDX-License-Identifier: Apache-2.0
"""Everything gdb-ompd says is what omp_get_* said, in each program at each stop.

On the distribution's own runtimes, which are stripped, as on those with symbols: of the
builds as many as have every pair of values among them, the full product with
GDB_OMPD_ALL_BUILDS=1 (support/pairwise.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from support.build import PROGRAMS, Build, binary, can_build
from support.facts import Tally
from support.runtimes import EVERYTHING, STRIPPED_VERSIONS, VERSIONS, newer, stripped
from support.truth import Stop
from support.truth_compare import stop_facts
from support.truth_session import attached, kernel_core, read_core, run_live, run_remote

_SHARED = {"truth.c", "truth_module.f90"}
# Its threads record where they are at its first stop only; test_bt asks it for more.
_RECORDS_ONCE = {"chains.c"}
TRUTH_PROGRAMS = sorted(
    path.name
    for path in PROGRAMS.iterdir()
    if path.suffix in (".c", ".cpp", ".f90")
    and path.name not in _SHARED | _RECORDS_ONCE
    and "truth_" in path.read_text(encoding="utf-8")
)
MATRIX = [
    Build(program, compiler, opt, version)
    for program in TRUTH_PROGRAMS
    for compiler in ("clang", "gcc")
    if can_build(program, compiler)
    for opt in ("O0", "O2")
    for version in VERSIONS
]
# A remote target and a core differ from a live process in how memory and threads
# are read: one compiler a language will do there.
ONE_COMPILER = [what for what in MATRIX if (what.compiler, what.program[-2:]) != ("gcc", ".c")]

# What recovery adds depends on the runtime, not on how the program was compiled.
_FEW = {"icvs.c", "nested.c", "tasks.c"}
_IN_FULL = [version for version in STRIPPED_VERSIONS if version in VERSIONS]
STRIPPED = [
    Build(program, compiler, "O2", stripped(version))
    for version in STRIPPED_VERSIONS
    for program in TRUTH_PROGRAMS
    if EVERYTHING or version in _IN_FULL or program in _FEW
    for compiler in ("clang", "gcc")
    if can_build(program, compiler)
    and (EVERYTHING or compiler == "clang" or not can_build(program, "clang"))
]
_FEW_STRIPPED = [what for what in STRIPPED if what.program in _FEW]
# Only where scripts/newer-runtimes.sh asks for them; not through gdbserver, which
# knows threads by the C library of this machine.
STRIPPED += [
    Build(program, compiler, "O2", name)
    for name in newer()
    for program in TRUTH_PROGRAMS
    for compiler in ("clang", "gcc")
    if compiler == "clang" or not can_build(program, "clang")
    if can_build(program, compiler)
]


def assert_true(stops: Iterable[Stop], may_be_unknown: frozenset[str] = frozenset()) -> None:
    """Compare every fact of STOPS, print the count, and fail on any that is not right.

    Null is right only for the facts named in MAY_BE_UNKNOWN.
    """
    tally = Tally()
    for stop in stops:
        tally.add(stop_facts(stop))
    report = "\n".join(tally.lines())
    print(report)
    assert tally.compared > 0
    unknown = [fact for fact in tally.unknown if fact.name not in may_be_unknown]
    assert not tally.wrong and not unknown, report


@pytest.mark.parametrize("what", MATRIX + STRIPPED, ids=str)
def test_live_and_core(what: Build, tmp_path: Path) -> None:
    """Live at each stop, and in two cores of that session: of one in the middle and the last."""
    session = run_live(binary(what), tmp_path, with_cores=True)
    assert_true(session.stops)
    assert_true(session.in_cores)


@pytest.mark.parametrize("what", ONE_COMPILER + _FEW_STRIPPED, ids=str)
def test_gdbserver(what: Build, tmp_path: Path) -> None:
    assert_true(run_remote(binary(what), tmp_path).stops)


@pytest.mark.parametrize("version", [*VERSIONS, *map(stripped, _IN_FULL)])
def test_attach(version: str, tmp_path: Path) -> None:
    """Attached to in the middle of its run; no gdb was there when the runtime started."""
    program = binary(Build("nested.c", "clang", "O0", version))
    assert_true([attached(program, tmp_path, stop=2)])


@pytest.mark.parametrize("tracked", (True, False), ids=("tracked", "untracked"))
@pytest.mark.parametrize("version", [*VERSIONS, *map(stripped, _IN_FULL)])
def test_kernel_core(version: str, tracked: bool, tmp_path: Path) -> None:
    """A core that the kernel wrote holds file pages only in part.

    No gdb switched OMPD on in this program: without OMP_DEBUG the runtime keeps no states.
    """
    program = binary(Build("nested.c", "clang", "O0", version))
    core = kernel_core(program, tmp_path / "kernel", stop=2, tracked=tracked)
    if core is None:
        pytest.skip("the kernel writes no core files into the current folder here")
    may_be_unknown = frozenset() if tracked else frozenset({"state"})
    assert_true([read_core(program, core, tmp_path)], may_be_unknown)
