# SPDX-License-Identifier: Apache-2.0
"""Where a region and a thread's code are is not lost in deep stacks, nor to code that is inlined from
a header where the region begins."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.build import PROGRAMS, build
from support.gdb_session import EXTENSION, run_gdb
from support.runtimes import GNU

RUNTIMES = {"gcc": GNU, "clang": "19"}


def line_of(program: str, text: str) -> int:
    lines = (PROGRAMS / program).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def stopped(program: Path, function: str, *asked: str, arguments: str = "") -> list[dict[str, Any]]:
    commands = [f"source {EXTENSION}", f"break {function}", f"run {arguments}", *asked]
    said = run_gdb([f"file {program}", *commands]).stdout
    decode = json.JSONDecoder().raw_decode
    return [decode('{"schema"' + rest)[0] for rest in said.split('{"schema"')[1:]]


@pytest.mark.parametrize("opt", ["O0", "O2"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("depth", [100, 1000])
def test_a_regions_place_is_known_at_every_depth(compiler: str, opt: str, depth: int) -> None:
    program = build("deep_tasks.c", compiler, opt, RUNTIMES[compiler])
    asked = ("ompd parallel -json", "ompd tasks -json")
    regions, tasks = stopped(program, "hit", *asked, arguments=str(depth))
    (region,) = regions["regions"]
    assert region["function"] == "main"
    assert region["line"] in {
        line_of("deep_tasks.c", f"#pragma omp {of}") for of in ("parallel", "master")
    }
    functions = [task["function"] for task in tasks["tasks"] if task["kind"] == "explicit"]
    assert functions == ["descend"] * depth


def test_a_deep_stack_is_read_in_proportion_to_its_depth() -> None:
    """Each frame of it asked all those inside of it: of these calls that took more than a minute."""
    program = build("deep_calls.cpp", "clang", "O2", RUNTIMES["clang"])
    said = run_gdb(["break deepest", "run", "ompd bt -2"], program, timeout=60).stdout
    (number,) = re.findall(r"^#(\d+) main at deep_calls.cpp:\d+$", said, re.MULTILINE)
    assert int(number) > 2000 and "thread 1 of 2: main at deep_calls.cpp:" in said, said


@pytest.mark.parametrize("opt", ["O1", "O2"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_region_that_begins_with_an_inlined_function(compiler: str, opt: str) -> None:
    program = build("inlined_first.c", compiler, opt, RUNTIMES[compiler])
    asked = ("ompd threads -json", "ompd bt -json", "ompd parallel -json")
    threads, stack, regions = stopped(program, "leave", *asked)
    (region,) = regions["regions"]
    assert (region["function"], region["line"]) == (
        "main",
        line_of("inlined_first.c", "#pragma omp parallel"),
    )
    places = {each["location"]["function"] for each in threads["threads"] if each["location"]}
    assert places <= {"leave", "main", "meet_here"}
    frames = [entry["function"] for entry in stack["stack"] if entry["entry"] == "frame"]
    assert frames[:2] == ["leave", "main"]
