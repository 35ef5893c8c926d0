# SPDX-License-Identifier: Apache-2.0
"""Which threads can never go on: the deadlocked part of a wait-for graph.

A thread that needs each of several others is stuck as soon as one of them is. One that needs any of
several is stuck when all of them are (the AND-OR model of deadlock: E. Knapp, Deadlock detection in
distributed databases, 1987).
"""

from __future__ import annotations

from typing import AbstractSet, Mapping, NamedTuple, Optional, Sequence


class Needs(NamedTuple):
    """What a blocked thread waits for."""

    all: frozenset[int] = frozenset()  # threads that must each do something
    any: frozenset[int] = frozenset()  # those of which one must
    certain: bool = True  # else no more than a guess may follow
    never: bool = False  # what is waited for nobody is there to do
    likely: frozenset[int] = frozenset()  # those of ANY of which it seems to be one
    holders: frozenset[int] = frozenset()  # those of ANY whose part it is
    # Who waits, as one of ANY, where that can do nothing. One set serves all who wait for the same,
    # for a set each takes the square of their number.
    waiter: Optional[int] = None

    @property
    def others(self) -> frozenset[int]:
        """Those of ANY that can do something."""
        return self.any if self.waiter is None else self.any - {self.waiter}

    @property
    def targets(self) -> frozenset[int]:
        """Every thread that is waited for."""
        return self.all | (self.likely & self.others or self.others)


def stuck(needs: Mapping[int, Needs]) -> frozenset[int]:
    """Return the threads that cannot go on whatever the others do. A thread that is
    no key of NEEDS can go on."""
    found = {
        thread for thread, need in needs.items() if need.certain and (need.targets or need.never)
    }
    while True:
        free = {thread for thread in found if not _is_stuck(needs[thread], found)}
        if not free:
            return frozenset(found)
        found -= free


def _is_stuck(need: Needs, found: set[int]) -> bool:
    return need.never or bool(need.all & found) or (bool(need.any) and need.any <= found)


def cycles(needs: Mapping[int, Needs], members: AbstractSet[int]) -> list[tuple[int, ...]]:
    """Return the knots of the stuck threads, MEMBERS, each sorted: those that wait for each
    other, not those that only wait for one of them."""
    edges = {thread: needs[thread].targets & members for thread in members}
    found: list[tuple[int, ...]] = []
    seen: set[int] = set()
    for thread in sorted(members):
        if thread not in seen:
            knot = _knot(thread, edges)
            seen |= knot
            found += [tuple(sorted(knot))] if knot else []
    return found


def _knot(start: int, edges: Mapping[int, AbstractSet[int]]) -> frozenset[int]:
    """Return what can be reached from START that leads back to it."""
    left = set(_reachable(start, edges))
    fresh = {start} & left
    found = set(fresh)
    while fresh:
        left -= fresh
        fresh = {thread for thread in left if not edges[thread].isdisjoint(fresh)}
        found |= fresh
    return frozenset(found)


def sinks(needs: Mapping[int, Needs], threads: Sequence[int]) -> frozenset[int]:
    """Return the threads that wait for nobody and that some of THREADS wait for,
    directly or through others."""
    edges = {thread: need.targets for thread, need in needs.items()}
    reached = {other for thread in threads for other in _reachable(thread, edges)}
    return frozenset({thread for thread in reached if not edges.get(thread)})


def _reachable(start: int, edges: Mapping[int, AbstractSet[int]]) -> frozenset[int]:
    """Return what can be reached from START; START itself only through a cycle."""
    found: set[int] = set()
    todo = [start]
    while todo:
        fresh = edges.get(todo.pop(), frozenset()) - found
        found |= fresh
        todo.extend(fresh)
    return frozenset(found)
