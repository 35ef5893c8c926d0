# SPDX-License-Identifier: Apache-2.0
"""The league of a ``teams`` construct is a region around those of its teams."""

from __future__ import annotations

from gdb_ompd.model import Region, RegionKind, Snapshot, Thread
from gdb_ompd.model.leagues import with_leagues
from gdb_ompd.model.stacks import Construct, Mark
from gdb_ompd.render import json_document
from gdb_ompd.render.parallel import tree

CONSTRUCT = Mark(Construct.LEAGUE, 1, "main", "t.c", 9)


def thread(gdb_num: int, team: int, number: int, region: int | None, teams: int = 2) -> Thread:
    league = 0 if teams == 1 else 0x1000
    level = 0 if region is None else 1
    return Thread(
        1, gdb_num, 100 + gdb_num, thread_num=number, level=level, region=region,
        state="work_parallel", team_num=team, num_teams=teams, league=league,
    )  # fmt: skip


def region(number: int, *threads: int) -> Region:
    return Region(number, number, None, 1, 1, 2, False, "main", "t.c", 11, threads)


def test_the_regions_of_its_teams_are_inside() -> None:
    threads = (thread(1, 0, 0, 1), thread(2, 1, 0, None), thread(3, 0, 1, 1))
    found = with_leagues(
        Snapshot(threads, (region(1, 1, 3),)), lambda number: CONSTRUCT, lambda number: 8
    )
    league, inner = found.regions
    assert (league.kind, league.team_size, league.threads) == (RegionKind.TEAMS, 2, (1, 2))
    assert (league.level, league.line, inner.parent) == (0, 9, league.id)
    assert [each.region for each in found.threads] == [1, league.id, 1]
    lines = list(tree(found))
    assert lines[0] == "League of 2 teams, thread limit 8: main at t.c:9, begun by GDB thread 1"
    assert "in region 1" in lines[1] and "  Region 1  level 1, 2 threads" in lines[2]
    kinds = [row["kind"] for row in json_document.regions(found)["regions"]]
    assert kinds == ["teams", "parallel"]


def test_teams_that_are_not_executed_now_are_not_known() -> None:
    # libgomp executes the teams of a league one after another, by one thread.
    found = with_leagues(
        Snapshot((thread(1, 1, 0, None),), ()), lambda number: None, lambda number: None
    )
    assert found.regions[0].threads == (None, 1)


def test_outside_of_leagues_nothing_is_added() -> None:
    snapshot = Snapshot((thread(1, 0, 0, 1, teams=1),), (region(1, 1, 2),))
    assert with_leagues(snapshot, lambda number: CONSTRUCT, lambda number: 8) is snapshot
