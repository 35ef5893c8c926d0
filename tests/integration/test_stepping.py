# SPDX-License-Identifier: Apache-2.0
"""``ompd step``, ``ompd next`` and ``ompd finish`` lead through what the user wrote."""

from __future__ import annotations

import re

import pytest
from support.build import Build
from support.runtimes import EVERYTHING, GNU, VERSIONS
from support.stepping import PROGRAM, Place, line_of, path, places

BUILDS = [
    Build(PROGRAM, compiler, opt, runtime)
    for runtime in VERSIONS
    for compiler in ("clang", "gcc")
    for opt in ("O0", "O2")
] + [Build(PROGRAM, "gcc", opt, GNU) for opt in (("O0", "O2") if EVERYTHING else ("O2",))]

# What "ompd step" meets of each function, from its first line on.
STEPS = {
    "active": ["first", "last", "after"],
    "serialized": ["first", "last", "after"],
    "nested": ["first", "inner first", "inner last", "inner after", "after"],
    "undeferred": ["first", "last", "after"],
    "alone": ["first", "last", "after"],
    "taskloop": ["body", "after"],
    "parts": ["one", "two", "after"],
}
FUNCTIONS = {"alone": "alone_in_team"}


def to(mark: str) -> list[str]:
    """Return the commands that bring the program to a function's begin, by MARK's prefix."""
    name = mark.partition(":")[0]
    return [f"tbreak {FUNCTIONS.get(name, name)}", "run"]


def only_users(found: list[Place]) -> None:
    """Nothing of a runtime was shown, no thread changed, nothing was left behind."""
    assert {place.file for place in found} == {PROGRAM}, [str(place) for place in found]
    assert {place.thread for place in found} == {1}
    assert len({place.hidden for place in found}) == 1


# The same of constructs for which gcc's code calls more of its runtime.
OTHER_STEPS = {
    "reduced": ["body", "after"],
    "copied": ["only", "last", "after"],
    "in_turn": ["turn", "last", "turn", "last", "after"],
    "posted": ["body", "after"],
    "cancelled": ["first", "after"],
}
OTHER_BUILDS = [Build(PROGRAM, "gcc", opt, GNU) for opt in ("O0", "O2")]
CASES = [pytest.param(build, STEPS, id=str(build)) for build in BUILDS] + [
    pytest.param(build, OTHER_STEPS, id=f"{build}-others") for build in OTHER_BUILDS
]


@pytest.mark.parametrize(("build", "expected"), CASES)
def test_step_enters_each_construct_and_comes_out_after_it(
    build: Build, expected: dict[str, list[str]]
) -> None:
    commands = []
    for name in expected:
        command = "run" if not commands else "continue"
        commands += [f"tbreak {FUNCTIONS.get(name, name)}", command]
        commands += [f"repeat {line_of(f'{name}: after')} ompd step"]
    found, said = places(build, commands, env={"OMP_CANCELLATION": "true"})
    assert "Python Exception" not in said, said
    steps: dict[str, list[Place]] = {}
    name = ""
    for place in found:
        if place.command.startswith("tbreak"):
            name = list(expected)[len(steps)]
            steps[name] = []
        else:
            steps[name].append(place)
    assert {name: path(met) for name, met in steps.items()} == expected, said
    only_users([place for met in steps.values() for place in met])
    # Nor on the way, where libc's source lines are known: clang's code calls memset.
    assert "sysdeps" not in said, said
    if build.opt != "O0":
        return  # GDB's own steps lead into what is inlined
    # A body has the name of the function it is written in; those of compilers begin with a dot
    # or have one behind that name.
    named = re.findall(r"^(?:#\d+ +)?(?:0x[0-9a-f]+ in )?(\S+) \(", said, flags=re.MULTILINE)
    assert not [each for each in named if "." in each], said
    assert "active" not in expected or "\nactive [parallel region] at stepping.c" in said
    assert "undeferred" not in expected or "\nundeferred [task] at stepping.c" in said


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_step_goes_through_a_worksharing_loop(build: Build) -> None:
    found, said = places(build, [*to("loop:"), f"repeat {line_of('loop: after')} ompd step"])
    # Thread 0 has two of the four iterations, with the static schedule of both compilers.
    assert path(found) == ["body", "last", "body", "last", "after"], said
    only_users(found[1:])


@pytest.mark.parametrize("build", [each for each in BUILDS if each.opt == "O0"], ids=str)
def test_a_tasks_body_has_its_privates_where_a_step_ends(build: Build) -> None:
    steps = ["ompd step", 'printf "OWN %d\\n", own'] * 4
    found, said = places(build, ["tbreak privates", "run", "ompd next", "ompd next", *steps])
    entered = found[4:]
    assert "first" in path(entered), said
    assert set(re.findall(r"^OWN (.*)$", said, flags=re.MULTILINE)) == {"21"}, said


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_deferred_task_is_stepped_over(build: Build) -> None:
    found, said = places(build, [*to("deferred:"), f"repeat {line_of('deferred: end')} ompd step"])
    assert path(found) == ["after", "end"], said
    only_users(found[1:])


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_next_runs_each_construct(build: Build) -> None:
    names = (*STEPS, "loop")
    commands = []
    for name in names:
        commands += [*to(f"{name}:"), f"repeat {line_of(f'{name}: after')} ompd next"]
    found, said = places(build, commands)
    stepped = [place for place in found if place.command == "ompd next"]
    after = [place.mark for place in stepped if place.mark.endswith(": after")]
    assert after == [f"{name}: after" for name in names], said
    # Of newer compilers' code a breakpoint at a function may be at its opening line.
    on_the_way = {"", "before", "construct", "after"}
    assert {place.mark.partition(": ")[2] for place in stepped} <= on_the_way
    assert {(place.file, place.thread) for place in stepped} == {(PROGRAM, 1)}


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_next_at_the_last_line_comes_out_after_the_construct(build: Build) -> None:
    last, after = line_of("active: last"), line_of("active: after")
    commands = [f"break {last} if $_thread == 1", "run", "delete"]
    found, said = places(build, [*commands, f"repeat {after} ompd next"])
    assert path(found[1:]) == ["last", "after"], said
    only_users(found[1:])


