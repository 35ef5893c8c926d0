# SPDX-License-Identifier: Apache-2.0
"""The convenience functions where users write them: conditions, printf, display, commands.

That each answers what omp_get_* do, live, in cores and through gdbserver, is
checked with everything else at the stops of the truth programs (test_truth).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.build import build
from support.gdb_session import run_gdb
from support.runtimes import VERSIONS, stripped

NAMES = (
    "_omp_thread_num",
    "_omp_num_threads",
    "_omp_level",
    "_omp_active_level",
    "_omp_in_parallel",
    "_omp_in_explicit_task",
    "_omp_ancestor_thread_num",
    "_omp_team_size",
    "_omp_icv",
    "_omp_state",
)
# One call each, in C's words.
CALLS = tuple(
    f"${name}(" + {"_omp_icv": '"nthreads-var"'}.get(name, "1" if "_ancestor" in name else "") + ")"
    for name in NAMES
    if name != "_omp_team_size"
) + ("$_omp_team_size(1)",)


def counted(said: str) -> dict[str, int]:
    """Return the program's own counts by condition."""
    return {condition: int(count) for condition, count in re.findall(r"COUNT (.+): (\d+)", said)}


def hits(said: str) -> dict[str, int]:
    """Return how often each condition held, from what "info breakpoints" says."""
    found: dict[str, int] = {}
    for entry in re.split(r"^(?=\d+ )", said, flags=re.MULTILINE)[1:]:
        condition = re.search(r"stop only if (.+)", entry)
        times = re.search(r"already hit (\d+) time", entry)
        if condition:
            found[condition.group(1)] = int(times.group(1)) if times else 0
    return found


def conditions_of(program: Path) -> list[str]:
    return list(counted(run_gdb(["run"], program, extension=False).stdout))


@pytest.mark.parametrize("opt", ("O0", "O2"))
@pytest.mark.parametrize("compiler", ("clang", "gcc"))
def test_conditions_find_what_the_program_counts(compiler: str, opt: str, runtime: str) -> None:
    """Twice in one gdb: the second run's threads are others at the same addresses."""
    program = build("visits.c", compiler, opt, runtime)
    conditions = conditions_of(program)
    assert len(conditions) == 12
    commands = []
    for number, condition in enumerate(conditions, start=1):
        commands += [f"break visit if {condition}", f"ignore {number} 1000000"]
    done = run_gdb([*commands, "run", "info breakpoints", "run", "info breakpoints"], program)
    first, second, last = done.stdout.split("Num ")
    truth, again = counted(first), counted(second)
    assert 0 not in truth.values() and 0 not in again.values()
    assert hits(second) == truth, done.stderr
    # GDB counts anew; which thread executes a task is not the same in two runs.
    assert hits(last) == again


@pytest.mark.parametrize("limit, teams", (("8", 2), ("1", 1)))
@pytest.mark.parametrize("runtime", ("19", stripped("14")))
def test_a_league_inside_of_a_region_has_the_regions_level_and_a_team_of_its_own(
    runtime: str, limit: str, teams: int
) -> None:
    # A target region that the host executes is the only way to have one. Of one team it is
    # serialized, as with the usual max-active-levels-var.
    wrong = (
        "number != $_omp_thread_num() || size != $_omp_num_threads()"
        " || level != $_omp_level() || outside != $_omp_ancestor_thread_num(1)"
    )
    done = run_gdb(
        [
            f"break inside if {wrong}",
            "tbreak inside",
            "run",
            "python seen = gdb.execute('ompd threads -no-location', to_string=True)",
            "python print(level := gdb.parse_and_eval('level'), seen)",
            "continue",
            "info breakpoints",
        ],
        build("league_in_region.c", runtime=runtime),
        env={"KMP_TEAMS_THREAD_LIMIT": limit, "OMP_MAX_ACTIVE_LEVELS": str(teams)},
    )
    assert re.search(r"^1 ", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"^\*.* 0 of 1 < [01] of 2  1 ", done.stdout, re.MULTILINE), done.stdout
    assert "exited normally" in done.stdout and "No breakpoints" not in done.stdout, done.stdout
    assert "already hit" not in done.stdout, done.stdout


@pytest.mark.parametrize("runtime", VERSIONS)
def test_an_initial_thread_at_its_leagues_reduction_is_in_its_own_team(runtime: str) -> None:
    # The runtime has its record name the league meanwhile (__kmp_swap_teams_for_teams_reduction).
    place = "$_omp_thread_num(), $_omp_num_threads(), $_omp_level()"
    asked = ["ompd threads", "ompd why", "thread 2", f'printf "%d %d %d\\n", {place}']
    program = build("teams_reduction.c", runtime=runtime)
    said = run_gdb(["set width 0", "break stop_here", "run", *asked], program).stdout
    row = r"^    2 +\d+  0 of 1 +0 +at reduction +initial +main at teams_reduction.c:\d+$"
    assert re.search(row, said, re.MULTILINE), said
    assert "  GDB thread 2: at reduction, main at teams_reduction.c:" in said, said
    assert said.endswith("\n0 1 0\n"), said


def test_they_are_void_without_openmp() -> None:
    prints = [f"print {call}" for call in CALLS]
    program = build("visits.c")
    before = run_gdb(prints, program)
    assert before.stdout.count(" = void\n") == len(CALLS), before.stdout + before.stderr
    not_openmp = run_gdb(["break main", "run", *prints], Path("/bin/true"), extension=True)
    assert not_openmp.stdout.count(" = void\n") == len(CALLS), not_openmp.stderr
    at_start = run_gdb(["starti", *prints], program)
    assert at_start.stdout.count(" = void\n") == len(CALLS), at_start.stdout + at_start.stderr
    after = run_gdb(["run", *prints], program)
    assert after.stdout.count(" = void\n") == len(CALLS), after.stdout + after.stderr


