# SPDX-License-Identifier: Apache-2.0
"""Threads in a league of teams: which team, and the league as a region."""

from __future__ import annotations

import json
import re

import pytest
from support.build import build
from support.gdb_session import run_gdb

CASES = (("clang", "14"), ("clang", "19"), ("gcc", "gnu"))
TEAMS = 3  # of each league
# Void until the runtime has started.
WRONG = "!$_isvoid($_omp_team_num()) && (team_num != $_omp_team_num() || num_teams != $_omp_num_teams())"


@pytest.mark.parametrize("compiler, runtime", CASES)
def test_numbers_are_the_programs_at_every_visit(compiler: str, runtime: str) -> None:
    program = build("leagues.c", compiler, runtime=runtime)
    # A condition asks memory as it is at each of them.
    done = run_gdb([f"break visit if {WRONG}", "run"], program)
    assert "exited normally" in done.stdout, done.stdout + done.stderr
    hits = run_gdb(["break visit", "ignore 1 1000", "run", "info breakpoints"], program).stdout
    assert int(re.findall(r"already hit (\d+) times", hits)[0]) > 12


@pytest.mark.parametrize("compiler, runtime", CASES)
def test_the_program_stops_at_leagues_alone(compiler: str, runtime: str) -> None:
    program = build("leagues.c", compiler, runtime=runtime)
    asked = ["ompd break teams-begin main", "ompd break ompd_bp_teams_end leagues.c:24", "run"]
    done = run_gdb(
        [*asked, "print $_omp_event", "continue", "print $_omp_event", "continue"], program
    )
    for verb in ("begins", "ends"):
        events = re.findall(rf"^OpenMP .* {verb} at leagues\.c:24 in main.*$", done.stdout, re.M)
        assert len(events) == 1 and events[0].startswith("OpenMP league of teams"), done.stdout
    assert '$1 = "teams-begin"\n' in done.stdout and '$2 = "teams-end"\n' in done.stdout
    assert "exited normally" in done.stdout
    elsewhere = run_gdb(["ompd break teams-begin leagues.c:27", "run"], program).stdout
    assert "OpenMP league" not in elsewhere and "exited normally" in elsewhere


@pytest.mark.parametrize("compiler, runtime", CASES)
def test_the_league_is_a_region(compiler: str, runtime: str) -> None:
    program = build("leagues.c", compiler, runtime=runtime)
    asked = ["break visit if num_teams > 1 && level == 1", "run", "ompd parallel -all"]
    asked += ["print $_omp_team_num() == team_num", "print $_omp_num_teams()"]
    done = run_gdb([*asked, "ompd parallel -json", "ompd threads -json"], program)
    assert re.search(
        r"^League of 3 teams, thread limit 4: main at leagues\.c:\d+", done.stdout, re.MULTILINE
    )
    assert "$1 = 1\n$2 = 3\n" in done.stdout
    documents = [json.loads(part) for part in re.findall(r"(?ms)^\{.*?^ ?.*?\]\}$", done.stdout)]
    regions = next(each["regions"] for each in documents if "regions" in each)
    assert [each["kind"] for each in regions] == ["parallel", "teams"]
    assert regions[0]["parent"] == regions[1]["id"]
    assert [each["thread_limit"] for each in regions] == [None, 4]


@pytest.mark.parametrize("runtime", ("14", "19"))
@pytest.mark.parametrize("teams, limit", ((1, "1"), (2, "8")))
def test_a_league_inside_of_a_region_is_in_it(teams: int, limit: str, runtime: str) -> None:
    """A target region that the host executes."""
    visit = ["ompd parallel -all -json", "thread apply all -q ompd bt"]
    said = run_gdb(
        ["break inside if size == 1 && level == 1", "run", *visit],
        build("league_in_region.c", runtime=runtime),
        env={"KMP_TEAMS_THREAD_LIMIT": limit, "OMP_MAX_ACTIVE_LEVELS": str(teams)},
    ).stdout
    regions = json.loads(re.findall(r'(?ms)^\{"schema".*?\]\}$', said)[0])["regions"]
    (outer,) = (one["id"] for one in regions if (one["kind"], one["parent"]) == ("parallel", None))
    leagues = [one for one in regions if one["kind"] == "teams"]
    assert leagues and {(one["parent"], one["level"], one["line"]) for one in leagues} == {
        (outer, 1, 18)
    }, said
    assert {one["team_size"] for one in leagues} == {teams}, said
    stacks = [re.findall(r"^--  (\w+)", part, re.M) for part in said.split("\nGDB thread ")]
    assert ["league", "target", "parallel"] in stacks, said
    assert "thread ? of" not in said, said


@pytest.mark.parametrize("compiler, runtime", (("gcc", "gnu"), ("clang", "14")))
@pytest.mark.parametrize("opt", ("O0", "O2"))
def test_a_league_in_a_target_region_has_its_own_line(
    opt: str, compiler: str, runtime: str
) -> None:
    asked = ["break visit", "run", "ompd parallel", "ompd bt"]
    env = {"KMP_TEAMS_THREAD_LIMIT": "1"}
    program = build("target_teams.c", compiler, opt, runtime)
    said = run_gdb([*asked, *["continue"] * 2, "ompd bt"], program, env=env).stdout
    size = 1 if compiler == "clang" else 2
    assert re.search(
        rf"^League of {size} teams?, thread limit 2: main at target_teams\.c:9", said, re.M
    )
    marks = [f"{kind}: main at target_teams.c:" for kind in ("league of teams", "target region")]
    assert f"--  {marks[0]}9\n" in said and f"--  {marks[1]}8\n" in said, said
    assert said.count("--  league") == 1, said


@pytest.mark.parametrize("opt", ("O0", "O2"))
def test_before_a_team_begins_its_thread_is_in_no_league(opt: str) -> None:
    program = build("target_teams.c", "gcc", opt, "gnu")
    said = run_gdb(["tbreak GOMP_teams4", "run", "ompd bt", "finish", "ompd bt"], program).stdout
    _, before, behind = said.split("GDB thread 1\n")
    assert "--  target region: " in before and "--  league" not in before, said
    assert "--  league of teams: main at target_teams.c:9\n--  target region: " in behind, said


@pytest.mark.parametrize("runtime", ("14", "19"))
def test_each_initial_thread_of_a_league_is_in_its_own_team(runtime: str) -> None:
    """They are in no region: nothing else tells them apart."""
    asked = ["break stop_here", "run", "ompd threads -json", "ompd parallel -all -json"]
    said = run_gdb(
        [*asked, "thread apply 1-3 -q print team_num", "thread apply 1-3 -q ompd bt"],
        build("league_alone.c", runtime=runtime),
    ).stdout
    rows, regions = map(json.loads, re.findall(r'(?ms)^\{"schema".*?\]\}$', said))
    own = [int(number) for number in re.findall(r"^\$\d+ = (\d)$", said, re.M)]
    assert sorted(own) == list(range(TEAMS)), said
    assert [row["team_num"] for row in rows["threads"][:TEAMS]] == own
    (league,) = regions["regions"]
    assert league["threads"] == [own.index(team) + 1 for team in range(TEAMS)]
    marks = re.findall(r"^--  (.*)$", said, re.MULTILINE)
    begun = "league of teams: main at league_alone.c:20"
    assert sorted(marks) == [begun, *[f"{begun}; begun by GDB thread 1"] * (TEAMS - 1)], said
