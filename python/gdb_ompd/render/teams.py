# SPDX-License-Identifier: Apache-2.0
"""Who is in which region: the members of teams, found once for a snapshot."""

from __future__ import annotations

from itertools import repeat
from operator import attrgetter
from typing import Iterator, NamedTuple, Optional, Sequence

from ..model import Region, RegionKind, Snapshot, Thread, WaitsFor
from ..model.waits import Kind
from .folding import keyed_groups

# What is said in the place of a thread that its team has yet to get.
NOT_BEGUN = Thread(0, 0, 0, waits_for=WaitsFor(Kind.NOT_BEGUN.value))


class TeamPlace(NamedTuple):
    """The place of THREAD_NUM in a team, and who fills it, if that is known.

    INNER is the region, next within the team's own, that the thread is in now. ABSENT tells that
    no thread of the process fills it.
    """

    thread_num: int
    gdb_num: Optional[int]
    thread: Optional[Thread]
    inner: Optional[Region]
    absent: bool = False


def _is_around(parent: Region, region: Region) -> bool:
    """Tell whether PARENT comes first: no chain of parents can come back to itself then.
    Levels grow inwards, and so do the numbers of regions where a level is not known. A league has
    the level of the region around it."""
    if parent.level is None or region.level is None:
        return parent.id < region.id
    is_league = region.kind is RegionKind.TEAMS and parent.kind is not RegionKind.TEAMS
    return parent.level < region.level + is_league


class Teams:
    """Regions, their members and the regions nested in them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._regions = {region.id: region for region in snapshot.regions}
        self._parents: dict[int, Region] = {}
        self._children: dict[int, list[Region]] = {}
        self.roots: list[Region] = []
        for region in snapshot.regions:
            parent = self._region(region.parent)
            if parent is not None and _is_around(parent, region):
                self._parents[region.id] = parent
                self._children.setdefault(parent.id, []).append(region)
            else:
                self.roots.append(region)
        self._threads = snapshot.threads
        self._by_number: Optional[dict[Optional[int], list[Thread]]] = None
        # By region, then GDB's number.
        self._inside: dict[int, dict[int, tuple[Thread, Optional[Region]]]] = {}
        for some in keyed_groups(self._threads, map(attrgetter("region"), self._threads)):
            inner: Optional[Region] = None
            for region in self.nest(some[0]):
                inside = self._inside.setdefault(region.id, {})
                inside.update(zip(map(attrgetter("gdb_num"), some), zip(some, repeat(inner))))
                inner = region
        self._members = {region.id: self._find_members(region) for region in snapshot.regions}

    def nest(self, thread: Thread) -> Iterator[Region]:
        """Yield the regions THREAD is in, innermost first."""
        region = self._region(thread.region)
        while region is not None:
            yield region
            region = self._parents.get(region.id)

    def children(self, region: Region) -> Sequence[Region]:
        """Return the regions nested directly in REGION."""
        return self._children.get(region.id, ())

    def outermost_first(self) -> list[Region]:
        """Return every region after the one it is nested in."""
        found = list(self.roots)
        for region in found:
            found.extend(self.children(region))
        return found

    def outer_first(self) -> Iterator[tuple[Region, int]]:
        """Yield every region and how deep it is nested, before those that are nested in it."""
        left = [(root, 0) for root in reversed(self.roots)]
        while left:
            region, depth = left.pop()
            yield region, depth
            left += [(inner, depth + 1) for inner in reversed(self.children(region))]

    def members(self, region: Region) -> Sequence[TeamPlace]:
        """Return REGION's team in the order of the thread numbers."""
        return self._members[region.id]

    def inferior(self, region: Region) -> Optional[int]:
        """Return the number of the inferior that REGION belongs to."""
        threads = (member.thread for member in self.members(region))
        return next((thread.inferior for thread in threads if thread), None)

    def _region(self, region_id: Optional[int]) -> Optional[Region]:
        return None if region_id is None else self._regions.get(region_id)

    def _find_members(self, region: Region) -> list[TeamPlace]:
        inside, new = self._inside.get(region.id, {}), tuple.__new__
        absent = {thread.thread_num for thread in region.absent}
        return [
            new(TeamPlace, (thread_num, gdb_num, *inside[gdb_num], False))
            if gdb_num in inside
            else TeamPlace(thread_num, None, None, None, True)
            if thread_num in absent
            else TeamPlace(thread_num, None, NOT_BEGUN, None)
            if gdb_num is None and region.starting
            else self._outside(thread_num, gdb_num)
            for thread_num, gdb_num in enumerate(region.threads)
        ]

    def _outside(self, thread_num: int, gdb_num: Optional[int]) -> TeamPlace:
        """Return a member that is in no nest, as an unreadable thread is: its number will do
        where it is one thread's only."""
        if self._by_number is None:
            same = keyed_groups(self._threads, map(attrgetter("gdb_num"), self._threads))
            self._by_number = {some[0].gdb_num: some for some in same}
        threads = self._by_number.get(gdb_num, [])
        return TeamPlace(thread_num, gdb_num, threads[0] if len(threads) == 1 else None, None)
