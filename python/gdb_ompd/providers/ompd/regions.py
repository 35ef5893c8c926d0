# SPDX-License-Identifier: Apache-2.0
"""The live parallel regions of a process, each once, as a tree."""

from __future__ import annotations

from typing import Mapping, Optional

from ...model import Icv, IcvOwner, Region, Scope
from ..base import Construct
from . import icvs
from .graph import Graph, OmpThread, RegionKey, Team, innermost_region


class RegionTree:
    """Regions in the order of the tree: a parent, then its children by thread."""

    def __init__(self, graph: Graph, threads: Mapping[int, OmpThread]) -> None:
        self._graph = graph
        self._gdb_num_of = {thread.address: num for num, thread in threads.items()}
        self._teams: dict[int, Team] = {}
        innermost = {t.team.address: t.team for t in threads.values() if t.team is not None}
        for innermost_team in innermost.values():
            for team in innermost_team.chain():
                self._teams[team.address] = team
        self._ids: dict[RegionKey, int] = {}
        self._keys: list[RegionKey] = []
        self.regions: tuple[Region, ...] = ()
        self.constructs: dict[int, Construct] = {}
        self._build()

    def id_of(self, key: Optional[RegionKey]) -> Optional[int]:
        """Return a region's number in this snapshot, None outside of regions."""
        return self._ids.get(key) if key else None

    def place_of(self, number: int) -> tuple[Team, int]:
        """Return a region's team, and which of its nested levels it is."""
        key = self._keys[number - 1]
        return self._teams[key.team], key.nest

    def _build(self) -> None:
        children: dict[Optional[RegionKey], list[Team]] = {}
        for team in self._teams.values():
            if team.levels:
                children.setdefault(innermost_region(team.parent), []).append(team)
        found: list[Region] = []
        pending = self._ordered(children.get(None, []))
        while pending:
            team = pending.pop(0)
            found.extend(self._regions_of(team, len(found)))
            innermost = RegionKey(team.address, team.levels - 1)
            pending = self._ordered(children.get(innermost, [])) + pending
        self.regions = tuple(found)

    def _ordered(self, teams: list[Team]) -> list[Team]:
        return sorted(teams, key=lambda t: (t.master_tid, self._gdb_num_of.get(t.threads[0], 0)))

    def _regions_of(self, team: Team, count: int) -> list[Region]:
        found = []
        callers = self._graph.callers(team)
        threads = tuple(self._gdb_num_of.get(address) for address in team.threads)
        for nest in range(team.levels):
            key = RegionKey(team.address, nest)
            parent = RegionKey(team.address, nest - 1) if nest else innermost_region(team.parent)
            number = self._ids[key] = count + nest + 1
            self._keys.append(key)
            found.append(
                Region(
                    id=number,
                    parallel_id=key.identity,
                    parent=self.id_of(parent),
                    level=team.level - (team.levels - 1 - nest),
                    active_level=team.active_level,
                    team_size=team.nproc,
                    serialized=team.nproc == 1,
                    function=None,
                    file=None,
                    line=None,
                    threads=threads,
                )
            )
            # A serialized team keeps the function of whatever ran in it before.
            function = team.function if team.nproc > 1 else 0
            self.constructs[number] = Construct(callers[nest] or None, function or None, threads[0])
        return found

    def icv(self, icv: icvs.IcvName, number: int) -> Icv:
        """Answer a region's ICV, where libompd knows only the innermost level."""
        region = self.regions[number - 1]
        values = {
            "levels-var": region.level,
            "active-levels-var": region.active_level,
            "team-size-var": region.team_size,
        }
        owner = IcvOwner(region=number)
        return icvs.known_icv(icv.name, Scope.PARALLEL, owner, values.get(icv.name), "not known")
