# SPDX-License-Identifier: Apache-2.0
"""Why a team has as many threads as it has, of every rule, live, saved and in a core file."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU, stripped

PROGRAM = "team_sizes.c"
BUILDS = {
    "gcc -O0": Build(PROGRAM, "gcc", "O0", GNU),
    "gcc -O2": Build(PROGRAM, "gcc", "O2", GNU),
    "clang -O0": Build(PROGRAM, "clang", "O0", stripped("14")),
    "clang -O2": Build(PROGRAM, "clang", "O2", stripped("14")),
}
# At each stop: what the program says the reason is, what is said, and the same of the saved stop.
TELL = """
import json
import subprocess
def tell(path):
    for _ in range(20):
        if not gdb.selected_inferior().threads():
            break
        gdb.execute(f'ompd save {path}', to_string=True)
        reason = gdb.execute('printf "%s", reason', to_string=True)
        say = lambda more: json.loads(gdb.execute('ompd parallel -json' + more, to_string=True))
        live, kept = say('')['regions'], say(f' -from {path}')['regions']
        print('SIZE ' + json.dumps([reason, live[0]['why'], kept == live]))
        gdb.execute('continue', to_string=True)
"""
FOUR = {"OMP_NUM_THREADS": "4"}
Why = Mapping[str, Any]


def said(
    build: Build, env: Mapping[str, str], path: Path, *arguments: str
) -> list[tuple[str, Why]]:
    """Return at each stop the program's reason, and what "ompd parallel" says."""
    helper = path / "tell.py"
    helper.write_text(TELL, "utf-8")
    asked = ["set confirm off", "break alone", f"run {' '.join(arguments)}", f"source {helper}"]
    done = run_gdb([*asked, f"python tell({str(path / 'stop.json')!r})"], binary(build), env=env)
    found = [json.loads(line[5:]) for line in done.stdout.splitlines() if line[:5] == "SIZE "]
    assert all(same for _, _, same in found), done.stdout
    return [(reason, why) for reason, why, _ in found]


@pytest.mark.parametrize("build", BUILDS.values(), ids=list(BUILDS))
def test_each_rule_is_named(build: Build, tmp_path: Path) -> None:
    found = said(build, FOUR, tmp_path)
    rules = [(reason, why["rule"]) for reason, why in found]
    alike = ["if", "if", "num_threads", "num_threads", "max-active-levels-var", "call"]
    assert rules[:1] == [("set", "environment")]
    assert rules[1:7] == [(each, each) for each in alike]
    told = [rule for _, rule in rules[7:]]  # an optimising compiler does not keep the number
    assert told in (["dyn-var"], ["num_threads"], ["unknown"] if build.opt == "O2" else [])
    assert [why["notable"] for _, why in found[:7]] == [False, *[True] * 3, False, True, False]
    sure = {why["rule"] for _, why in found if why["certain"]}
    assert sure >= {"environment", "max-active-levels-var"}
    assert found[5][1]["asked"] == 4 and found[5][1]["limit"] == 1


@pytest.mark.parametrize(
    "name, env, rule, size",
    [
        ("gcc -O2", {"OMP_NUM_THREADS": "3c"}, "rejected", None),
        ("gcc -O2", {"OMP_NUM_THREADS": "3,2"}, "environment", 3),
        ("gcc -O0", {"OMP_NUM_THREADS": "3", "OMP_THREAD_LIMIT": "2"}, "thread-limit-var", 2),
        ("gcc -O0", {"OMP_NUM_THREADS": "3,"}, "rejected", None),
        ("gcc -O0", {}, "num-procs-var", None),
        ("clang -O2", {"OMP_NUM_THREADS": "0"}, "rejected", 1),
        ("clang -O2", {"OMP_NUM_THREADS": "3", "OMP_THREAD_LIMIT": "1"}, "thread-limit-var", 1),
        ("clang -O2", {"OMP_NUM_THREADS": "3,"}, "environment", 3),
        ("clang -O0", {"OMP_NUM_THREADS": "3", "KMP_ALL_THREADS": "2"}, "thread-limit-var", 2),
        ("clang -O0", {}, "num-procs-var", None),
    ],
)
def test_what_the_environment_and_the_machine_decide(
    name: str, env: Mapping[str, str], rule: str, size: Optional[int], tmp_path: Path
) -> None:
    ((reason, why),) = said(BUILDS[name], env, tmp_path, "once")
    assert (reason, why["rule"]) == ("set", rule)
    assert size is None or why["text"].startswith(f"{size} thread")
    if rule == "thread-limit-var":
        assert f'"{env[why["variable"]]}"' in why["text"] and why["variable"] != "OMP_NUM_THREADS"
    assert why["notable"] == (rule in ("rejected", "thread-limit-var"))


