# SPDX-License-Identifier: Apache-2.0
"""For whom threads wait, in words."""

from __future__ import annotations

from typing import Iterable, Mapping, Sequence

from ..model import Whereabouts
from ..model.waits import Kind, MUTEXES, ONCE, RWLOCK
from .facts import At, Facts
from .holders import combining, executing, holding, just_got, readers
from .phrases import (
    MOST_HELD_UP,
    as_many,
    at_place,
    elsewhere,
    named,
    place,
    places,
    waited_object,
    who,
)
from .queued import Queued
from .teams import doing_key

READERS = ", whose readers are not known"
ITSELF = ", which it holds itself"
OTHERS = ", and by others that are not known"


def cycles_of(
    knots: Sequence[Sequence[int]], by_number: Mapping[int, At], facts: Facts
) -> list[str]:
    """Say what holds the members of each cycle: those that wait alike for what each holds itself at
    once."""
    alike: dict[str, list[Sequence[int]]] = {}
    for knot in knots:
        said = _knotted(knot, by_number, facts)
        itself = by_number[knot[0]] if len(knot) == 1 and said.endswith(ITSELF) else None
        what = f"a {itself.waited_kind}{at_place(itself)}{ITSELF}" if itself is not None else said
        alike.setdefault(what, []).append(knot)
    found: list[str] = []
    for what, same in alike.items():
        all_of = f"each of {named(number for knot in same for number in knot)} waits for {what}"
        found.append(all_of if len(same) > 1 else _knotted(same[0], by_number, facts))
    return as_many(found, "cycle")


def _knotted(knot: Sequence[int], by_number: Mapping[int, At], facts: Facts) -> str:
    if len(knot) == 1:
        thread = by_number[knot[0]]
        what = f"{waited_object(thread)}{at_place(thread)}"
        if _is_read(thread) and not readers(thread, facts):
            return f"{named(knot)} waits for {what}{READERS}, perhaps itself"
        is_nest = thread.wait.kind is Kind.NEST_LOCK  # a thread may set its own once more
        whose = ", which another of its tasks holds" if is_nest else ITSELF
        return f"{named(knot)} waits for {what}{whose}"
    members = [by_number[number] for number in knot]
    return places(members, lambda thread: for_whom(thread, facts))


def for_whom(thread: At, facts: Facts) -> str:
    """Say for whom a thread waits, behind what it waits for; nothing where that is not known."""
    if thread.call.lock == ONCE and thread.call.mutex is not None:
        executors = executing(thread.call.mutex, facts)
        return f" executed by {named(executors)}" if executors else ""
    owner = thread.call.taken_by if thread.call.owner is None else thread.call.owner
    if owner is not None:
        return f" held by {named([owner])}"
    if thread.call.owner_elsewhere is not None:
        return f", {elsewhere(thread.call.owner_elsewhere)}"
    if _is_read(thread):
        inside = readers(thread, facts)
        more = OTHERS if len(inside) < thread.call.readers else ""
        return f" read by {named(inside)}{more}" if inside else READERS
    if thread.call.sleep is not None:
        return " until woken by another thread"
    inside = combining(thread, facts)
    if inside:
        return f" for {named(inside)}"
    if thread.wait.kind is Kind.TASKWAIT:
        return _for_blocked(thread, facts)
    if thread.wait.kind not in MUTEXES and thread.tried is None:
        return ""
    found = holding(thread.waited_kind, thread.object, facts)
    if not found.holders:
        fresh = just_got(thread, facts)
        return f", which {named(fresh)} may just have got" if fresh else ", whose owner is unknown"
    perhaps = "" if found.certain else "perhaps "
    if found.holders == {thread.gdb_num}:
        return f" {perhaps}held by itself"
    one_of = "one of " if len(found.holders) > 1 else ""  # not known which
    return f" {perhaps}held by {one_of}{named(found.holders)}"


def _is_read(thread: At) -> bool:
    """Tell whether a thread waits for those who read a lock."""
    return thread.call.mutex is not None and thread.call.lock == RWLOCK and not thread.call.owner


def _for_blocked(thread: At, facts: Facts) -> str:
    """Say for which of its tasks a thread waits that wait for others themselves."""
    blocked = Queued.children(facts, thread.tasks[0], Whereabouts.BLOCKED) if thread.tasks else []
    if not blocked:
        return ""
    where = place(blocked[0]) if len({place(task) for task in blocked}) == 1 else ""
    tasks = "a task" if len(blocked) == 1 else f"{len(blocked)} tasks"
    return f" for {tasks}{where} blocked on dependences"


def each_at_its_place(threads: Iterable[At]) -> str:
    """Name threads that are blocked outside of OpenMP, those at one place together."""
    alike: dict[object, list[At]] = {}
    for thread in threads:
        alike.setdefault(doing_key(thread), []).append(thread)
    return "; ".join(as_many([who(same) for same in alike.values()], "place", MOST_HELD_UP))
