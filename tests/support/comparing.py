# SPDX-License-Identifier: Apache-2.0
"""The program itself is asked at a stop: gdb calls omp_get_* in every thread."""

from __future__ import annotations

import json

from support.runtimes import ROOT

# Prints what was compared and what was wrong.
COMPARE = [
    f"python import sys; sys.path.insert(0, '{ROOT / 'tests' / 'support'}')",
    "python import json, random_stops_in_gdb",
    "set scheduler-locking on",
    "python print('\\nFACTS ' + json.dumps(random_stops_in_gdb.compare('here')))",
    "set scheduler-locking off",
]


def assert_compared(said: str, stops: int, at_least: int) -> None:
    """In SAID the program was asked at STOPS stops, AT_LEAST so many facts were compared at
    each, and none was wrong."""
    found = [line.removeprefix("FACTS ") for line in said.splitlines() if line[:6] == "FACTS "]
    assert len(found) == stops, said[-3000:]
    for report in found:
        compared, wrong = json.loads(report)
        assert compared >= at_least, report
        assert wrong == [], wrong