@pytest.mark.parametrize("name", list(BUILDS))
def test_other_teams_use_up_the_limit(name: str, tmp_path: Path) -> None:
    build = replace(BUILDS[name], program="used_up.c")
    env = {**FOUR, "OMP_THREAD_LIMIT": "6", "OMP_DYNAMIC": "false"}
    *found, (_, dynamic) = said(build, env, tmp_path)
    assert [reason for reason, _ in found] == [why["rule"] for _, why in found], found
    sizes = [why["text"].split()[0] for _, why in found]
    assert sizes == ["4", "3", "2", "1"]
    assert all(why["certain"] or why["asked"] is None for _, why in found), found
    assert [why["others"] for _, why in found] == [0, 3, 0, 5]
    assert "and other teams have 4 of these." in found[1][1]["text"]
    # Either may have decided, but no variable has set dyn-var.
    assert dynamic["rule"] in ("thread-limit-var", "dyn-var"), dynamic
    assert dynamic["rule"] != "dyn-var" or dynamic["variable"] is None


@pytest.mark.parametrize("name", list(BUILDS))
def test_who_asked_for_what_the_limit_leaves_was_not_limited(name: str, tmp_path: Path) -> None:
    build = replace(BUILDS[name], program="used_up.c")
    found = said(build, {**FOUR, "OMP_THREAD_LIMIT": "5", "OMP_DYNAMIC": "false"}, tmp_path)
    reason, why = found[2]
    # GCC with optimisation does not keep the number.
    assert why["rule"] in (reason, "unknown" if name == "gcc -O2" else reason), found
    assert why["text"].startswith("2 threads") and reason == "num_threads"


@pytest.mark.parametrize("name", list(BUILDS))
def test_the_icvs_are_those_of_the_task_that_met_the_construct(name: str, tmp_path: Path) -> None:
    program = binary(replace(BUILDS[name], program="sized_by_calls.c"))
    asked = ["break alone", "run", *["ompd parallel -all -why -json", "continue"] * 3]
    done = run_gdb(asked, program, env={"OMP_NUM_THREADS": "4,2"})
    stops = re.findall(r'(?ms)^\{"schema".*?\]\}$', done.stdout)
    found = [
        [
            (each["rule"], each["asked"], each["nthreads"], each["limit"], each["certain"])
            for each in (region["why"] for region in json.loads(stop)["regions"])
        ]
        for stop in stops
    ]
    by_call = ("call", 3, 3, None, False)
    assert found[:2] == [
        [by_call, ("environment", 2, 2, None, True)],
        [by_call, ("max-active-levels-var", 4, 4, 1, True)],
    ], done.stdout
    first, second = found[2]
    assert first == ("call", 1, 1, None, False), found
    # LLVM's runtime has one record for both: what the first had is no more there.
    unknown = ("unknown", None, None, None, False)
    assert second == (unknown if "clang" in name else first), found


