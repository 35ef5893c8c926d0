# SPDX-License-Identifier: Apache-2.0
"""Of the tests that differ only in how their program is built, those that cover all pairs.

What is tested (a test function and its program), compiler, optimisation, runtime's version and
whether that runtime is stripped are a test's factors. Faults come from one value or from two
together: of each file as few builds are run as have every pair of values of two factors among
them that occurs in the full product. Through gdbserver the same is read by other calls, whatever
is read: there each value once is enough. GDB_OMPD_ALL_BUILDS=1 runs the full product.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import TypeVar

from support.runtimes import EVERYTHING

FACTORS = {
    "compiler": re.compile(r"\b(?:clang|gcc)\b"),
    "opt": re.compile(r"\bO[0-3gs]\b"),
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
    """Return a subset of TESTS, all of one file, that has all values of so many factors
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
    alike: dict[tuple[str, int], list[str]] = {}
    for test in tests:
        file, _, name = test.partition("::")
        together = 1 if "gdbserver" in name.partition("[")[0] else 2
        alike.setdefault((file, together), []).append(test)
    return {test for (_, together), some in alike.items() for test in cover(some, together)}
