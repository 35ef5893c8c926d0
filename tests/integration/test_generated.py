# SPDX-License-Identifier: Apache-2.0
"""Programs that nobody wrote: what is shown of them is what they have recorded. The long form
is scripts/generated.sh."""

from __future__ import annotations

from pathlib import Path

import pytest
from generator.__main__ import MOST_UNKNOWN
from generator.program import generate
from generator.running import WAYS, Way, stop_at

STOPS = 4
AT_FEW_STOPS = 3  # times as much may be unknown: that of one stop weighs more


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_all_that_is_shown_is_what_the_program_knows(way: Way, tmp_path: Path) -> None:
    number = WAYS.index(way)
    language = ("c", "cpp")[number % 2]
    report = stop_at(number, language, way, STOPS, tmp_path)
    print(report["stops"], "stops,", report["facts"], "facts")
    assert not report["error"]
    assert report["stops"] == STOPS
    assert report["facts"] > 20 * STOPS
    assert not report["wrong"] + report["contradictions"]
    most = AT_FEW_STOPS * MOST_UNKNOWN * report["facts"]
    assert sum(report["unknown"].values()) <= most, report["unknown"]


def test_a_program_is_made_of_its_number() -> None:
    assert generate(7, "cpp").sources == generate(7, "cpp").sources
    assert generate(7, "c").sources != generate(8, "c").sources