@pytest.mark.parametrize("name", list(BUILDS))
def test_dyn_var_is_no_reason_where_a_clause_is_one(name: str, tmp_path: Path) -> None:
    build = replace(BUILDS[name], program="sized_dynamic.c")
    found = said(build, {"OMP_NUM_THREADS": "3,1,5", "OMP_THREAD_LIMIT": "1"}, tmp_path)
    found = [*said(build, {"OMP_NUM_THREADS": "3"}, tmp_path)[:2], *found[2:]]
    assert [(reason, why["rule"]) for reason, why in found[:2]] == [
        ("if", "if"),
        ("num_threads", "num_threads"),
    ], found
    # LLVM's runtime has one record for both levels, with the number of the next one.
    rule, asked = ("thread-limit-var", None) if "clang" in name else ("environment", 1)
    assert len(found) == 3 and (found[2][1]["rule"], found[2][1]["asked"]) == (rule, asked), found


def test_a_league_of_one_team_shares_its_record_with_a_region() -> None:
    program = binary(replace(BUILDS["clang -O0"], program="sized_in_teams.c"))
    env = {"OMP_NUM_THREADS": "1,3", "OMP_THREAD_LIMIT": "1"}
    said = run_gdb(["break stop", "run", "ompd parallel -why"], program, env=env).stdout
    assert "1 thread: " in said and "nthreads-var is 1, by" not in said, said


def test_nobody_has_asked_for_fewer_threads_than_there_are() -> None:
    program = binary(replace(BUILDS["clang -O0"], program="sized_after_region.c"))
    said = run_gdb(["break stop", "run", "ompd parallel -why"], program, env={}).stdout
    assert "2 threads: why is not known." in said, said


@pytest.mark.parametrize("value, limits", [("0", True), ("many", False)])
def test_a_limit_that_is_none_is_said_to_be_rejected(
    value: str, limits: bool, tmp_path: Path
) -> None:
    env = {**FOUR, "OMP_THREAD_LIMIT": value}
    ((_, why),) = said(BUILDS["clang -O2"], env, tmp_path, "once")
    assert ('since the runtime rejected OMP_THREAD_LIMIT="0"' in why["text"]) == limits, why


@pytest.mark.parametrize("name", list(BUILDS))
def test_functions_without_a_frame_have_asked(name: str, tmp_path: Path) -> None:
    build = replace(BUILDS[name], program="sized_through_pointer.c")
    found = said(build, FOUR, tmp_path)
    # The number that "num_threads(1)" and "if(0)" make GCC pass is the same constant.
    assert all(reason in why["rule"].split(" or ") for reason, why in found), found
    assert len(found) == 4 and found[0][1]["certain"]


@pytest.mark.parametrize("name", list(BUILDS))
def test_the_values_of_two_clauses_tell_which_it_was(name: str, tmp_path: Path) -> None:
    found = said(replace(BUILDS[name], program="sized_by_values.c"), FOUR, tmp_path)
    rules = [(reason, why["rule"]) for reason, why in found]
    assert len(rules) == 5 and rules[4] == ("num_threads", "num_threads"), rules
    # An optimising compiler does not keep the values.
    assert all(reason in rule.split(" or ") for reason, rule in rules), rules
    assert "O2" in name or all(reason == rule for reason, rule in rules), rules
    assert found[4][1]["certain"] and ("clang" in name or not found[1][1]["certain"])


@pytest.mark.parametrize("name", list(BUILDS))
def test_clauses_that_no_line_shows(name: str, tmp_path: Path) -> None:
    found = said(replace(BUILDS[name], program="sized_in_macro.c"), FOUR, tmp_path)
    assert [reason for reason, _ in found] == [why["rule"] for _, why in found], found
    assert len(found) == 3 and found[2][1]["certain"]


