# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: of the tests that differ only in their program's build, few are run.

scripts/coverage.sh uses it: the first and the last build of each run nearly all the lines
that all of them do.
"""

from __future__ import annotations

import re

import pytest

BUILD = re.compile(r"\b(clang|gcc|O0|O2|(libomp)?1\d(-stripped|-symbols|-debian)?|symbols)\b")


def apart_from_builds(name: str) -> str:
    """Return a test's NAME without what tells one build of its program from another."""
    function, _, parameters = name.partition("[")
    return function + "[" + BUILD.sub("", parameters)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect all but the first and the last of those that are the same but for builds."""
    first: dict[str, pytest.Item] = {}
    last: dict[str, pytest.Item] = {}
    for item in items:
        first.setdefault(apart_from_builds(item.nodeid), item)
        last[apart_from_builds(item.nodeid)] = item
    kept = {*first.values(), *last.values()}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]
