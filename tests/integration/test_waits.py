# SPDX-License-Identifier: Apache-2.0
"""What each thread waits for is what it said it would wait for, in every situation."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.facts import Tally
from support.runtimes import VERSIONS
from support.waits import SITUATIONS, Setting, facts, run

# Which of two locks a branch chose is lost with the registers; what is behind a pointer
# has a name only where the debug information still has the pointer.
MAY_BE_UNKNOWN = {"lock_chosen", "lock_heap"}
SETTINGS = [
    Setting("clang", opt, version, stripped)
    for opt in ("O0", "O2")
    for version in VERSIONS
    for stripped in (False, True)
]


def test_there_are_enough_situations() -> None:
    assert len(SITUATIONS) >= 25


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_every_thread(setting: Setting, tmp_path: Path) -> None:
    tally = Tally()
    documents = run(setting, tmp_path)
    for document in documents:
        tally.add(facts(document, setting))
    report = "\n".join(tally.lines())
    print(f"{len(SITUATIONS)} situations, {len(documents)} stops: {report}")
    assert tally.compared >= 2 * len(documents)
    unknown = [fact for fact in tally.unknown if fact.stop.split()[1] not in MAY_BE_UNKNOWN]
    assert not tally.wrong and not unknown, report
