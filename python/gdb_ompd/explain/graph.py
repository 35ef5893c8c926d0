# SPDX-License-Identifier: Apache-2.0
"""Who waits for whom, as a graph: from the report of ``ompd why``."""

from __future__ import annotations

from typing import Iterator, NamedTuple, Optional

from .phrases import named, place
from .report import Group, Report


class Node(NamedTuple):
    """Threads that do the same at one place. In a CYCLE each is alone."""

    gdb_nums: tuple[int, ...]
    text: str
    cycle: bool = False


class Edge(NamedTuple):
    """The node WAITER waits for the node TARGET; both are indices."""

    waiter: int
    target: int
    text: str
    cycle: bool = False


class Graph(NamedTuple):
    """Nodes without an edge are left out."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


Wait = tuple[int, int, str, bool]  # waiter and target by GDB's numbers, what, in a cycle


def wait_graph(report: Report) -> Graph:
    """Return the graph of a report."""
    steps = {step.gdb_num for cycle in report.cycles for step in cycle}
    nodes: list[Node] = []
    index: dict[int, int] = {}
    for team in report.teams:
        for group in team.groups:
            alone = [(n,) for n in group.gdb_nums if n in steps]
            rest = tuple(n for n in group.gdb_nums if n not in steps)
            for numbers in (*alone, *((rest,) if rest else ())):
                if numbers[0] not in index:
                    index.update(dict.fromkeys(numbers, len(nodes)))
                    nodes.append(Node(numbers, _does(group), numbers[0] in steps))
    edges: dict[tuple[int, int], Edge] = {}
    for waiter, target, text, cycle in _waits(report):
        if waiter in index and target in index:
            key = index[waiter], index[target]
            if cycle or key not in edges and key[0] != key[1]:
                edges[key] = Edge(*key, text, cycle)
    used = sorted({end for key in edges for end in key}, key=lambda n: not nodes[n].cycle)
    new = {old: number for number, old in enumerate(used)}
    return Graph(
        tuple(nodes[old] for old in used),
        tuple(e._replace(waiter=new[e.waiter], target=new[e.target]) for e in edges.values()),
    )


def _waits(report: Report) -> Iterator[Wait]:
    for cycle in report.cycles:
        for step in cycle:
            yield from ((step.gdb_num, target, step.what, True) for target in step.waits_for)
    for lock in report.locks:
        what = f'{lock.kind} "{lock.name}"' if lock.name else lock.kind
        for waiter in lock.waiters:
            yield from ((waiter, holder, what, False) for holder in lock.holders)
    for team in report.teams:
        late = [group for group in team.groups if group.arrived is False]
        for group in team.groups:
            # One of each stands for all that do the same.
            for other in late if group.arrived else ():
                where = f"barrier{place(team.barrier)}"
                yield from ((n, other.gdb_nums[0], where, False) for n in group.gdb_nums[:1])


def _does(group: Group) -> str:
    """Say who does what where."""
    what: Optional[str] = group.signal or group.kind or group.outside
    if group.running:
        what = "runs"
    name = f' "{group.name}"' if group.name else ""
    return f"{named(group.gdb_nums)}: {what or 'working'}{name}{place(group.location)}"
