# SPDX-License-Identifier: Apache-2.0
"""How many wrong layouts are caught when no list of known layouts is asked.

Two names of one kind, exchanged, are what a header with its entries in another
order would do to a recovered layout. An exchange that changes no value is none.
"""

from __future__ import annotations

import pytest
from support.build import build
from support.runtimes import VERSIONS
from support.walk_session import ask

WANTED = 0.96
# The walk alone cannot see sizes that it does not use, nor ICVs whose values are
# all alike; what it must see without the rules is the greater part.
WANTED_OF_WALK = 0.5
# A task of the inner region is being executed, in a task of the outer one.
STOP_INSIDE_NESTED_TASKS = 2


@pytest.mark.parametrize("runtime", VERSIONS)
def test_rules_and_walk_catch_exchanged_names(runtime: str) -> None:
    call = f"count_swaps({STOP_INSIDE_NESTED_TASKS})"
    told = ask(call, build("task_regions.c", runtime=runtime))
    swaps = told["count"]["all"]

    def share(missed: str) -> float:
        return 1 - len(told[missed]) / swaps

    print(
        f"libomp {runtime}: {swaps} exchanges of two names; caught: {share('uncaught'):.1%},"
        f" by the rules alone {share('past_rules'):.1%}, by the walk alone"
        f" {share('past_walk'):.1%}; uncaught: {told['uncaught']}"
    )
    assert told["of_truth"] == []
    assert told["checked"] > 100
    assert swaps > 1500 and min(told["count"].values()) > 50
    assert share("uncaught") >= WANTED
    assert share("past_walk") >= WANTED_OF_WALK
