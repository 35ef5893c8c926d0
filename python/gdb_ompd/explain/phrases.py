# SPDX-License-Identifier: Apache-2.0
"""The pieces of the sentence that ``ompd why`` begins with."""

from __future__ import annotations

import os
from typing import Callable, Iterable, Iterator, Optional, Sequence

from ..model.waits import Kind, TEAM_BARRIERS
from ..model import Location
from .facts import At, Facts

MUTEX = "pthread mutex"
MOST_PLACES = 4  # in a sentence


def waits_for_the_gone(waiting: Sequence[At]) -> Iterator[str]:
    """Say which threads wait at a place for members of their team that are no more."""
    alike: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    for thread in waiting:
        what = f"{waited_object(thread)}{at_place(thread)}"
        alike.setdefault((what, thread.gone), []).append(thread.gdb_num)
    for (what, gone), numbers in alike.items():
        verb = "waits" if len(numbers) == 1 else "wait"
        whom = f"for {members(gone)} of the team, not in this process"
        yield f"{threads_named(numbers)} {verb} {wait_for(what)} {whom}"


def unknown_owner(waiter: At, facts: Facts) -> str:
    """Say of an owner that is not known where else it may be. A critical is left at its
    end only: one that is held while its only waiter is the only thread was inherited."""
    if len(facts.threads) > 1:
        return "owner unknown"
    if waiter.wait.kind is Kind.CRITICAL and facts.word(waiter.wait.address).held:
        return "which no thread of this process is in: a fork left its owner behind"
    others = "owner unknown: no other thread is in this process"
    return f"{others}, nor {members(waiter.gone)} of the team" if waiter.gone else others


def members(gone: Sequence[int]) -> str:
    """Name threads by their numbers in the team."""
    return f"member {gone[0]}" if len(gone) == 1 else f"members {ranges(gone)}"


def places(waiting: Sequence[At], held_by: Callable[[At], str]) -> str:
    """Say what waiting threads wait for, and where: as much as a sentence holds. HELD_BY
    says who holds it."""
    alike: dict[str, list[int]] = {}
    for thread in waiting:
        what = f"{waited_object(thread)}{at_place(thread)}{held_by(thread)}"
        alike.setdefault(what, []).append(thread.gdb_num)
    shown = [
        f"{threads_named(numbers)} {'waits' if len(numbers) == 1 else 'wait'} {wait_for(what)}"
        for what, numbers in list(alike.items())[:MOST_PLACES]
    ]
    more = len(alike) - len(shown)
    return ", ".join([*shown, *([f"and {more} more places"] if more else [])])


def wait_for(what: str) -> str:
    """Put the preposition before what is waited for."""
    return f"at {what}" if what.startswith(("barrier", "end of")) else f"for {what}"


def waited_object(thread: At) -> str:
    """Name what a thread waits for."""
    wait = thread.wait
    if thread.mutex is not None:
        return f"{MUTEX} 0x{thread.mutex:x}"
    if wait.kind is None:
        return "nothing"
    kind: str = wait.kind.value
    if wait.kind in TEAM_BARRIERS:
        return "barrier"
    if wait.kind is Kind.REGION_BARRIER:
        return "end of region"
    if wait.name:
        return f'{kind} "{wait.name}"'
    if wait.name == "" and kind == Kind.CRITICAL.value:
        return "unnamed critical"
    return kind if wait.address is None else f"{kind} 0x{wait.address:x}"


def who(threads: Sequence[At]) -> str:
    """Name threads at one place, and what they do there."""
    one = threads[0]
    what = ""
    if one.running:
        what = ", which runs"
    elif one.system_call is not None:
        what = f", blocked in {one.system_call}()"
    elif one.wait.outside is not None:
        what = f", in {one.wait.outside}()"
    return f"{threads_named(thread.gdb_num for thread in threads)}{at_place(one)}{what}"


def threads_named(numbers: Iterable[int]) -> str:
    """Name threads by GDB's numbers."""
    listed = sorted(numbers)
    return f"thread {listed[0]}" if len(listed) == 1 else f"threads {ranges(listed)}"


def ranges(numbers: Sequence[int]) -> str:
    """Write sorted numbers as "1-3,5"."""
    pieces: list[list[int]] = []
    for number in numbers:
        if pieces and pieces[-1][-1] + 1 == number:
            pieces[-1].append(number)
        else:
            pieces.append([number])
    return ",".join(str(p[0]) if len(p) == 1 else f"{p[0]}-{p[-1]}" for p in pieces)


def count(threads: Sequence[At]) -> str:
    """Say how many threads there are."""
    return f"{len(threads)} thread" + ("" if len(threads) == 1 else "s")


def at_place(thread: At) -> str:
    """Write where a thread is, as ``place`` does."""
    return place(thread.wait.location)


def place(location: Optional[Location]) -> str:
    """Write where a place is as " at FILE:LINE", "" where that is not known."""
    if location is None or location.file is None or location.line is None:
        return ""
    return f" at {os.path.basename(location.file)}:{location.line}"
