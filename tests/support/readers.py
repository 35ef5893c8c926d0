# SPDX-License-Identifier: Apache-2.0
"""Every command that reads, on nested.c where its threads have places in teams."""

from __future__ import annotations

import json
from collections.abc import Sequence

from support.asking import Answer

# The third stop of nested.c is in a region of two in a region of two.
AT_STOP = ("set confirm off", "break truth_stop", "run")
PLACES = "ompd threads -no-location -json"
READERS = (
    "ompd threads",
    "ompd threads -json",
    "ompd parallel -all",
    "ompd tasks -all",
    "ompd icvs -all",
    "ompd env",
    "ompd bt",
    "ompd why",
    "output $_omp_level()",
)
Place = tuple[object, object]


def places(answer: Answer) -> list[Place]:
    """Return each thread's number and team size, as `ompd threads -json` says."""
    rows = json.loads(answer.stdout)["threads"]
    return [(row["thread_num"], row["team_size"]) for row in rows]


def assert_one_line_each(answers: Sequence[Answer]) -> None:
    """Each says something, and no more than one line of it is an error."""
    for answer in answers:
        assert answer.stderr.count("\n") <= 1, answer.stderr
        assert answer.stdout or answer.stderr, answers
