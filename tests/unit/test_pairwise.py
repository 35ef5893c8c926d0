# SPDX-License-Identifier: Apache-2.0
"""The builds that are chosen have every pair of values that the full product has."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.pairwise import choose, cover, factors  # noqa: E402

TESTS = [
    f"t.py::test_it[{program}-{compiler}-{opt}-libomp{version}{stripped}]"
    for program in ("a.c", "b.cpp", "c.f90", "d.c", "e.c")
    for compiler in ("clang", "gcc")
    for opt in ("O0", "O2")
    for version in ("14", "19")
    for stripped in ("", "-stripped")
    if (compiler, program) != ("clang", "c.f90")
]


def pairs(tests: list[str]) -> set[frozenset[tuple[str, str]]]:
    return {
        frozenset(pair)
        for test in tests
        for pair in itertools.combinations(factors(test).items(), 2)
    }


def test_every_pair_is_covered_by_few() -> None:
    chosen = cover(TESTS)
    assert chosen <= set(TESTS)
    assert pairs(sorted(chosen)) == pairs(TESTS)
    assert len(chosen) <= len(TESTS) / 3, sorted(chosen)


def test_each_value_alone_is_covered_by_fewer() -> None:
    chosen = cover(TESTS, 1)
    values = {value for test in chosen for value in factors(test).items()}
    assert values == {value for test in TESTS for value in factors(test).items()}
    assert len(chosen) < len(cover(TESTS))


def test_functions_of_one_file_share_the_pairs_of_builds() -> None:
    names = ("it", "that", "more", "less", "all", "none")
    of_one = [test for test in TESTS if "a.c" in test]
    tests = [test.replace("it", name, 1) for test in of_one for name in names]
    chosen = choose(tests)
    assert pairs(sorted(chosen)) == pairs(tests)
    assert len(chosen) < len(names) * len(cover(of_one)), sorted(chosen)


def test_tests_without_builds_all_stay() -> None:
    tests = [f"t.py::test_it[{word}]" for word in ("one", "two", "three")]
    assert cover(tests) == set(tests)


def test_the_factors_of_a_test() -> None:
    assert factors("t.py::test_it[nested.c-gcc-O2-libomp14-stripped]") == {
        "compiler": "gcc",
        "opt": "O2",
        "version": "libomp14",
        "symbols": "stripped",
        "rest": "t.py::test_it[nested.c----]",
    }
