# SPDX-License-Identifier: Apache-2.0
"""Programs that nobody wrote: what is shown of them is what they have recorded. The long form
is scripts/generated.sh."""

from __future__ import annotations

from pathlib import Path

import pytest
from generator.__main__ import MOST_UNKNOWN
from generator.program import generate
from generator import deprivations
from generator.building import WAYS
from generator.running import stop_at
from support.mapped import can_make_containers

STOPS = 4
AT_FEW_STOPS = 3  # times as much may be unknown: that of one stop weighs more


def named(number: int) -> str:
    return f"{WAYS[number % len(WAYS)]} {deprivations.of(number).name}".strip().replace(" ", "-")


@pytest.mark.parametrize("number", range(len(deprivations.ALL) + 1), ids=named)
def test_all_that_is_shown_is_what_the_program_knows(number: int, tmp_path: Path) -> None:
    """In each way to build and to run, and with each deprivation."""
    if deprivations.of(number).life == "container" and not can_make_containers():
        pytest.skip("this user cannot make containers")
    language = ("c", "cpp")[number % 2]
    report = stop_at(number, language, WAYS[number % len(WAYS)], STOPS, tmp_path)
    print(report["stops"], "stops,", report["facts"], "facts")
    assert not report["error"]
    if not report["aborted"]:  # a runtime that fails, as two copies of LLVM's may, ends its program
        assert report["stops"] == STOPS
        assert report["facts"] > 5 * STOPS
    assert not report["wrong"] + report["contradictions"]
    loses = deprivations.of(number).loses
    lost = sum(n for fact, n in report["unknown"].items() if fact.split(":")[0] not in loses)
    assert lost <= AT_FEW_STOPS * MOST_UNKNOWN * report["facts"], report["unknown"]


def test_a_program_is_made_of_its_number() -> None:
    assert generate(7, "cpp").sources == generate(7, "cpp").sources
    assert generate(7, "c").sources != generate(8, "c").sources
