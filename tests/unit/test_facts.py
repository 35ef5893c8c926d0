# SPDX-License-Identifier: Apache-2.0
"""What is concluded from the facts of programs, each kept in a file of the folder ``facts``.

A file has "verdict" and "text" as they are to be, and "about": what the program does.
CONTRIBUTING.md says how to add one.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gdb_ompd.explain.needs import needs_of, takers_of
from gdb_ompd.render import facts as listing
from gdb_ompd.saved import facts

FILES = sorted(Path(__file__).with_name("facts").glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_verdict_is_right(path: Path) -> None:
    kept = facts.load(str(path))
    assert isinstance(kept, facts.Kept)
    report = kept.report()
    told = "\n".join(listing.lines(kept.known, needs_of(kept.known), takers_of(kept.known)[0]))
    about = json.loads(path.read_text("utf-8"))["about"]
    assert (report.verdict.value, report.text) == (
        kept.verdict.value,
        kept.text,
    ), f"{about}\n{told}"


def test_there_are_many() -> None:
    assert len(FILES) >= 100
