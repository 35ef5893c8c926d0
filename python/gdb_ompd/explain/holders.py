# SPDX-License-Identifier: Apache-2.0
"""Who is inside of what others wait for: a lock, a reduction's critical, a routine of pthread_once;
and who may let a lock go."""

from __future__ import annotations

from typing import NamedTuple, Optional

from ..model import Location
from ..model.waits import Kind, RWLOCK
from .facts import At, Facts


class Holding(NamedTuple):
    """Who holds a lock, how that is known, and whether it cannot be otherwise. ENDED tells
    that the holder is no thread of this process."""

    holders: frozenset[int]
    source: Optional[str]
    certain: bool
    ended: bool = False


def holding(kind: Optional[str], address: Optional[int], facts: Facts) -> Holding:
    """Return who holds a lock: from the runtime, else by the places in the code."""
    word = facts.word(address)
    if word.owner is not None:
        return Holding(frozenset({word.owner}), "runtime", True)
    if word.owner_ended:
        return Holding(frozenset(), "runtime", True, ended=True)
    inside = facts.inside.get((kind, address), [])
    sure = frozenset({thread.gdb_num for thread, held in inside if held.certain})
    # Of those that wait for it only one that cannot but hold it counts, or where nobody else may
    # hold it one that may have taken it elsewhere.
    waiters = facts.waiters.get(address, frozenset())
    outside = waiters | facts.trying.get((kind, address), frozenset())
    everyone = sure | {t.gdb_num for t, _ in inside if t.gdb_num not in outside}
    if not everyone:
        everyone = frozenset({t.gdb_num for t, held in inside if _is_elsewhere(held.location, t)})
    if len(sure) == 1 and word.held is not False:
        return Holding(sure, "inferred", True)
    # Those who may hold it do not where nobody does, or one that waits has just been given it.
    is_given = word.queued is not None and not waiters <= word.queued
    if not word.held or is_given or not everyone:
        return Holding(frozenset(), None, False)
    return Holding(everyone, "inferred", False)


def combining(waiter: At, facts: Facts) -> frozenset[int]:
    """Return who is in the critical, or in the only atomic region without a name, in which one thread
    after another puts together the reduction that a WAITER is at."""
    if waiter.wait.kind is not Kind.REDUCTION:
        return frozenset()
    entered = Kind.ATOMIC if waiter.wait.address is None else Kind.REDUCTION
    key = entered.value, waiter.wait.address
    return frozenset(
        thread.gdb_num
        for thread, held in facts.inside.get(key, [])
        if held.certain and thread.gdb_num != waiter.gdb_num
    )


def just_got(waiter: At, facts: Facts) -> list[int]:
    """Return the threads that may have got the lock of a WAITER in the call that sets it, which
    they have not left: they do not sleep for it, and nobody is known to hold it. The runtime has no
    queue that would tell."""
    word = facts.word(waiter.wait.address)
    if not word.held or word.queued is not None:
        return []
    same = [t for t in facts.threads if t.wait[:2] == waiter.wait[:2]]
    return [thread.gdb_num for thread in same if thread.blocked is not True]


def _is_elsewhere(taken: Optional[Location], waiter: At) -> bool:
    """Tell whether a lock was TAKEN at another line than that at which a WAITER is."""
    waiting = waiter.wait.location
    if taken is None or waiting is None or taken.line is None or waiting.line is None:
        return False
    return (taken.file, taken.line) != (waiting.file, waiting.line)


def executing(control: int, facts: Facts) -> frozenset[int]:
    """Return the threads that execute the routine of pthread_once with a CONTROL."""
    return facts.executing.get(control, frozenset())


def readers(thread: At, facts: Facts) -> frozenset[int]:
    """Return who reads the rwlock of a thread by the places in the code; nobody where that cannot
    be."""
    inside = facts.inside.get((RWLOCK, thread.call.mutex), [])
    found = frozenset(other.gdb_num for other, held in inside if held.certain)
    return found if len(found) <= thread.call.readers else frozenset()


def releasers(thread: At, address: Optional[int], facts: Facts) -> frozenset[int]:
    """Return the other threads that may let a lock go which they have not set."""
    givers = facts.givers.get(address, frozenset()) if address is not None else frozenset()
    return givers - {thread.gdb_num}
