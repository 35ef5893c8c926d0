# SPDX-License-Identifier: Apache-2.0
"""What stands below the sentence: each team's threads by what they do, and the locks."""

from __future__ import annotations

from typing import Hashable, Iterable, Optional, Sequence

from ..model import place_key
from ..model.waits import BARRIERS, Kind, MUTEXES, ONCE, TEAM_BARRIERS
from .facts import At, Facts
from .holders import executing, holding, readers
from .needs import POOL, has_arrived, meets
from .report import Group, HELPER, Lock, Team, UNKNOWN_CODE

Member = tuple[Optional[int], At]  # a thread, with its number in the team


def teams(facts: Facts) -> tuple[Team, ...]:
    """Return every team, of those of one thread the innermost of each thread that is in no
    other, and the threads that are in none."""
    found: list[Team] = []
    by_number = {thread.gdb_num: thread for thread in facts.threads}
    signals = {crash.gdb_num: crash.signal for crash in facts.crashes}
    active = {g for r in facts.regions if not r.serialized for g in r.threads}
    alone = {t.region: t.gdb_num for t in facts.threads if t.gdb_num not in active}
    for region in facts.regions:
        if region.serialized and region.id not in alone:
            continue
        found_at = [
            (n, by_number.get(g) if g is not None else None) for n, g in enumerate(region.threads)
        ]
        members = [(number, thread) for number, thread in found_at if thread is not None]
        missing = tuple([thread.thread_num for thread in region.absent])
        unknown = tuple([n for n, t in found_at if t is None and n not in missing])
        leader = _barrier_leader([thread for _, thread in members], region.id)
        place = leader.wait.location if leader is not None else None
        found.append(
            Team(region, _groups(members, leader, signals), missing, place, unknown=unknown)
        )
    inside = {*active, *(number for region, number in alone.items() if region is not None)}
    outside: list[Member] = [(None, t) for t in facts.threads if t.gdb_num not in inside]
    if outside:
        homeless = any(map(_may_be_anywhere, (thread for _, thread in outside)))
        known = not homeless and not any(
            team.unknown for team in found if team.region and not team.region.starting
        )
        found.append(Team(None, _groups(outside, None, signals), known=known))
    return tuple(found)


def _may_be_anywhere(thread: At) -> bool:
    """Tell whether a thread's teams are not known: it runs, or no runtime could be asked."""
    is_idle = thread.wait.kind in POOL
    return thread.running or (thread.is_omp and thread.thread_num is None and not is_idle)


def _barrier_leader(members: Sequence[At], region: int) -> Optional[At]:
    """Return a thread that waits at the team's barrier, one in the middle of the region
    sooner than one at its end."""
    own = [t for t in members if t.region == region and t.blocked is not False and not t.busy]
    inner = [thread for thread in own if thread.wait.kind in TEAM_BARRIERS]
    ending = [thread for thread in own if thread.wait.kind is Kind.REGION_BARRIER]
    return next(iter(inner or ending or filter(meets, own)), None)


def _groups(
    members: Iterable[Member], leader: Optional[At], signals: dict[int, str]
) -> tuple[Group, ...]:
    alike: dict[tuple[Hashable, Optional[bool], Optional[str], bool, Optional[str]], list[Member]]
    alike = {}
    for number, thread in members:
        phase, signal = _phase(thread), signals.get(thread.gdb_num)
        arrived = None if phase == "complete" else _arrived(thread, leader)
        key = (doing_key(thread), arrived, phase, thread.running, signal)
        alike.setdefault(key, []).append((number, thread))
    return tuple(
        [
            _group(same, arrived, phase, signal)
            for (_, arrived, phase, _, signal), same in alike.items()
        ]
    )


def _arrived(thread: At, leader: Optional[At]) -> Optional[bool]:
    """Tell whether a thread has come to the barrier that LEADER waits at; None where that
    is not known, or nobody waits."""
    if leader is None:
        return None
    arrived = has_arrived(thread, leader)
    return None if thread.come is None and not arrived else arrived


def _phase(thread: At) -> Optional[str]:
    """Return what is to be said of a thread at a barrier but that it waits there: it
    executes a task meanwhile, or all have come to that barrier. A thread of the runtime's own
    that has nothing to do is no idle worker."""
    if thread.is_helper:
        return HELPER
    if thread.wait.kind not in BARRIERS:
        return None
    if thread.busy:
        return "executing a task"
    return "complete" if thread.blocked is False else None


def _group(
    same: Sequence[Member], arrived: Optional[bool], phase: Optional[str], signal: Optional[str]
) -> Group:
    one = same[0][1]
    return Group(
        tuple([thread.gdb_num for _, thread in same]),
        tuple([number for number, _ in same if number is not None]),
        one.waited_kind if one.tried is None else None,
        one.wait.name,
        one.object if one.tried is None else None,
        one.call.function or one.wait.outside or (None if one.in_known_code else UNKNOWN_CODE),
        one.wait.location,
        arrived,
        one.running,
        signal,
        phase,
        one.polls,
        one.target,
        one.endless,
    )


def doing_key(thread: At) -> Hashable:
    """Return what is the same of threads that do the same at the same place."""
    place = thread.wait.location
    line = place_key(place) if place is not None else None
    wait = thread.wait
    what = (wait.kind, wait.address, wait.name, wait.outside, thread.in_known_code)
    loops = (thread.polls, thread.endless)
    return (what, loops, thread.call.function, thread.call.mutex, line, thread.target)


def locks(facts: Facts) -> tuple[Lock, ...]:
    """Return every lock that somebody waits for."""
    waiters: dict[tuple[str, Optional[int]], list[At]] = {}
    for thread in facts.threads:
        kind = thread.waited_kind
        waits = thread.call.mutex is not None or thread.wait.kind in MUTEXES
        if kind is not None and (waits or thread.tried is not None):
            waiters.setdefault((kind, thread.object), []).append(thread)
    return tuple([_lock(*key, threads, facts) for key, threads in waiters.items()])


def _lock(kind: str, address: Optional[int], waiting: Sequence[At], facts: Facts) -> Lock:
    numbers = tuple([thread.gdb_num for thread in waiting])
    if waiting[0].call.mutex is not None:
        if kind == ONCE and address is not None:
            owners = tuple(sorted(executing(address, facts)))
            source = "inferred" if owners else None
            return Lock(kind, address, waiting[0].wait.name, numbers, owners, source, None)
        owners = tuple(sorted({t.call.owner for t in waiting if t.call.owner is not None}))
        ended = any(thread.call.owner_ended is not None for thread in waiting)
        source = "runtime" if owners or ended else None
        name = waiting[0].wait.name
        inside = tuple(sorted(readers(waiting[0], facts)))
        if inside and not owners:
            certain = len(inside) == waiting[0].call.readers
            return Lock(kind, address, name, numbers, inside, "inferred", True, certain=certain)
        others = (thread.call.owner_elsewhere for thread in waiting)
        other = next((each for each in others if each is not None), None)
        return Lock(
            kind, address, name, numbers, owners, source, None, ended, holder_elsewhere=other
        )
    found = holding(kind, address, facts)
    name = next((t.object_name for t in waiting if t.object_name is not None), None)
    word = facts.word(address)
    holders = tuple(sorted(found.holders))
    return Lock(
        kind,
        address,
        name,
        numbers,
        holders,
        found.source,
        word.held,
        found.ended,
        found.certain,
        word.destroyed,
    )
