# SPDX-License-Identifier: Apache-2.0
"""The leagues of ``teams`` constructs as regions around those of their teams."""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from . import Region, RegionKind, Snapshot, Thread, place_in
from .stacks import Mark

# The construct whose initial task a thread executes, None where that is not known.
PlaceOf = Callable[[int], Optional[Mark]]
# A thread's thread-limit-var, None where that is not known or is no limit.
LimitOf = Callable[[int], Optional[int]]


def with_leagues(snapshot: Snapshot, place_of: PlaceOf, limit_of: LimitOf) -> Snapshot:
    """Return SNAPSHOT with a region for each league, its teams' regions inside of it. It is placed
    by the first known thread that executes a team: GCC's runtime has one thread execute all."""
    leagues = _leagues(snapshot)
    if not leagues:
        return snapshot
    regions, threads = list(snapshot.regions), list(snapshot.threads)
    made: list[Region] = []
    for number, teams in enumerate(leagues.values(), len(regions) + 1):
        first = next(iter(teams.values()))
        initial = tuple(
            teams[team].gdb_num if team in teams else None for team in range(first.num_teams or 0)
        )
        known = next((number for number in initial if number is not None), None)
        around = snapshot.nest(first)[len(snapshot.in_league(first)) :]
        parent = around[0].id if around else None
        spot = None if known is None else place_of(known)
        made.append(
            Region(
                id=number,
                parallel_id=-number,
                parent=parent,
                level=first.league_level,
                active_level=around[0].active_level if around else 0,
                team_size=first.num_teams,
                serialized=False,
                threads=initial,
                kind=RegionKind.TEAMS,
                thread_limit=None if known is None else limit_of(known),
                **place_in(spot),
            )
        )
        begun = {each.id for one in teams.values() for each in snapshot.in_league(one)[-1:]}
        regions = [
            each._replace(parent=number) if each.id in begun and each.parent == parent else each
            for each in regions
        ]
        threads = [
            each._replace(region=number)
            if each.gdb_num in initial and each.region == parent
            else each
            for each in threads
        ]
    return snapshot._replace(threads=tuple(threads), regions=(*made, *regions))


def _leagues(snapshot: Snapshot) -> dict[int, dict[int, Thread]]:
    """Return by league the initial threads of its teams, by team number."""
    by_number = {thread.gdb_num: thread for thread in snapshot.threads}
    found: dict[int, dict[int, Thread]] = {}
    for thread in snapshot.threads:
        if not thread.league or thread.team_num is None or not thread.num_teams:
            continue
        outermost: Sequence[Region] = snapshot.in_league(thread)[-1:]
        primary = outermost[0].threads[0] if outermost and outermost[0].threads else None
        initial = thread if not outermost else by_number.get(primary or 0)
        if initial is not None:
            found.setdefault(thread.league, {})[thread.team_num] = initial
    return found
