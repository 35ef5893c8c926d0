# SPDX-License-Identifier: Apache-2.0
"""Who waits for whom, as a graph that stays small: threads that wait alike are one node."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Hashable, Iterator, Mapping, NamedTuple, Optional, Sequence

from .phrases import counted, function_name, named, place, ranges
from .report import Group, Report, UNKNOWN_CODE

MOST_NODES = 40  # more could not be read
ROUNDS = 4  # so far from the end of a chain, or from a ring's first, threads have their own nodes
WIDEST_LIST = 20  # of numbers in a node


class WaitNode(NamedTuple):
    """Threads that do WHAT at the same place, and wait for and are waited for by such as are
    alike. WHERE, "deposit at hang.c:27", and its end SPOT, " at hang.c:27", are "" if no place is
    known."""

    gdb_nums: tuple[int, ...]
    what: str
    where: str
    spot: str
    cycle: bool = False
    teams: int = 1

    @property
    def who(self) -> str:
        """Name the threads, of many how many there are."""
        if len(self.gdb_nums) == 1:
            return named(self.gdb_nums)
        count = f"{len(self.gdb_nums)} threads"
        count += f" of {self.teams} teams" if self.teams > 1 else ""
        return f"{count}: GDB {ranges(self.gdb_nums, WIDEST_LIST)}"

    @property
    def text(self) -> str:
        """Say who does what where."""
        return f"{named(self.gdb_nums)}: {self.what}{self.spot}"


class Edge(NamedTuple):
    """Threads of the node WAITER wait for such of the node TARGET; both are indices. UPWARD
    leads to a cycle from outside: a picture has the cycle on top."""

    waiter: int
    target: int
    text: str
    cycle: bool = False
    upward: bool = False


class Graph(NamedTuple):
    """Nodes without an edge are not in it. Those of a cycle come first."""

    nodes: tuple[WaitNode, ...]
    edges: tuple[Edge, ...]

    def parts(self) -> list["Graph"]:
        """Return what hangs together, each by itself."""
        part = list(range(len(self.nodes)))
        for edge in self.edges:
            old, new = sorted((part[edge.waiter], part[edge.target]), reverse=True)
            part = [new if each == old else each for each in part]
        return [self._of([n for n in range(len(part)) if part[n] == p]) for p in sorted(set(part))]

    def _of(self, numbers: Sequence[int]) -> "Graph":
        new = {old: number for number, old in enumerate(numbers)}
        edges = (edge for edge in self.edges if edge.waiter in new)
        return Graph(
            tuple(self.nodes[n] for n in numbers),
            tuple(e._replace(waiter=new[e.waiter], target=new[e.target]) for e in edges),
        )


class _Waits(NamedTuple):
    """Each of WAITERS waits for each of TARGETS, or for one of them."""

    waiters: tuple[int, ...]
    targets: tuple[int, ...]
    text: str
    cycle: bool = False

    @property
    def kind(self) -> str:
        """Return what is waited for without what is another for each thread."""
        return re.sub(r'"[^"]*"|0x[0-9a-f]+|\d+', "", self.text)


def wait_graph(report: Report) -> Graph:
    """Return the graph of a report."""
    groups: dict[int, tuple[int, Group]] = {}
    for number, team in enumerate(report.teams):
        for group in team.groups:
            for thread in group.gdb_nums:
                groups.setdefault(thread, (number, group))
    waits = [_known(each, groups) for each in _waits(report)]
    waits = [each for each in waits if each.waiters and each.targets]
    cycle = {thread for each in waits if each.cycle for thread in each.waiters}
    firsts = _firsts(waits)
    nodes: dict[int, Hashable] = {}
    for key in (_does_at, _does, _anything):
        colours: dict[int, Hashable] = {
            thread: (key(groups[thread][1]), thread in cycle, thread in firsts)
            for each in waits
            for thread in (*each.waiters, *each.targets)
        }
        nodes = _refined(colours, waits)
        if len(set(nodes.values())) <= MOST_NODES:
            break
    return _drawn(nodes, waits, groups, cycle)


def _known(waits: _Waits, groups: Mapping[int, object]) -> _Waits:
    waiters, targets = (tuple(t for t in ts if t in groups) for ts in (waits[0], waits[1]))
    return waits._replace(waiters=waiters, targets=targets)


def _waits(report: Report) -> Iterator[_Waits]:
    for cycle in report.cycles:
        for step in cycle:
            any_of = ", of one of these" if step.any and step.waits_for[1:] else ""
            yield _Waits((step.gdb_num,), step.waits_for, f"{step.what}{any_of}", True)
    for lock in report.locks:
        what = f'{lock.kind} "{lock.name}"' if lock.name else lock.kind
        yield from (_Waits((waiter,), lock.holders, what) for waiter in lock.waiters)
    for team in report.teams:
        late = tuple(n for group in team.groups if group.arrived is False for n in group.gdb_nums)
        for group in team.groups:
            if group.arrived:
                yield _Waits(group.gdb_nums, late, f"barrier{place(team.barrier)}")


def _firsts(waits: Sequence[_Waits]) -> set[int]:
    """Return of each ring, a cycle where each waits for one other, the thread to begin with."""
    following = {w.waiters[0]: w.targets[0] for w in waits if w.cycle and not w.targets[1:]}
    kinds = {w.waiters[0]: w.kind for w in waits if w.cycle}
    found: set[int] = set()
    seen: set[int] = set()
    for thread in sorted(following):
        ring: list[int] = []
        while thread in following and thread not in seen:
            seen.add(thread)
            ring.append(thread)
            thread = following[thread]
        if ring and thread == ring[0]:
            found.add(min(ring, key=lambda each: (kinds[each], each)))
    return found


def _refined(colours: dict[int, Hashable], waits: Sequence[_Waits]) -> dict[int, Hashable]:
    """Split the classes of COLOURS by what their members wait for and who waits for them."""
    for _ in range(ROUNDS):
        seen: dict[int, set[Hashable]] = {thread: set() for thread in colours}
        for each in waits:
            waiters, targets = (
                frozenset(colours[t] for t in ts) for ts in (each.waiters, each.targets)
            )
            for thread in each.waiters:
                seen[thread].add((each.kind, targets))
            for thread in each.targets:
                seen[thread].add((waiters, each.kind))
        numbers: dict[Hashable, int] = {}
        finer: dict[int, Hashable] = {
            thread: numbers.setdefault((colour, frozenset(seen[thread])), len(numbers))
            for thread, colour in colours.items()
        }
        if len(numbers) == len(set(colours.values())):
            break
        colours = finer
    return colours


def _drawn(
    colours: Mapping[int, Hashable],
    waits: Sequence[_Waits],
    groups: Mapping[int, tuple[int, Group]],
    cycle: set[int],
) -> Graph:
    """Make a node of each class, and an edge of all that its members wait for in another."""
    members: dict[Hashable, list[int]] = {}
    for thread in sorted(colours, key=lambda each: (each not in cycle, each)):
        members.setdefault(colours[thread], []).append(thread)
    index = {colour: number for number, colour in enumerate(members)}
    texts: dict[tuple[int, int, bool], dict[str, None]] = {}
    for each in waits:
        ends = [sorted({index[colours[t]] for t in ts}) for ts in (each.waiters, each.targets)]
        for key in ((waiter, target, each.cycle) for waiter in ends[0] for target in ends[1]):
            texts.setdefault(key, {}).setdefault(each.text)
    ends_of = {key for key in texts if key[2] or (*key[:2], True) not in texts}
    upward = _leads_to_cycle(ends_of)
    edges = (
        Edge(*key[:2], _listed(list(texts[key])), key[2], not key[2] and key[1] in upward)
        for key in texts
        if key in ends_of
    )
    return Graph(tuple(_node(m, groups, m[0] in cycle) for m in members.values()), tuple(edges))


def _leads_to_cycle(edges: set[tuple[int, int, bool]]) -> set[int]:
    """Return the nodes of cycles, and those that wait for them in the end."""
    found = {waiter for waiter, _, cycle in edges if cycle}
    while True:
        more = {waiter for waiter, target, _ in edges if target in found} - found
        if not more:
            return found
        found |= more


def _node(numbers: Sequence[int], groups: Mapping[int, tuple[int, Group]], cycle: bool) -> WaitNode:
    mine = [groups[n][1] for n in numbers]
    what = _listed([key for key, _ in groupby(sorted(set(map(_does, mine))))])
    name = {group.name for group in mine}
    if len(name) == 1 and mine[0].name and mine[0].kind:
        what = f'{what} "{mine[0].name}"'
    places = sorted({_place(group) for group in mine})
    if places[1:]:
        places = [(f"at {len(places)} places", f" at {len(places)} places")]
    teams = len({groups[n][0] for n in numbers})
    return WaitNode(tuple(sorted(numbers)), what, *places[0], cycle, teams)


def _does_at(group: Group) -> Hashable:
    return _does(group), _place(group)


def _does(group: Group) -> str:
    if group.running or group.signal:
        return group.signal or "runs"
    if group.kind is None and group.outside == UNKNOWN_CODE:
        return "in code that is not known"
    return group.kind or group.outside or "working"


def _anything(group: Group) -> Hashable:
    return None


def _place(group: Group) -> tuple[str, str]:
    """Say where a group is, with the function and without."""
    at = place(group.location)
    spot = group.location and (group.location.innermost or group.location)
    name = function_name(spot) if spot and at.startswith(" at ") else None
    return f"{name or ''}{at}".lstrip(), at


def _listed(texts: Sequence[str]) -> str:
    """Write what several threads wait for."""
    return texts[0] if len(texts) == 1 else f"{texts[0]} and {counted(len(texts) - 1, 'other')}"
