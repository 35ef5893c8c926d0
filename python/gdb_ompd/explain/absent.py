# SPDX-License-Identifier: Apache-2.0
"""The words for threads of a team that are not in the process: fork() has not copied them, or they
have ended. A region that was begun without them can never end."""

from __future__ import annotations

from typing import Iterator, Sequence

from ..model import Absence, AbsentThread, Region
from ..model.waits import BARRIERS, Kind
from .facts import At, Facts
from .phrases import as_many, function_name, members, place, waits_at

CURE = (
    "cure: spawn or forkserver instead of fork, exec after it, or one thread in the child"
    " (OMP_NUM_THREADS=1)"
)


def is_endless(region: Region) -> bool:
    """Return True if a region was begun for threads that are not there."""
    return any(thread.awaited for thread in region.absent)


def endless(facts: Facts) -> list[str]:
    """Say which regions can never end, and why."""
    return as_many([_endless(region) for region in facts.regions if is_endless(region)], "region")


def _endless(region: Region) -> str:
    end = "begin" if region.starting else "end"
    return f"the region{_where(region)} can never {end}: {_missing(region)}"


def _missing(region: Region) -> str:
    awaited = [thread for thread in region.absent if thread.awaited]
    numbers = [thread.thread_num for thread in awaited]
    team = f"{members(numbers)} of its team"
    if any(thread.why is Absence.FORK for thread in awaited):
        return f"this process was forked, and fork() did not copy {team}"
    if all(thread.why is Absence.ENDED for thread in awaited):
        return f"{team} {'has' if len(numbers) == 1 else 'have'} ended"
    return f"{team} {'is' if len(numbers) == 1 else 'are'} not in this process"


def _of_team(absent: Sequence[AbsentThread]) -> str:
    """Say whom a thread waits for that is not there: "for member 1 of the team, which has ended"."""
    numbers = [thread.thread_num for thread in absent]
    whys = {thread.why for thread in absent}
    missing = "not in this process"
    if whys == {Absence.FORK}:
        missing = "which fork() did not copy into this process"
    elif whys == {Absence.ENDED}:
        missing = f"which {'has' if len(numbers) == 1 else 'have'} ended"
    return f"{members(numbers)} of the team, {missing}"


def waits_that_never_end(waiting: Sequence[At], facts: Facts) -> list[str]:
    """Say which threads wait at a place for what nobody is there to do. Of those that wait in an
    endless region at its barriers endless() says it."""
    known = {region.id for region in facts.regions if is_endless(region)}
    others = [t for t in waiting if t.wait.kind not in BARRIERS or t.region not in known]
    return as_many(waits_at(others, lambda thread: _nobody(thread, facts)), "place")


def _nobody(thread: At, facts: Facts) -> str:
    """Say who is no more, or cannot be."""
    region = next((one for one in facts.regions if one.id == thread.region), None)
    if region is not None and region.absent and thread.wait.kind in BARRIERS:
        return f" for {_of_team(region.absent)}"
    if thread.call.owner_ended is not None:
        return (
            f", held by LWP {thread.call.owner_ended}, which is no thread of this process any more"
        )
    if facts.word(thread.wait.address).owner_ended:
        return ", whose holder has ended"
    if facts.word(thread.wait.address).destroyed:
        return ", which has been destroyed"
    if len(facts.threads) == 1 and thread.wait.kind is Kind.CRITICAL:
        return f", {unknown_owner(thread, facts)}"
    if thread.call.sleep is not None:
        return ", where no thread is left to wake it"
    done = "post" if thread.wait.kind is Kind.DOACROSS else "release"
    return f", which no thread is left to {done}"


def unknown_owner(waiter: At, facts: Facts) -> str:
    """Say of an owner that is not known where else it may be. A critical is left at its end only:
    who has entered one that is held while its only waiter is the only thread is not there."""
    callback = next((one for one in facts.callbacks if one.lock == waiter.wait.address), None)
    if callback is not None:
        where = place(callback.location) if callback.location.function else ""
        function = function_name(callback.location) or "a function"
        return f"which {function}{where} may let go when it is called back"
    if len(facts.threads) > 1:
        return "owner unknown"
    if waiter.wait.kind is Kind.CRITICAL and facts.word(waiter.wait.address).held:
        why = "has ended" if facts.forked is False else "has ended, or that fork() did not copy"
        return f"entered by a thread that {why}"
    absent = next((one.absent for one in facts.regions if one.id == waiter.region), ())
    others = "owner unknown: no other thread is in this process"
    return (
        f"{others}, nor {members([t.thread_num for t in absent])} of the team" if absent else others
    )


def cure(facts: Facts) -> str:
    """Say what to do where threads are missing because the process was forked."""
    lacks = any(thread.why is Absence.FORK for one in facts.regions for thread in one.absent)
    return f"; {CURE}" if lacks or (facts.forked and len(facts.threads) == 1) else ""


def notes(facts: Facts) -> Iterator[str]:
    """Say which threads are not there of regions in which somebody works all the same."""
    for region in facts.regions:
        if region.absent and not is_endless(region):
            yield lacking(region)


def lacking(region: Region) -> str:
    """Say which threads a region lacks, and why."""
    whom = _of_team(region.absent).replace(" of the team", "")
    awaited = " It began without them." if is_endless(region) else ""
    return f"The region{_where(region)} lacks {whom}.{awaited}"


def _where(region: Region) -> str:
    library = region.code.library if region.code is not None and region.function else None
    return f"{place(region)}{f' from {library}' if library and region.line is None else ''}"
