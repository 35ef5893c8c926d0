# SPDX-License-Identifier: Apache-2.0
"""The answer of ``ompd why``, as values: what is shown as text and as JSON."""

from __future__ import annotations

from enum import Enum
from typing import Iterator, NamedTuple, Optional

from ..model import Location, Region
from .facts import Crash, Overflow
from .phrases import named, place

UNKNOWN_CODE = "?"  # in a group's "outside"
HELPER = "OpenMP helper"  # in a group's "phase"


class Verdict(str, Enum):
    """The one word that the sentence begins with."""

    CRASHED = "crashed"
    DEADLOCK = "deadlock"
    WAITING = "waiting"
    UNKNOWN = "unknown"
    IDLE = "idle"
    RUNNING = "running"


class Group(NamedTuple):
    """Threads that do the same at the same place. KIND is what they wait for, None for
    those that wait for nothing of OpenMP; ARRIVED, whether they have come to the barrier
    that others of the team wait at, None where nobody waits at one. OUTSIDE is "?" where it
    is not known whose code they are in. RUNNING tells that
    they have not been stopped, SIGNAL names the one that stopped them and ends the program.
    PHASE says of threads at a barrier what they do there but wait, or that it is complete, and of
    those of the runtime's own what they are. POLLS is what a loop of theirs reads again and
    again."""

    gdb_nums: tuple[int, ...]
    thread_nums: tuple[int, ...]
    kind: Optional[str]
    name: Optional[str]
    address: Optional[int]
    outside: Optional[str]
    location: Optional[Location]
    arrived: Optional[bool] = None
    running: bool = False
    signal: Optional[str] = None
    phase: Optional[str] = None
    polls: tuple[str, ...] = ()


class Team(NamedTuple):
    """One region's team; REGION is None for threads outside of every region. MISSING
    are the thread numbers of those that are not in this process, UNKNOWN those of threads that
    were not found, BARRIER is where those stand that
    wait for the others, None where that is not known or none do. KNOWN tells that the
    threads outside of every region are certain to be there."""

    region: Optional[Region]
    groups: tuple[Group, ...]
    missing: tuple[int, ...] = ()
    barrier: Optional[Location] = None
    known: bool = True
    unknown: tuple[int, ...] = ()


class Lock(NamedTuple):
    """A lock, critical or mutex that is waited for. SOURCE tells how HOLDERS are known:
    "runtime", "inferred" or, where nobody is, None. HOLDER_ENDED tells that the runtime
    has recorded one which is no thread of this process."""

    kind: str
    address: Optional[int]
    name: Optional[str]
    waiters: tuple[int, ...]
    holders: tuple[int, ...]
    source: Optional[str]
    held: Optional[bool]
    holder_ended: bool = False


class Step(NamedTuple):
    """One member of a cycle, what it waits for, and for whom: for each of them, or, if
    ANY, for one that is not known."""

    gdb_num: int
    what: str
    location: Optional[Location]
    waits_for: tuple[int, ...]
    any: bool = False


class Report(NamedTuple):
    """Everything that ``ompd why`` says. DETACHED are the places of tasks whose events
    nobody has fulfilled."""

    verdict: Verdict
    text: str
    teams: tuple[Team, ...]
    locks: tuple[Lock, ...]
    cycles: tuple[tuple[Step, ...], ...]
    notes: tuple[str, ...] = ()
    qualified: bool = False
    overflows: tuple[Overflow, ...] = ()
    waiting_tasks: Optional[tuple[tuple[str, int], ...]] = None
    crashes: tuple[Crash, ...] = ()
    detached: tuple[Optional[Location], ...] = ()


class WaitNode(NamedTuple):
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

    nodes: tuple[WaitNode, ...]
    edges: tuple[Edge, ...]


Wait = tuple[int, int, str, bool]  # waiter and target by GDB's numbers, what, in a cycle


def wait_graph(report: Report) -> Graph:
    """Return the graph of a report."""
    steps = {step.gdb_num for cycle in report.cycles for step in cycle}
    nodes: list[WaitNode] = []
    index: dict[int, int] = {}
    for team in report.teams:
        for group in team.groups:
            alone = [(n,) for n in group.gdb_nums if n in steps]
            rest = tuple(n for n in group.gdb_nums if n not in steps)
            for numbers in (*alone, *((rest,) if rest else ())):
                if numbers[0] not in index:
                    index.update(dict.fromkeys(numbers, len(nodes)))
                    nodes.append(WaitNode(numbers, _does(group), numbers[0] in steps))
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