@pytest.mark.parametrize("name", list(BUILDS))
def test_conditions_that_no_text_tells(name: str, tmp_path: Path) -> None:
    """The dynamic linker has not yet bound what would have executed or ended a region alone."""
    program = tmp_path / "program"
    built = binary(replace(BUILDS[name], program="sized_by_branches.c"))
    subprocess.run(["strip", "-g", "-o", program, built], check=True)
    asked = ["break alone", "run", *["ompd parallel -all -why -json", "continue"] * 4]
    done = run_gdb(asked, program, env={**FOUR, "OMP_MAX_ACTIVE_LEVELS": "2"})
    stops = re.findall(r'(?ms)^\{"schema".*?\]\}$', done.stdout)
    found = [
        [(region["team_size"], region["why"]["rule"]) for region in json.loads(stop)["regions"]]
        for stop in stops
    ]
    assert found == [
        [(4, "environment")],
        [(3, "num_threads")],
        [(4, "environment")],
        [(2, "num_threads"), (1, "if")],
    ], done.stdout


def test_a_function_that_can_end_with_a_jump_and_has_not_is_no_second_region() -> None:
    build = replace(BUILDS["clang -O2"], program="sized_by_branch.c")
    done = run_gdb(["break alone", "run", "ompd parallel -why"], binary(build), env=FOUR)
    assert "1 thread: the construct's if clause is false." in done.stdout, done.stdout


def test_a_function_that_has_ended_with_a_jump_has_the_construct_and_not_its_caller() -> None:
    build = replace(BUILDS["clang -O2"], program="branch_jump.c")
    done = run_gdb(["break alone", "run", "continue", "ompd parallel"], binary(build), env=FOUR)
    assert "serialized: either at branch_jump.c:9\n" in done.stdout, done.stdout


def test_a_team_of_one_for_want_of_cpus_is_worth_a_line() -> None:
    first = min(os.sched_getaffinity(0))
    program = binary(BUILDS["gcc -O0"])
    asked = ["break alone", "run once", "ompd parallel"]
    alone = f"exec-wrapper taskset -c {first}"
    done = run_gdb([f"set {alone}", *asked], program, env={})
    assert "1 thread: nthreads-var is 1, the number of CPUs" in done.stdout, done.stdout


@pytest.mark.parametrize("construct", "012")
def test_constructs_that_share_a_call_are_told_apart(construct: str, tmp_path: Path) -> None:
    build = Build("team_ways.c", "clang", "O2", stripped("14"))
    (reason, why), *_ = said(build, FOUR, tmp_path, construct)
    assert why["rule"] == reason and why["certain"] == (reason == "environment")


def test_a_rejected_setting_is_not_listed_as_if_it_were_in_force(tmp_path: Path) -> None:
    core = tmp_path / "core"
    asked = ["ompd parallel", "ompd env", "ompd icvs nthreads-var", "ompd icvs dyn-var"]
    stop = ["set confirm off", "break alone", "run", f"generate-core-file {core}"]
    program, env = binary(BUILDS["gcc -O0"]), {"OMP_NUM_THREADS": "3c"}
    live = run_gdb([*stop, "echo ASKED\\n", *asked], program, env=env).stdout
    assert "OMP_NUM_THREADS=3c  environment, rejected by the runtime: nthreads-var is " in live
    assert live.count('The runtime rejected OMP_NUM_THREADS="3c" of the environment:') == 1
    assert 'threads: the runtime rejected OMP_NUM_THREADS="3c"; nthreads-var is ' in live
    in_core = run_gdb(["echo ASKED\\n", *asked], program, core).stdout
    assert in_core.split("ASKED\n")[1] == live.split("ASKED\n")[1]


def test_a_program_without_openmp_is_said_to_have_none(tmp_path: Path) -> None:
    source, program = tmp_path / "plain.c", tmp_path / "plain"
    source.write_text("int omp_get_max_threads(void);\nint main(void) { omp_get_max_threads(); }\n")
    subprocess.run(["gcc", "-g", source, "-lgomp", "-o", program], check=True)
    text = run_gdb(["break omp_get_max_threads", "run", "finish", "ompd parallel"], program).stdout
    assert "plain begins no region and has no outlined function: it was compiled without" in text
    with_openmp = binary(BUILDS["gcc -O0"])
    text = run_gdb(["break main", "run", "next", "ompd parallel"], with_openmp, env=FOUR).stdout
    assert "is in no parallel region" in text and "compiled without" not in text


