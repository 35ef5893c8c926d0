# SPDX-License-Identifier: Apache-2.0
"""Many stops of one program: where its threads were, and where their time went."""

from __future__ import annotations

import re
from enum import Enum
from typing import Container, Iterable, Mapping, NamedTuple, Optional, Sequence

from ..model import OMP_KINDS, Region
from ..model.cpus import Used
from ..model.stacks import Member, Place, Tree
from . import cpus
from .facts import Facts
from .needs import POOL
from .phrases import function_name, place as spot
from .report import Group, Report, Verdict
from .wait_graph import wait_graph

MUCH = 0.3  # of the time: worth a word
IDLE = frozenset(kind.value for kind in POOL)


class Spent(str, Enum):
    """What a thread does with its time. WAITING is asleep, KERNEL asleep in the user's own calls,
    DELAYED ready while other threads have the CPU."""

    WORKING = "working"
    SPINNING = "spinning"
    WAITING = "waiting"
    KERNEL = "in the kernel"
    DELAYED = "without a CPU"


class Branch(NamedTuple):
    """A PLACE on so many STACKS, DEPTH constructs and frames from the outermost one, whose threads
    used so many NANOSECONDS of processor time. Where a tree begins it is a construct, REGION with
    its own place, None for threads in none."""

    depth: int
    place: Optional[Place]
    region: Optional[Region]
    stacks: int
    nanoseconds: int = 0


class Sampled(NamedTuple):
    """All samples. WAITS are sentences with how often each was true, the most frequent first, NOTES
    what makes the program slow, alike. SPENT are the seconds of the threads that are not idle, TEXT
    says where most of them go. ENDED says why there are fewer samples than wanted."""

    samples: int
    seconds: float
    stacks: int
    branches: tuple[Branch, ...]
    waits: tuple[tuple[str, int], ...]
    ended: Optional[str] = None
    nanoseconds: int = 0
    spent: tuple[tuple[Spent, float], ...] = ()
    text: Optional[str] = None
    notes: tuple[tuple[str, int], ...] = ()


class _Node:
    """A place while samples are added."""

    def __init__(self) -> None:
        self.stacks, self.nanoseconds = 0, 0
        self.inner: dict[tuple[Optional[Place], Optional[Region]], _Node] = {}

    def at(
        self, place: Optional[Place], region: Optional[Region], stacks: int, nanoseconds: int
    ) -> "_Node":
        """Add stacks to what is at PLACE inside."""
        node = self.inner.setdefault((place, region), _Node())
        node.stacks += stacks
        node.nanoseconds += nanoseconds
        return node


