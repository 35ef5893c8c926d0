# SPDX-License-Identifier: Apache-2.0
"""What compilers make of constructs in C++ has the user's names everywhere: functions,
methods, templates, lambdas, with reductions, tasks, and at the end of functions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU, ROOT

IN_GDB = ROOT / "tests" / "support" / "bodies_in_gdb.py"
LEVELS = ("O0", "O1", "O2")
BUILDS = [
    *(Build("bodies.cpp", compiler, opt, "19") for compiler in ("clang", "gcc") for opt in LEVELS),
    Build("bodies.cpp", "clang", "O0", "14"),
    Build("bodies.cpp", "gcc", "O2", "14"),
]
CONSTRUCTS = 15
TAIL = 12  # which of the stops is in a region that its function ends with
COMPILERS = re.compile(r"omp_outlined|\.omp|_omp_fn|omp_task_entry\.|_debug__|\?\?")

Stop = dict[str, Any]


def stops(build: Build, **env: str) -> list[Stop]:
    """Return what gdb saw at each body."""
    done = run_gdb([f"source {IN_GDB}"], binary(build), env=env)
    found = re.findall(r"^STOP (\{.*\})$", done.stdout, flags=re.MULTILINE)
    assert len(found) == CONSTRUCTS, done.stdout + done.stderr
    return [json.loads(each) for each in found]


def is_function(name: str | None, wanted: str, exactly: bool = True) -> bool:
    """Tell whether gdb's NAME is the function; not EXACTLY, whether it is its template."""
    if name is None:
        return False
    if not exactly:
        wanted, name = (re.sub("<[^<>]*>", "", each) for each in (wanted, name))
    return name == wanted or name.endswith("::" + wanted)


def assert_place(shown: dict[str, Any], stop: Stop, optimized: bool) -> None:
    """The construct is where it is; not known of one that is left with a jump, in a function
    that was called through a pointer."""
    own = stop["own"]
    gone = optimized and own["function"] == "tail" and shown["function"] is None
    assert gone or is_function(shown["function"], own["function"]), stop["text"]
    assert gone or shown["line"] == own["line"], stop["text"]


def check_stack(stop: Stop, optimized: bool) -> None:
    """The body's frame, its construct, and what began it are each there once. OPTIMIZED
    bodies and functions may have ended with a jump, and left no frame."""
    own, shown = stop["own"], stop["said"]["bt"]
    assert shown["ends"] is None, stop["text"]
    marks = [entry for entry in shown["stack"] if entry["entry"] != "frame"]
    kinds = ["task"] * own["is_task"] + ["region"] * own["level"]
    assert [mark["entry"] for mark in marks] == kinds, stop["text"]
    assert_place(marks[0], stop, optimized)
    frames = [entry for entry in shown["stack"] if entry["entry"] == "frame"]
    assert frames[-1]["function"] == "main"
    names = [frame["function"] for frame in frames]
    gone = optimized and own["function"] == "tail"
    assert gone or any(is_function(name, own["function"], exactly=False) for name in names), names


def check_region(stop: Stop, optimized: bool) -> None:
    """Every thread of the team is in the tree, and the region is said to be where it is."""
    own = stop["own"]
    (thread,) = [t for t in stop["said"]["threads"]["threads"] if t["gdb_num"] == stop["selected"]]
    assert thread["level"] == own["level"]
    (tree,) = stop["said"]["bt -team"]["trees"]
    members = {number for node in tree["nodes"] for number in node["threads"]}
    assert members == set(tree["region"]["threads"]), stop["text"]
    if not own["is_task"]:
        assert_place(tree["region"], stop, optimized)


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_bodies_have_the_users_names(build: Build) -> None:
    for number, stop in enumerate(stops(build)):
        check_stack(stop, build.opt != "O0")
        check_region(stop, build.opt != "O0")
        if number == TAIL:
            assert stop["said"]["parallel"]["regions"][0]["function"] == "tail"
        assert not COMPILERS.search(stop["text"]), stop["text"]
        assert not COMPILERS.search(json.dumps(stop["said"])), stop["own"]


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_regions_are_finished(build: Build) -> None:
    for stop in stops(build, BODIES_FINISH="1"):
        if stop["own"]["is_task"]:
            continue
        assert "is done" in stop["finish"], stop
        assert stop["level"] == stop["own"]["level"] - 1, stop["finish"]


def test_a_body_that_only_the_linker_names_has_its_function_in_all_commands() -> None:
    program = binary(Build("lost_body.c", "gcc", "O2", GNU))
    said = run_gdb(["break usleep", "run", "ompd threads -json", "ompd bt"], program).stdout
    listing, _ = json.JSONDecoder().raw_decode(said, said.index('{"schema"'))
    places = [row["location"] for row in listing["threads"] if row["location"]]
    here = {place["function"] for place in places if place["line"] == 9}
    assert here == {"loop"} and "#1  loop at lost_body.c:9" in said, said


# Clang -O2 leaves the last line of "inner", which went to "outer", outside of inner's block.
STRAY_LINE = """
from gdb_ompd.host.function_lines import LineSpan, _part

def span(name, *lines):
    made = LineSpan(name, min(lines), max(lines))
    made.lines.update(lines)
    return made

found = [
    span("inner", 10, 24, 26), span("outer", 24, 570, 588), span("between", 30, 35),
    span("later", 600, 601, 602, 651), span("last", 650, 651, 652, 660),
    span("around", 700, 730), span("lambda", 710, 720),
    span("of<int>", 800, 810, 811), span("of<char>", 801, 810, 812),
]
_part(found)
print("SPANS", [(each.first, each.last) for each in found])
"""


def test_a_stray_line_of_an_inlined_function_hides_no_function_between(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text(STRAY_LINE, encoding="utf-8")
    said = run_gdb([f"source {tmp_path / 'part.py'}"]).stdout
    parted = [(10, 26), (570, 588), (30, 35), (600, 602), (650, 660), (700, 730), (710, 720)]
    assert f"SPANS {[*parted, (800, 811), (801, 812)]}\n" in said, said


@pytest.mark.parametrize("compiler, runtime", [("gcc", GNU), ("clang", "19")])
def test_who_is_at_the_end_of_a_region_is_at_its_construct(compiler: str, runtime: str) -> None:
    program = binary(Build("region_in_tail.c", compiler, "O2", runtime))
    said = run_gdb(["break tail_stop", "run", "ompd threads -json"], program).stdout
    listing, _ = json.JSONDecoder().raw_decode(said, said.index('{"schema"'))
    (row,) = [row for row in listing["threads"] if row["level"] == 2 and row["thread_num"] == 0]
    assert row["state"] == "wait_barrier_implicit_parallel", row
    assert (row["location"]["function"], row["location"]["line"]) == ("nest", 10), row
