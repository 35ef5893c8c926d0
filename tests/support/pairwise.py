# SPDX-License-Identifier: Apache-2.0
"""Of the tests that differ only in how their program is built, those that cover all pairs.

A test's program, compiler, optimisation, runtime's version and whether that runtime is
stripped are its factors. Faults come from one value or from two together: of each test
function as few builds are run as have every pair of values of two factors among them that
occurs in the full product. Through gdbserver the same is read by other calls, whatever is read:
there each value once is enough. GDB_OMPD_ALL_BUILDS=1 runs the full product.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import TypeVar

from support.runtimes import EVERYTHING

FACTORS = {
    "compiler": re.compile(r"\b(?:clang|gcc)\b"),
    "opt": re.compile(r"\bO[0-3]\b"),
    "version": re.compile(r"\b(?:libomp)?(1\d)\b"),
    "symbols": re.compile(r"\b(?:stripped|symbols|debian)\b"),
}

Values = frozenset[tuple[str, str]]
Item = TypeVar("Item")


def factors(test: str) -> dict[str, str]:
    """Return the factors of the test with that id, and as "rest" what it is besides."""
    function, _, parameters = test.partition("[")
    found = {}
    for name, pattern in FACTORS.items():
        value = pattern.search(parameters)
        found[name] = value.group() if value is not None else ""
        parameters = pattern.sub("", parameters, count=1)
    return {**found, "rest": f"{function}[{parameters}"}


def _values(test: str, together: int) -> set[Values]:
    return {frozenset(some) for some in itertools.combinations(factors(test).items(), together)}


def cover(tests: Sequence[str], together: int = 2) -> set[str]:
    """Return a subset of TESTS, all of one function, that has all values of so many factors
    TOGETHER that they have.

    The greedy choice: at each step the first of those with the most new ones.
    """
    left = {test: _values(test, together) for test in tests}
    missing = set().union(*left.values())
    chosen: set[str] = set()
    while missing:
        best = max(left, key=lambda test: len(left[test] & missing))
        missing -= left.pop(best)
        chosen.add(best)
    return chosen


def choose(tests: Sequence[str]) -> set[str]:
    """Return those of TESTS, by their ids, that are run."""
    if EVERYTHING:
        return set(tests)
    by_function: dict[str, list[str]] = {}
    for test in tests:
        by_function.setdefault(test.partition("[")[0], []).append(test)
    chosen: set[str] = set()
    for function, builds in by_function.items():
        chosen |= cover(builds, 1 if "gdbserver" in function else 2)
    return chosen