class Samples:
    """Takes one sample after the other."""

    def __init__(self) -> None:
        self._root = _Node()
        self._waits: dict[str, int] = {}
        self._waited: dict[str, float] = {}  # seconds
        self._worked: dict[str, float] = {}
        self._spent = dict.fromkeys(Spent, 0.0)
        self._notes: dict[str, tuple[str, int]] = {}
        self._crowded = 0  # samples at which threads had too few CPUs
        self._stuck = 0  # samples of a deadlock
        self.count = 0

    def add(
        self, trees: Sequence[Tree], report: Optional[Report], facts: Optional[Facts], ran: float
    ) -> None:
        """Add a stop, before which the program RAN for so many seconds."""
        self.count += 1
        used = {each.gdb_num: each for each in facts.used} if facts is not None else {}
        self._add_trees(trees, used)
        if report is None or facts is None:
            return
        members = {thread.gdb_num for thread in facts.threads if thread.is_omp}
        self._add_times(report, members, used, ran)
        self._add_waits(report, used, ran)
        self._stuck += report.verdict is Verdict.DEADLOCK
        if report.verdict in (Verdict.RUNNING, Verdict.WAITING):
            crowded = tuple(cpus.notes(facts))
            self._crowded += bool(crowded)
            uneven = cpus.imbalance(facts) if facts.used else ()  # of what was sampled alone
            for note in (*crowded, *uneven, *cpus.rejected(facts)):
                key = re.sub(r"[\d.,-]+", "", note)
                self._notes[key] = (note, self._notes.get(key, ("", 0))[1] + 1)

    def _add_trees(self, trees: Sequence[Tree], used: Mapping[int, Used]) -> None:
        def run(members: Iterable[Member]) -> int:
            return sum(used[each.gdb_num].run for each in members if each.gdb_num in used)

        for tree in trees:
            own = [m for node in tree.nodes if node.parent is None for m in node.members]
            top = self._root.at(None, _construct(tree.region), len(own), run(own))
            made: list[_Node] = []
            for node in tree.nodes:
                around = top if node.parent is None else made[node.parent]
                members = node.members
                made.append(around.at(_place(node.place), None, len(members), run(members)))

    def _add_times(
        self, report: Report, members: Container[int], used: Mapping[int, Used], ran: float
    ) -> None:
        """Add what MEMBERS, the threads of OpenMP, did, those that are not idle."""
        groups = [group for team in report.teams for group in team.groups]
        for group in (each for each in groups if each.kind not in IDLE):
            waits = group.kind is not None or bool(group.polls)
            for number in filter(members.__contains__, group.gdb_nums):
                times = used.get(number)
                run = ran if times is None and not waits else (times.run if times else 0) / 1e9
                delayed = times.delayed / 1e9 if times else 0.0
                self._spent[Spent.SPINNING if waits else Spent.WORKING] += run
                self._spent[Spent.WAITING if waits else Spent.KERNEL] += max(ran - run - delayed, 0)
                self._spent[Spent.DELAYED] += delayed
                if not waits:
                    where = _where(group)
                    self._worked[where] = self._worked.get(where, 0) + run

    def _add_waits(self, report: Report, used: Mapping[int, Used], ran: float) -> None:
        graph = wait_graph(report)
        seen: dict[str, float] = {}
        for edge in graph.edges:
            waiter, target = graph.nodes[edge.waiter], graph.nodes[edge.target]
            said = f"{waiter.what}{waiter.spot} -> {target.what}{target.spot}"
            delayed = sum(used[n].delayed for n in waiter.gdb_nums if n in used) / 1e9
            seen[said] = seen.get(said, 0) + max(len(waiter.gdb_nums) * ran - delayed, 0)
        for said, seconds in seen.items():
            self._waits[said] = self._waits.get(said, 0) + 1
            self._waited[said] = self._waited.get(said, 0) + seconds

    def sampled(self, seconds: float, ended: Optional[str]) -> Sampled:
        """Return what was seen."""
        branches: list[Branch] = []
        left = [(key, node, 0) for key, node in _often_last(self._root)]
        while left:
            (place, region), node, depth = left.pop()
            branches.append(Branch(depth, place, region, node.stacks, node.nanoseconds))
            left += [(key, inner, depth + 1) for key, inner in _often_last(node)]
        waits = sorted(self._waits.items(), key=lambda each: -each[1])
        tops = self._root.inner.values()
        spent = tuple((what, round(time, 3)) for what, time in self._spent.items() if time > 0)
        return Sampled(
            self.count,
            seconds,
            sum(node.stacks for node in tops),
            tuple(branches),
            tuple(waits),
            ended,
            sum(node.nanoseconds for node in tops),
            spent,
            self._text(),
            tuple(sorted(self._notes.values(), key=lambda each: -each[1])),
        )

    def _text(self) -> Optional[str]:
        """Say where most of the time goes, and what to look at."""
        total = sum(self._spent.values())
        if total <= 0:
            return None
        share = {what: time / total for what, time in self._spent.items()}
        parts = sorted(share.items(), key=lambda each: -each[1])
        listed = ", ".join(f"{100 * p:.0f} % {w.value}" for w, p in parts if p >= 0.005)
        return f"The threads' time: {listed}. {self._look(share)}."

    def _look(self, share: Mapping[Spent, float]) -> str:
        if self._stuck == self.count:
            return "It is a deadlock: 'ompd why' says who waits for whom"
        worked = max(self._worked, key=self._worked.__getitem__, default="")
        waiting = share[Spent.SPINNING] + share[Spent.WAITING]
        most = max(waiting, share[Spent.DELAYED], share[Spent.KERNEL], share[Spent.WORKING])
        is_crowded = self._crowded * 2 >= self.count
        if is_crowded and share[Spent.DELAYED] >= MUCH:
            return "They take turns at too few CPUs, as 'ompd places' shows"
        if most == share[Spent.DELAYED]:
            return "They wait for CPUs that others have, maybe other programs ('ompd places', top)"
        if most == waiting and self._waited:
            return f"Most of the waiting: {max(self._waited, key=self._waited.__getitem__)}"
        if most == share[Spent.KERNEL] and worked:
            return f"Look at what they wait for in the kernel, most {worked}"
        if most == waiting:
            return "They wait for each other, and none of them was seen to be late"
        return f"Most work is {worked}" if worked else "Nobody works"


def _where(group: Group) -> str:
    """Say where a thread works: "in relax at heat.c:32"."""
    location = group.location
    name = None if location is None else function_name(location.innermost or location)
    at = spot(location)
    return at.strip() if name is None or at.startswith(" in ") else f"in {name}{at}"


def _often_last(node: _Node) -> list[tuple[tuple[Optional[Place], Optional[Region]], _Node]]:
    return sorted(node.inner.items(), key=lambda item: item[1].stacks)


def _place(place: Place) -> Place:
    """Return a place without what is of one stop, and of one kind of thread."""
    if place.region is not None:
        return place._replace(region=0)
    if place.doing is not None and place.doing.kind in OMP_KINDS:
        return place._replace(doing=place.doing._replace(kind=None))
    return place._replace(pc=None)


def _construct(region: Optional[Region]) -> Optional[Region]:
    """Return a region without what is another in each of its instances."""
    if region is None:
        return None
    return region._replace(id=0, parallel_id=0, parent=None, threads=(), doubts=())
