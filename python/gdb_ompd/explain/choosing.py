# SPDX-License-Identifier: Apache-2.0
"""Choosing some of many threads, by GDB's numbers, by team or by what they do."""

from __future__ import annotations

from typing import Callable, Iterable, Mapping, Sequence

from ..errors import NotFound, UsageError
from ..model import Region, Thread, ThreadKind

# What each word means; others are looked for in the state and in what is waited for.
STATES: Mapping[str, Callable[[Thread], bool]] = {
    "working": lambda t: (t.state or "").startswith("work") and not t.waits_for,
    "waiting": lambda t: (t.state or "").startswith("wait") or t.waits_for is not None,
    "idle": lambda t: t.idle,
    "running": lambda t: t.running,
    "crashed": lambda t: t.signal is not None,
    "unreadable": lambda t: t.error is not None and not t.running,
    "other": lambda t: t.kind in (ThreadKind.NATIVE, ThreadKind.HELPER),
}


def by_numbers(threads: Sequence[Thread], words: Iterable[str]) -> list[Thread]:
    """Return the threads that WORDS name: "3", "1-5", "2.1" of inferior 2."""
    chosen: set[tuple[int, int]] = set()
    for word in words:
        inferior, _, numbers = word.rpartition(".")
        is_inferior = not inferior or inferior.isdecimal()
        first, last = number_range(numbers if is_inferior else "", word)
        found = {
            (t.inferior, t.gdb_num)
            for t in threads
            if first <= t.gdb_num <= last and (not inferior or t.inferior == int(inferior))
        }
        if not found:
            raise NotFound(f'there is no GDB thread {word}: "ompd threads" lists them')
        chosen |= found
    return [t for t in threads if (t.inferior, t.gdb_num) in chosen]


def number_range(numbers: str, word: str) -> tuple[int, int]:
    """Return the first and the last of NUMBERS, "3" or "1-5"; an error names the user's WORD."""
    first, dash, last = numbers.partition("-")
    last = last if dash else first
    if not (first.isdecimal() and last.isdecimal() and int(first) <= int(last)):
        raise UsageError(f'"{word}" is no thread number, nor a range such as 1-5.')
    return int(first), int(last)


def by_team(
    threads: Sequence[Thread], inferior: int, regions: Sequence[Region], word: str
) -> list[Thread]:
    """Return an INFERIOR's threads in the region with the number WORD, and in those that
    are nested in it."""
    region = next((region for region in regions if str(region.id) == word), None)
    if region is None:
        raise NotFound(f'there is no region {word}: "ompd parallel -all" lists them')
    return [t for t in threads if t.inferior == inferior and t.gdb_num in region.threads]


def by_state(threads: Sequence[Thread], word: str) -> list[Thread]:
    """Return the threads of which WORD says what they do."""
    is_wanted = STATES.get(word) or (lambda thread: word in _words(thread))
    found = [thread for thread in threads if is_wanted(thread)]
    if not found and word not in STATES:
        raise NotFound(
            f'no thread is "{word}"; known are {", ".join(STATES)}, and what is waited for'
        )
    return found


def _words(thread: Thread) -> str:
    waited = thread.waits_for
    words = [thread.state, thread.outside, *((waited.kind, waited.name) if waited else ())]
    return " ".join(filter(None, words))