def test_but_its_library_may_begin_some(tmp_path: Path) -> None:
    library, program = tmp_path / "libteam.so", tmp_path / "plain"
    team, plain = tmp_path / "team.c", tmp_path / "plain.c"
    team.write_text("void team(void) {\n#pragma omp parallel num_threads(3)\n    ;\n}\n")
    plain.write_text("void team(void);\nint main(void) {\n    team();\n    return 0;\n}\n")
    shared = ["-fopenmp", "-shared", "-fPIC"]
    subprocess.run(["gcc", "-g", *shared, team, "-o", library], check=True)
    subprocess.run(["gcc", "-g", plain, library, "-o", program], check=True)
    text = run_gdb(["break 4", "run", "set width 0", "ompd parallel -why"], program).stdout
    assert "plain begins no region and has no outlined function" in text
    assert text.endswith(" GDB threads 2-3 were made for regions of another file.\n"), text


@pytest.mark.parametrize("name", ["gcc -O2", "clang -O2"])
def test_a_body_that_has_ended_with_a_jump_hides_no_other_regions_call(name: str) -> None:
    program = binary(replace(BUILDS[name], program="sized_jump.c"))
    done = run_gdb(["break alone", "run", "ompd parallel -all -why -json"], program)
    regions = json.loads(done.stdout[done.stdout.index('{"schema"') :])["regions"]
    rules = {(region["level"], region["why"]["rule"]) for region in regions}
    assert rules == {(1, "num_threads"), (2, "max-active-levels-var")}, done.stdout


@pytest.mark.parametrize("name", ["gcc -O2", "clang -O2"])
def test_a_teams_constructs_body_that_has_ended_with_a_jump_began_the_region(
    name: str, tmp_path: Path
) -> None:
    ((reason, why),) = said(replace(BUILDS[name], program="sized_jump_in_teams.c"), FOUR, tmp_path)
    assert (why["rule"], why["asked"], why["limit"]) == (reason, 3, 1) and why["certain"], why


def test_a_call_around_a_target_region_has_not_asked_for_the_team_inside() -> None:
    program = binary(replace(BUILDS["gcc -O0"], program="sized_in_league.c"))
    asked = ["break stop", "run", "ompd parallel -why"]
    done = run_gdb(asked, program, env={"OMP_NUM_THREADS": "4"})
    assert "2 threads: " in done.stdout and "3 were asked for" not in done.stdout, done.stdout


@pytest.mark.parametrize("most, rule", [("4", "thread-limit-var"), ("2", "teams"), ("3", "teams")])
def test_a_limit_that_left_room_is_no_reason_in_a_league(most: str, rule: str) -> None:
    """LLVM's runtime divides what KMP_TEAMS_THREAD_LIMIT allows among the teams."""
    program = binary(replace(BUILDS["clang -O0"], program="sized_in_teams.c"))
    done = run_gdb(
        ["break stop", "run", "ompd parallel -why -json"],
        program,
        env={"OMP_NUM_THREADS": "4", "KMP_TEAMS_THREAD_LIMIT": most},
    )
    regions = json.loads(done.stdout[done.stdout.index('{"schema"') :])["regions"]
    sizes = {(r["team_size"], r["why"]["rule"]) for r in regions if r["kind"] == "parallel"}
    assert sizes == {(2 if most == "4" else 1, rule)}, done.stdout


def test_the_text_of_fortrans_directives_tells_which_clause_it_was() -> None:
    """GCC passes the same number for each, and has the construct begin where its last statement is."""
    program = binary(Build("sized_fortran.f90", "gcc", "O0", GNU))
    asked = ["break visit", "run", *["ompd parallel -json", "continue"] * 4]
    done = run_gdb(asked, program, env=FOUR)
    rules = re.findall(r'"why": \{"rule": "([^"]*)"', done.stdout)
    assert rules == ["if", "if", "num_threads", "num_threads", "if"], done.stdout