def test_a_condition_can_ask_for_void() -> None:
    """A void compares with nothing, in GDB's own words; $_isvoid tells."""
    condition = "!$_isvoid($_omp_thread_num()) && $_omp_thread_num() == 1"
    done = run_gdb(
        [f"break visit if {condition}", "run", "print $_omp_thread_num()"], build("visits.c")
    )
    assert "$1 = 1" in done.stdout and "Error in testing" not in done.stderr, done.stderr


@pytest.mark.parametrize(
    "program, compiler, quote",
    [("nested.c", "clang", '"'), ("classes.cpp", "clang", '"'), ("fortran.f90", "gcc", "'")],
)
def test_each_way_to_use_them_in_each_language(
    program: str, compiler: str, quote: str, tmp_path: Path
) -> None:
    icv = f"$_omp_icv({quote}max-active-levels-var{quote})"
    script = tmp_path / "script.gdb"
    script.write_text(
        "set breakpoint pending on\nbreak truth_stop\ncommands\nsilent\nup 2\n"
        f'printf "<%d %s %d>\\n", $_omp_level(), $_omp_state(), {icv}\nend\nrun\n'
        "display $_omp_num_threads()\ndisplay/x $_omp_in_parallel()\ndisplay\nprint $_omp_state()\n",
        encoding="ascii",
    )
    done = run_gdb([f"source {script}"], build(program, compiler))
    said = done.stdout
    assert re.search(r"<[12] work_parallel [23]>", said), said + done.stderr
    assert re.search(r"^1: \$_omp_num_threads\(\) = [1-9]", said, re.MULTILINE), said
    assert "2: /x $_omp_in_parallel() = 0x1" in said
    assert re.search(r"= ['\"]work_parallel['\"]", said), said


def test_a_core_has_text_for_printf(tmp_path: Path) -> None:
    """GDB would call the program's malloc for another string, which a core has not."""
    program, core = build("nested.c"), tmp_path / "core"
    run_gdb(["break truth_stop", "run", f"gcore {core}"], program)
    done = run_gdb(['printf "<%s>\\n", $_omp_state()'], program, core)
    assert "<work_parallel>" in done.stdout, done.stderr


@pytest.mark.parametrize(
    "call, error",
    [
        ("$_omp_thread_num(1)", "usage: $_omp_thread_num()"),
        ("$_omp_team_size()", "usage: $_omp_team_size(LEVEL)"),
        ("$_omp_ancestor_thread_num(1, 2)", "usage: $_omp_ancestor_thread_num(LEVEL)"),
        ("$_omp_team_size(1.5)", "$_omp_team_size: LEVEL must be a whole number"),
        ('$_omp_team_size("1")', "$_omp_team_size: LEVEL must be a whole number"),
        (
            "$_omp_team_size(*(int *) 16)",
            "$_omp_team_size: LEVEL: Cannot access memory at address 0x10",
        ),
        ("$_omp_icv()", 'usage: $_omp_icv("NAME")'),
        ("$_omp_icv(1)", '$_omp_icv: "NAME" must be a string'),
        ('$_omp_icv("nthreads")', 'no ICV is called "nthreads": "ompd icvs" lists them'),
    ],
)
def test_a_mistake_is_one_line(call: str, error: str) -> None:
    done = run_gdb(["break truth_stop", "run", f"print {call}"], build("nested.c"))
    assert [line for line in done.stderr.splitlines() if line] == [error]


def test_they_are_in_the_help() -> None:
    listed = run_gdb(["help function"]).stdout
    for name in NAMES:
        said = run_gdb([f"help function {name}"]).stdout
        assert f"function {name} -- " in listed
        assert f"Usage: ${name}(" in said


def test_two_inferiors_answer_for_themselves() -> None:
    """Each at a stop of its own: one three levels deep, one before its first region."""
    nested, visits = build("nested.c"), build("visits.c")
    done = run_gdb(
        [
            "set schedule-multiple off",
            "break truth_stop",
            "run",
            "continue",
            "add-inferior -exec " + str(visits),
            "inferior 2",
            "break visit if $_omp_level() == 2 && $_omp_thread_num() == 2",
            "run",
            "print $_omp_level()",
            "print $_omp_num_threads()",
            "inferior 1",
            "print $_omp_level()",
            "print $_omp_num_threads()",
        ],
        nested,
    )
    values = re.findall(r"^\$\d+ = (.+)", done.stdout, flags=re.MULTILINE)
    assert values == ["2", "3", "3", "2"], done.stdout + done.stderr


def test_the_level_is_the_one_that_the_stop_says(runtime: str) -> None:
    """Also outside of regions, and at the event of a nested region that begins."""
    asked = ["break main", "run", "next", "ompd icvs levels-var active-levels-var team-size-var"]
    asked += ["ompd break parallel-begin", "continue", "continue"]
    asked += ["print $_omp_level()", "print $_omp_thread_num()"]
    said = run_gdb(asked, build("nested.c", "clang", "O0", runtime)).stdout
    icvs = dict(re.findall(r"^  (\S+-var) +(\d+)$", said, flags=re.MULTILINE))
    assert icvs == {"levels-var": "0", "active-levels-var": "0", "team-size-var": "1"}
    assert re.findall(r"region begins at .* level (\d)", said) == ["1", "2"]
    assert re.findall(r"^\$\d = (\d)", said, flags=re.MULTILINE) == ["2", "0"]
