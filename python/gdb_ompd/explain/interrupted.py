# SPDX-License-Identifier: Apache-2.0
"""The words for threads that execute a signal's handler."""

from __future__ import annotations

import signal
from typing import Iterator, Optional

from .facts import Facts, Interruption
from .phrases import MOST_PLACES, named, place


def clauses(facts: Facts) -> Iterator[str]:
    """Say which threads are in signals' handlers, and what these have interrupted."""
    alike: dict[str, list[int]] = {}
    for thread in facts.threads:
        if thread.interruption is not None:
            alike.setdefault(handler(thread.interruption), []).append(thread.gdb_num)
    if len(alike) > MOST_PLACES:
        everywhere = sorted(number for numbers in alike.values() for number in numbers)
        alike = {"signals' handlers": everywhere}
    for what, numbers in alike.items():
        yield f"{named(numbers)} {'is' if len(numbers) == 1 else 'are'} in {what}"


def handler(found: Interruption) -> str:
    """Name a handler of a signal, with what that has interrupted."""
    called = f" {found.function}()" if found.function else ""
    where = place(found.location)
    interrupted = (
        f", which has interrupted{called or ' the code'}{where}" if called or where else ""
    )
    return f"a handler of {_signal(found.signal)}{interrupted}"


def _signal(number: Optional[int]) -> str:
    try:
        return "a signal" if number is None else signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