@pytest.mark.parametrize("build", BUILDS, ids=str)
@pytest.mark.parametrize("command", ["ompd step", "ompd next"])
def test_a_worker_comes_out_in_the_thread_that_began_the_region(build: Build, command: str) -> None:
    commands = [f"break {line_of('nested: inner last')} if $_thread > 2", "run", "delete"]
    after = line_of("nested: inner after")
    found, said = places(build, [*commands, f"repeat {after} {command}"])
    worker = found[1].thread
    assert worker is not None and worker > 2, said
    assert path(found[1:]) == ["inner last", "inner after"], said
    assert found[-1].thread in (1, 2), said
    assert {place.file for place in found[1:]} == {PROGRAM}, said


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_what_a_worker_comes_out_to_is_named_once_with_its_place(build: Build) -> None:
    last, after = line_of("active: last"), line_of("active: after")
    commands = [f"break {last} if $_thread == 2", "run", "delete"]
    _, said = places(build, [*commands, f"repeat {after} ompd next"])
    named = re.findall(r"^(?:#0  )?active \(\).*\n.*$", said, flags=re.MULTILINE)
    (only,) = named
    assert re.search(rf" at \S+:{after}\n{after}\t", only), said


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_step_at_a_regions_begin_goes_to_its_first_statement(build: Build) -> None:
    event = ["break ompd_bp_parallel_begin", *to("active:"), "continue"]
    first = line_of("active: first")
    found, said = places(build, [*event, f"repeat {first} ompd step"])
    assert "ompd_bp_parallel_begin" in found[3].function, said
    assert [place.mark for place in found[4:]] == ["active: first"], said
    assert found[4].thread == 1


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_next_at_a_regions_begin_runs_the_region(build: Build) -> None:
    event = ["break ompd_bp_parallel_begin", *to("active:"), "continue"]
    found, said = places(build, [*event, f"repeat {line_of('active: after')} ompd next"])
    assert [place.mark for place in found[4:]] == ["active: after"], said


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_step_at_a_tasks_begin_goes_into_the_task(build: Build) -> None:
    event = ["break ompd_bp_task_begin", "run", "delete"]
    # libgomp announces a task that is not deferred, too.
    first = "undeferred: first" if build.runtime == GNU else "alone: first"
    found, said = places(build, [*event, f"repeat {line_of(first)} ompd step"])
    assert "ompd_bp_task_begin" in found[1].function, said
    assert path(found[3:]) == ["first"], said
    assert found[-1].thread == found[1].thread


# ompd finish.


def report(said: str) -> str:
    """Return the line that tells what is done."""
    (line,) = [line for line in said.splitlines() if line.startswith("OpenMP ")]
    return line


@pytest.mark.parametrize("build", BUILDS, ids=str)
@pytest.mark.parametrize("command", ["ompd finish", "ompd finish region"])
@pytest.mark.parametrize("thread", [1, 2])
def test_finish_region(build: Build, command: str, thread: int) -> None:
    commands = [f"break {line_of('active: last')} if $_thread == {thread}", "run", "delete"]
    found, said = places(build, [*commands, command])
    assert re.fullmatch(
        rf"OpenMP parallel region at {PROGRAM}:\d+ in active is done\.", report(said)
    ), said
    assert (found[-1].function, found[-1].thread, found[-1].level) == ("active", 1, 0), said
    assert found[-1].line in (line_of("active: construct"), line_of("active: after")), said
    assert found[-1].hidden == found[1].hidden


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_finish_region_of_one_thread_goes_past_its_end(build: Build) -> None:
    commands = [f"break {line_of('serialized: last')}", "run", "delete", "ompd finish region"]
    found, said = places(build, [*commands, "ompd parallel"])
    assert "OpenMP parallel region at " in said, said
    assert (found[3].function, found[3].thread) == ("serialized", 1), said
    assert "thread 1 is in no parallel region" in said.lower(), said


@pytest.mark.parametrize("build", BUILDS, ids=str)
@pytest.mark.parametrize("name", ["undeferred", "alone"])
@pytest.mark.parametrize("command", ["ompd finish", "ompd finish task"])
def test_finish_task(build: Build, name: str, command: str) -> None:
    commands = [f"break {line_of(f'{name}: first')}", "run", "delete", command]
    found, said = places(build, [*commands, f"repeat {line_of(f'{name}: after')} ompd next"])
    function = FUNCTIONS.get(name, name)
    assert re.match(r"OpenMP explicit task at .* is done\.$", report(said)), said
    assert (found[3].function, found[3].thread) == (function, 1), said
    assert path(found[3:])[0] == "after", said


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_finish_a_deferred_task(build: Build) -> None:
    found, said = places(
        build, [f"break {line_of('deferred: body')}", "run", "delete", "ompd finish task"]
    )
    assert re.match(r"OpenMP explicit task at .* is done", report(said)), said
    assert found[3].thread == found[1].thread
    if found[1].thread == 1:  # it waits at the end of the region that it began
        assert (found[3].function, found[3].level > 0) == ("deferred", True), said
    else:
        assert "executes nothing of the program's now" in report(said), said
