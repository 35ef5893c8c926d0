# SPDX-License-Identifier: Apache-2.0
"""Event breakpoints stop once for each region and task, as the program counts them."""

from __future__ import annotations

import re

import pytest
from support.build import Build
from support.events import PROGRAM, events, hits, line_of

REGIONS = ("regions_of_solve", "regions_of_others", "leagues", "teams")
TASKS = ("tasks_of_update", "tasks_of_others", "iterations")


@pytest.fixture(name="what", scope="module")
def fixture_what(compiler: str, opt: str, runtime: str) -> Build:
    """The program, as each compiler makes it for each runtime."""
    return Build(PROGRAM, compiler, opt, runtime)


def total(counted: dict[str, int], names: tuple[str, ...]) -> int:
    found = sum(counted[name] for name in names)
    assert found > 0
    return found


def test_one_hit_for_each_region_and_task(what: Build) -> None:
    wanted = ["parallel-begin", "parallel-end", "task-begin", "task-end"]
    found, counted = hits(what, [f"ompd break {event}" for event in wanted])
    regions, tasks = total(counted, REGIONS), total(counted, TASKS)
    assert found == [regions, regions, tasks, tasks]
    # "task if(0)" is executed at once, without an event, and so not among them.
    assert counted["undeferred_tasks"] == 1


def test_a_location_is_the_constructs(what: Build) -> None:
    places = ["parallel-begin solve", "task-begin update", "task-end update", "task-begin loop"]
    found, counted = hits(what, [f"ompd break {place}" for place in places])
    update = total(counted, ("tasks_of_update",))
    assert found == [total(counted, ("regions_of_solve",)), update, update, counted["iterations"]]


def test_a_location_at_the_end(compiler: str, runtime: str) -> None:
    what = Build(PROGRAM, compiler, "O0", runtime)
    found, counted = hits(what, ["ompd break parallel-end solve", "ompd break parallel-end nest"])
    assert found == [counted["regions_of_solve"], 7]  # three outer regions, and 2 + 1 + 1


def test_an_end_without_a_frame_is_nowhere_else(compiler: str, runtime: str) -> None:
    """Optimised, a body may end with a jump to the runtime: then the end's construct is
    not always known, and never taken for another."""
    what = Build(PROGRAM, compiler, "O2", runtime)
    found, counted = hits(what, ["ompd break parallel-end solve", "ompd break parallel-end loop"])
    assert 3 <= found[0] <= counted["regions_of_solve"]
    assert found[1] == 1


def test_a_region_that_the_systems_code_has_led_to(what: Build) -> None:
    """Its function may have left no frame, and then none of the program's is around it."""
    places = ["parallel-begin", "parallel-end", "parallel-begin before_main"]
    found, counted = hits(what, [f"ompd break {place}" for place in places], "b")
    assert counted["regions_before_main"] == 1
    assert found == [1, 1, 1]


def test_a_league_has_its_events_and_each_of_its_teams(runtime: str) -> None:
    line = line_of("omp teams num_teams(2) thread_limit(2)")
    wanted = [f"parallel-begin events.c:{line}", f"parallel-end events.c:{line}"]
    wanted.append(f"parallel-begin events.c:{line + 4}")
    found, counted = hits(
        Build(PROGRAM, "clang", "O0", runtime), [f"ompd break {each}" for each in wanted], "m"
    )
    assert (counted["leagues"], counted["teams"]) == (1, 2)
    assert found == [3, 3, 2]


def test_a_league_and_its_teams_are_told_apart(runtime: str) -> None:
    what = Build(PROGRAM, "clang", "O0", runtime)
    line = line_of("omp teams num_teams(2) thread_limit(2)")
    stops = ["ompd break parallel-begin league", "ompd break parallel-end league", "run m"]
    said = events(what, [*stops, *["continue"] * 9]).stdout
    place = f"at events.c:{line} in league"
    for verb in ("begins", "ends"):
        assert len(re.findall(f"^OpenMP league of teams {verb} {place}, 2 teams$", said, re.M)) == 1
        assert len(re.findall(f"^OpenMP team of a league {verb} {place}", said, re.M)) == 2
        inner = rf"^OpenMP parallel region {verb} at events.c:{line + 4} in league, 2 threads"
        assert len(re.findall(inner, said, re.M)) == 2


def test_a_team_of_one_thread_is_no_region(runtime: str) -> None:
    what = Build(PROGRAM, "clang", "O0", runtime)
    place = f"at events.c:{line_of('omp teams num_teams(2) thread_limit(1)')} in league_of_ones"
    stops = ["ompd break parallel-begin", "ompd break parallel-end", "run o"]
    said = events(what, [*stops, *["continue"] * 5]).stdout
    for verb in ("begins", "ends"):
        teams = re.findall(f"^OpenMP team of a league {verb} {place}, 1 thread$", said, re.M)
        assert len(teams) == 2, said
    assert "OpenMP parallel region" not in said


def test_an_untied_task_begins_once_for_each_part(runtime: str) -> None:
    found, counted = hits(
        Build(PROGRAM, "clang", "O0", runtime), ["ompd break task-begin make_untied"], "u"
    )
    # The first part of clang's code only has the task scheduled: no code of the user's.
    assert found == [counted["untied_parts"] + 1]


def test_gcc_makes_one_part_of_an_untied_task(runtime: str) -> None:
    found, _ = hits(
        Build(PROGRAM, "gcc", "O0", runtime), ["ompd break task-begin make_untied"], "u"
    )
    assert found == [1]
