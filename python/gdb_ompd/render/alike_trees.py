# SPDX-License-Identifier: Apache-2.0
"""Trees of stacks that differ only in the numbers of threads and regions, as one: of nested regions
each member of the outer team may have begun one."""

from __future__ import annotations

from itertools import chain
from typing import Callable, Hashable, NamedTuple, Optional, Sequence

from ..model import Region, place_key
from ..model.stacks import Member, Node, Place, Tree
from . import folding

Looks = dict[int, int]  # by region: the same number for all that look alike


class Shown(NamedTuple):
    """One TREE, or several that are alike, with the REGIONS that they are of, and with the nested
    regions that the threads of each node are in."""

    tree: Tree
    regions: tuple[Region, ...]
    inner: tuple[tuple[int, ...], ...]


def each(trees: Sequence[Tree]) -> list[Shown]:
    """Return every one of TREES."""
    return [Shown(tree, _regions([tree]), tuple(map(_inner, tree.nodes))) for tree in trees]


def folded(trees: Sequence[Tree], words: Callable[[Place], Hashable]) -> list[Shown]:
    """Return TREES, parents before children, those that are alike as one. WORDS are those for a
    place."""
    looks: Looks = {}
    known: dict[Hashable, int] = {}
    for tree in reversed(trees):  # inner ones first: one looks like another if what is in it does
        if tree.region is not None:
            looks[tree.region.id] = known.setdefault(_look(tree, looks, words), len(known))
    same = folding.groups(trees, lambda t: (looks[t.region.id] if t.region else None, t.known))
    return [_as_one(alike, looks) for alike in same]


def _look_of(region: int, looks: Looks) -> int:
    """Return the number for how a region looks, one of its own for one without a tree."""
    return looks.get(region, -region)


def _look(tree: Tree, looks: Looks, words: Callable[[Place], Hashable]) -> Hashable:
    """Return all that is shown of a region's tree but for its numbers."""
    region = tree.region
    assert region is not None

    def what(place: Place) -> Hashable:
        return words(place) if place.region is None else _look_of(place.region, looks)

    return (
        (region.level, region.active_level, region.team_size, region.serialized, region.kind),
        (place_key(region), region.runtime, region.starting, region.absent),
        tuple((what(n.place), _numbers(n.members), n.parent) for n in tree.nodes),
        (_numbers(tree.missing), _numbers(tree.unplaced), tree.unknown, tree.known),
        tuple((code, _numbers(members)) for code, members in tree.lost),
    )


def _numbers(members: Sequence[Member]) -> tuple[Optional[int], ...]:
    return tuple(member.thread_num for member in members)


def _regions(trees: Sequence[Tree]) -> tuple[Region, ...]:
    return tuple(tree.region for tree in trees if tree.region is not None)


def _inner(node: Node) -> tuple[int, ...]:
    return () if node.place.region is None else (node.place.region,)


def _members(found: Sequence[tuple[Member, ...]]) -> tuple[Member, ...]:
    return tuple(chain.from_iterable(found))


def _as_one(alike: Sequence[Tree], looks: Looks) -> Shown:
    """Return trees that are alike as one, and in it the nodes of alike regions."""
    nodes: list[Node] = []
    inner: list[tuple[int, ...]] = []
    places: dict[Hashable, int] = {}  # of nodes with a nested region, which have none below them
    moved: list[int] = []
    for same in zip(*(tree.nodes for tree in alike)):
        one = same[0]
        parent = None if one.parent is None else moved[one.parent]
        members, regions = _members([node.members for node in same]), tuple(map(_inner, same))
        key = None if one.place.region is None else (parent, _look_of(one.place.region, looks))
        number = places.setdefault(key, len(nodes)) if key is not None else len(nodes)
        moved.append(number)
        if number == len(nodes):
            nodes.append(Node(one.place, members, parent))
            inner.append(tuple(chain.from_iterable(regions)))
        else:
            nodes[number] = nodes[number]._replace(members=(*nodes[number].members, *members))
            inner[number] = (*inner[number], *chain.from_iterable(regions))
    first = alike[0]
    tree = first._replace(
        nodes=tuple(nodes),
        missing=_members([tree.missing for tree in alike]),
        unplaced=_members([tree.unplaced for tree in alike]),
        lost=tuple(
            (code, _members([tree.lost[number][1] for tree in alike]))
            for number, (code, _) in enumerate(first.lost)
        ),
    )
    return Shown(tree, _regions(alike), tuple(inner))
