# SPDX-License-Identifier: Apache-2.0
"""The words for a program that ends: by a runtime that has given up, in exit, and for threads whose
functions have returned."""

from __future__ import annotations

import os
import re
from typing import Iterator

from .facts import At, Facts
from .phrases import named

SYSTEMS_ERROR = re.compile(r"system error #(\d+)")


def clauses(facts: Facts) -> Iterator[str]:
    """Say what of a program or its threads is ending, and why."""
    for thread in facts.threads:
        if thread.gave_up is not None:
            yield _gave_up(thread)
    leaving = [t.gdb_num for t in facts.threads if t.ending == "process"]
    if leaving:
        yield f"the process is ending: {named(leaving)} {_are(leaving)} in exit()"
    ended = [t.gdb_num for t in facts.threads if t.ending == "thread"]
    if ended:
        objects = "its thread_local objects" if len(ended) == 1 else "their thread_local objects"
        yield f"{named(ended)} {_are(ended)} ending, in the destructor of {objects}"


def without_beginnings(facts: Facts) -> Facts:
    """Return FACTS where no region goes on beginning whose threads a runtime has given up to make."""
    ended = {thread.region for thread in facts.threads if thread.gave_up is not None}
    if not ended:
        return facts
    regions = (
        region._replace(starting=False) if region.id in ended else region
        for region in facts.regions
    )
    return facts._replace(regions=tuple(regions))


def _gave_up(thread: At) -> str:
    """Say which runtime has given up, in which function of it, and what it has written."""
    said = thread.gave_up
    assert said is not None
    names = dict.fromkeys(filter(None, (said.function, said.entry_point)))
    inside = "".join(f", in {name}()" for name in names)
    message = SYSTEMS_ERROR.sub(_with_words, said.message)
    words = f', after writing "{message}"' if message else ""
    return f"{said.library} gave up in {named([thread.gdb_num])}{inside}{words}"


def _with_words(found: re.Match[str]) -> str:
    return f"{found.group()} ({os.strerror(int(found.group(1)))})"


def _are(numbers: list[int]) -> str:
    return "is" if len(numbers) == 1 else "are"
