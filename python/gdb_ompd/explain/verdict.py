# SPDX-License-Identifier: Apache-2.0
"""From facts to the report: teams, locks, cycles and one sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Hashable, Iterable, Mapping, Optional, Sequence

from ..model.waits import Kind, MUTEXES, TEAM_BARRIERS
from . import crash
from .facts import At, Facts
from .needs import POOL, has_arrived, holding, needs_of
from .phrases import (
    MUTEX,
    at_place,
    count,
    places,
    threads_named,
    unknown_owner,
    wait_for,
    waited_object,
    waits_for_the_gone,
    who,
)
from .report import Group, Lock, Report, Step, Team, Verdict
from .stuck import Needs, cycles, sinks, stuck


def explain(facts: Facts) -> Report:
    """Return the report on a program at one stop."""
    facts = _distinct(facts)
    needs = needs_of(facts)
    knots = cycles(needs)
    verdict, text = _verdict(facts, needs, knots)
    crashed = crash.sentence(facts)
    if crashed:
        lasting = verdict is Verdict.DEADLOCK
        verdict, text = (verdict, f"{crashed}; {text}") if lasting else (Verdict.WAITING, crashed)
    by_number = {thread.gdb_num: thread for thread in facts.threads}
    steps = tuple(tuple(_step(by_number[n], needs[n], knot) for n in knot) for knot in knots)
    return Report(
        verdict,
        text,
        _teams(facts),
        _locks(facts),
        steps,
        facts.notes,
        facts.qualified,
        facts.overflows,
        facts.waiting_tasks,
    )


def _distinct(facts: Facts) -> Facts:
    """Add the address to a name that means several objects ("*lock" in several threads)."""
    meant: dict[tuple[object, str], set[Optional[int]]] = {}
    for thread in facts.threads:
        wait = thread.wait
        if wait.name:
            meant.setdefault((wait.kind, wait.name), set()).add(wait.address)

    def told_apart(thread: At) -> At:
        wait = thread.wait
        if not wait.name or wait.address is None or len(meant[wait.kind, wait.name]) == 1:
            return thread
        return replace(thread, wait=replace(wait, name=f"{wait.name} at 0x{wait.address:x}"))

    return replace(facts, threads=tuple(map(told_apart, facts.threads)))


def _verdict(
    facts: Facts, needs: Mapping[int, Needs], knots: Sequence[tuple[int, ...]]
) -> tuple[Verdict, str]:
    by_number = {thread.gdb_num: thread for thread in facts.threads}
    left = [t for t in facts.threads if t.gdb_num in needs and needs[t.gdb_num].never]
    left = [thread for thread in left if needs[thread.gdb_num].certain]
    if knots or left:
        said = "; ".join(
            [*(_knot(knot, by_number, facts) for knot in knots), *waits_for_the_gone(left)]
        )
        named = {number for knot in knots for number in knot} | {t.gdb_num for t in left}
        victims = stuck(needs) - named
        more = f"; {threads_named(victims)} can never go on either" if victims else ""
        return Verdict.DEADLOCK, f"deadlock: {said}{more}"
    omp = [thread for thread in facts.threads if thread.is_omp]
    waiting = [thread for thread in omp if thread.gdb_num in needs]
    free = [t for t in omp if t.gdb_num not in needs and t.wait.kind not in POOL]
    if waiting:
        return _waiting(facts, needs, waiting, free)
    called = [thread for thread in free if thread.system_call is not None]
    if free and len(called) == len(free):
        return Verdict.WAITING, f"waiting for {who(called)}"
    if free:
        return Verdict.RUNNING, f"running: {count(free)} can go on, nobody waits"
    return Verdict.IDLE, "all idle: no OpenMP thread has anything to do"


def _waiting(
    facts: Facts, needs: Mapping[int, Needs], waiting: Sequence[At], free: Sequence[At]
) -> tuple[Verdict, str]:
    """Say for whom the threads wait that do, where that is one place."""
    ends = sinks(needs, [thread.gdb_num for thread in waiting])
    last = [t for t in facts.threads if t.gdb_num in ends and t.gdb_num not in needs]
    if any(thread.wait.kind is not None for thread in last):
        able = threads_named(thread.gdb_num for thread in last)
        return Verdict.RUNNING, f"running: {able} can go on, {len(waiting)} wait for that"
    if last and len({_key(thread) for thread in last}) == 1:
        return Verdict.WAITING, f"waiting for {who(last)}"
    in_kernel = [thread for thread in last if thread.system_call is not None]
    if in_kernel and len(in_kernel) == len(last):
        return Verdict.WAITING, "waiting for " + "; ".join(who([t]) for t in in_kernel)
    if last or free:
        able = f"{count(free or last)} can go on"
        return Verdict.RUNNING, f"running: {able}, {len(waiting)} wait"
    unknown = [t for t in waiting if t.wait.kind in MUTEXES and not needs[t.gdb_num].all]
    if unknown:
        first = unknown[0]
        what = f"{waited_object(first)}{at_place(first)}, {unknown_owner(first, facts)}"
        return Verdict.WAITING, f"waiting for {what}"
    said = places(waiting, lambda thread: _from(thread, facts))
    return Verdict.WAITING, f"waiting: {said}; whether one of them can go on is not known"


def _knot(knot: Sequence[int], by_number: Mapping[int, At], facts: Facts) -> str:
    """Say what holds the members of a cycle."""
    if len(knot) == 1:
        thread = by_number[knot[0]]
        return f"thread {knot[0]} waits for {waited_object(thread)}{at_place(thread)}, which it holds itself"
    alike: dict[str, list[int]] = {}
    for number in knot:
        thread = by_number[number]
        alike.setdefault(
            f"{waited_object(thread)}{at_place(thread)}{_from(thread, facts)}", []
        ).append(number)
    return ", ".join(
        f"{threads_named(numbers)} {'waits' if len(numbers) == 1 else 'wait'} {wait_for(what)}"
        for what, numbers in alike.items()
    )


def _from(thread: At, facts: Facts) -> str:
    if thread.owner is not None:
        return f" held by thread {thread.owner}"
    if thread.wait.kind not in MUTEXES:
        return ""
    kind = thread.wait.kind
    found = holding(kind.value if kind is not None else None, thread.wait.address, facts)
    if not found.holders:
        return ", whose owner is unknown"
    return f" held by {threads_named(found.holders)}"


def _step(thread: At, need: Needs, knot: Sequence[int]) -> Step:
    targets = tuple(sorted(need.targets & set(knot)))
    return Step(
        thread.gdb_num, waited_object(thread), thread.wait.location, targets, bool(need.any)
    )


def _teams(facts: Facts) -> tuple[Team, ...]:
    """Return every team, and the threads that are in none."""
    found: list[Team] = []
    by_number = {thread.gdb_num: thread for thread in facts.threads}
    for region in facts.regions:
        if region.serialized:
            continue
        found_at = [
            (n, by_number.get(g) if g is not None else None) for n, g in enumerate(region.threads)
        ]
        members = [(number, thread) for number, thread in found_at if thread is not None]
        missing = tuple(number for number, thread in found_at if thread is None)
        leader = _barrier_leader([thread for _, thread in members], region.id)
        found.append(Team(region, _groups(members, leader, region.id), missing))
    active = {g for r in facts.regions if not r.serialized for g in r.threads}
    outside = [(None, thread) for thread in facts.threads if thread.gdb_num not in active]
    if outside:
        found.append(Team(None, _groups(outside, None, None)))
    return tuple(found)


def _barrier_leader(members: Sequence[At], region: int) -> Optional[At]:
    """Return a thread that waits at the team's barrier, one in the middle of the region
    sooner than one at its end."""
    own = [thread for thread in members if thread.region == region and thread.blocked is not False]
    inner = [thread for thread in own if thread.wait.kind in TEAM_BARRIERS]
    ending = [thread for thread in own if thread.wait.kind is Kind.REGION_BARRIER]
    return next(iter(inner or ending), None)


def _groups(
    members: Iterable[tuple[Optional[int], At]], leader: Optional[At], region: Optional[int]
) -> tuple[Group, ...]:
    alike: dict[Hashable, list[tuple[Optional[int], At]]] = {}
    for number, thread in members:
        arrived = None if leader is None else has_arrived(thread, leader)
        alike.setdefault((_key(thread), arrived, thread.running), []).append((number, thread))
    return tuple(
        _group(same, None if leader is None else has_arrived(same[0][1], leader))
        for same in alike.values()
    )


def _group(same: Sequence[tuple[Optional[int], At]], arrived: Optional[bool]) -> Group:
    one = same[0][1]
    kind = one.wait.kind.value if one.wait.kind is not None else None
    return Group(
        tuple(thread.gdb_num for _, thread in same),
        tuple(number for number, _ in same if number is not None),
        MUTEX if one.mutex is not None else kind,
        one.wait.name,
        one.mutex if one.mutex is not None else one.wait.address,
        one.system_call or one.wait.outside,
        one.wait.location,
        arrived,
    )


def _key(thread: At) -> Hashable:
    place = thread.wait.location
    line = (place.file, place.line, place.function) if place is not None else None
    wait = thread.wait
    what = (wait.kind, wait.address, wait.name, wait.outside)
    return (what, thread.system_call, thread.mutex, line)


def _locks(facts: Facts) -> tuple[Lock, ...]:
    """Return every lock that somebody waits for."""
    waiters: dict[tuple[str, Optional[int]], list[At]] = {}
    for thread in facts.threads:
        kind = thread.wait.kind
        if thread.mutex is not None:
            waiters.setdefault((MUTEX, thread.mutex), []).append(thread)
        elif kind in MUTEXES and kind is not None:
            waiters.setdefault((kind.value, thread.wait.address), []).append(thread)
    return tuple(_lock(*key, threads, facts) for key, threads in waiters.items())


def _lock(kind: str, address: Optional[int], waiting: Sequence[At], facts: Facts) -> Lock:
    numbers = tuple(thread.gdb_num for thread in waiting)
    if kind == MUTEX:
        owners = tuple(sorted({t.owner for t in waiting if t.owner is not None}))
        return Lock(kind, address, None, numbers, owners, "runtime" if owners else None, None)
    found = holding(kind, address, facts)
    name = next((t.wait.name for t in waiting if t.wait.name is not None), None)
    held = facts.word(address).held
    return Lock(kind, address, name, numbers, tuple(sorted(found.holders)), found.source, held)
