# SPDX-License-Identifier: Apache-2.0
"""Steps through sixty constructs lead to where the table in tests/programs/constructs.cpp says."""

from __future__ import annotations

import re

import pytest
from support.build import Build
from support.constructs import PROGRAM, Walk, cases, walks
from support.runtimes import EVERYTHING, GNU, stripped

CASES = list(cases())
# The builds share the constructs: each is walked through with both levels and both of LLVM's
# runtimes, and with one of the levels on GCC's; and where it is a case of its own.
CLANG = [(opt, version) for opt in ("O0", "O2") for version in (stripped("14"), "19")]
BUILDS = [Build(PROGRAM, "clang", opt, version) for opt, version in CLANG]
BUILDS += [Build(PROGRAM, "gcc", opt, GNU) for opt in ("O0", "O2")]
HALVES = {("O0", stripped("14")): 0, ("O2", "19"): 0, ("O0", "19"): 1, ("O2", stripped("14")): 1}
HALVES |= {("O0", GNU): 1, ("O2", GNU): 0}
RUNTIMES = re.compile(r"__kmp|GOMP_|gomp_|sysdeps|@plt|Python|Traceback")
COMPILERS = re.compile(r"\.omp_|_omp_fn")


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_each_landing_is_where_the_table_says(build: Build) -> None:
    half = CASES[HALVES[build.opt, build.runtime] :: 2]
    chosen = [case for case in CASES if EVERYTHING or case in half or case.is_own_of(build)]
    found, _ = walks(build, chosen)
    assert len(CASES) > 60 and len(found) > 2 * len(chosen)
    wrong = [text for walk in found for text in _wrong(walk, build)]
    assert not wrong, "\n".join(wrong)


def _wrong(walk: Walk, build: Build) -> list[str]:
    """Return what is not as it is to be."""
    said = []
    pattern = walk.case.pattern(walk.command, build)
    if not walk.is_as(pattern):
        said.append(f"leads to {' '.join(walk.path)}, not {pattern}")
    if walk.threads != {1}:
        said.append(f"goes to threads {walk.threads}")
    # Of what is inlined GDB names the frames itself.
    shown = [RUNTIMES] if build.opt == "O2" else [RUNTIMES, COMPILERS]
    said += [f"says {found[0]}" for each in shown if (found := each.search(walk.said)) is not None]
    return [f"{walk.case.name}: ompd {walk.command} {text}" for text in said]
