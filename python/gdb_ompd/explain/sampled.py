# SPDX-License-Identifier: Apache-2.0
"""Many stops of one program as one: where its threads are how often, and who waits for what."""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence

from ..model import OMP_KINDS, Region
from ..model.stacks import Place, Tree
from .graph import wait_graph
from .report import Report


class Branch(NamedTuple):
    """A PLACE on so many STACKS, DEPTH constructs and frames from the outermost one. Where a
    tree begins it is a construct, REGION with its own place, None for threads in none."""

    depth: int
    place: Optional[Place]
    region: Optional[Region]
    stacks: int


class Sampled(NamedTuple):
    """All samples. WAITS are sentences with how often each was true, the most frequent first,
    ENDED says why there are fewer samples than wanted."""

    samples: int
    seconds: float
    stacks: int
    branches: tuple[Branch, ...]
    waits: tuple[tuple[str, int], ...]
    ended: Optional[str] = None


class _Node:
    """A place while samples are added."""

    def __init__(self) -> None:
        self.stacks = 0
        self.inner: dict[tuple[Optional[Place], Optional[Region]], _Node] = {}

    def at(self, place: Optional[Place], region: Optional[Region], stacks: int) -> "_Node":
        """Add stacks to what is at PLACE inside."""
        node = self.inner.setdefault((place, region), _Node())
        node.stacks += stacks
        return node


class Samples:
    """Takes one sample after the other."""

    def __init__(self) -> None:
        self._root = _Node()
        self._waits: dict[str, int] = {}
        self.count = 0

    def add(self, trees: Sequence[Tree], report: Optional[Report]) -> None:
        """Add a stop."""
        self.count += 1
        for tree in trees:
            own = sum(len(node.members) for node in tree.nodes if node.parent is None)
            top = self._root.at(None, _construct(tree.region), own)
            made: list[_Node] = []
            for node in tree.nodes:
                place = _place(node.place)
                around = top if node.parent is None else made[node.parent]
                made.append(around.at(place, None, len(node.members)))
        if report is None:
            return
        graph = wait_graph(report)
        for edge in graph.edges:
            waiter, target = graph.nodes[edge.waiter].text, graph.nodes[edge.target].text
            said = f"{waiter} -> {target}"
            self._waits[said] = self._waits.get(said, 0) + 1

    def sampled(self, seconds: float, ended: Optional[str]) -> Sampled:
        """Return what was seen."""
        branches: list[Branch] = []
        left = [(key, node, 0) for key, node in _often_last(self._root)]
        while left:
            (place, region), node, depth = left.pop()
            branches.append(Branch(depth, place, region, node.stacks))
            left += [(key, inner, depth + 1) for key, inner in _often_last(node)]
        waits = sorted(self._waits.items(), key=lambda each: -each[1])
        stacks = sum(node.stacks for node in self._root.inner.values())
        return Sampled(self.count, seconds, stacks, tuple(branches), tuple(waits), ended)


def _often_last(node: _Node) -> list[tuple[tuple[Optional[Place], Optional[Region]], _Node]]:
    return sorted(node.inner.items(), key=lambda item: item[1].stacks)


def _place(place: Place) -> Place:
    """Return a place without what is of one stop, and of one kind of thread."""
    if place.region is not None:
        return place._replace(region=0)
    if place.doing is not None and place.doing.kind in OMP_KINDS:
        return place._replace(doing=place.doing._replace(kind=None))
    return place


def _construct(region: Optional[Region]) -> Optional[Region]:
    """Return a region without what is another in each of its instances."""
    if region is None:
        return None
    return region._replace(id=0, parallel_id=0, parent=None, threads=(), doubts=())
