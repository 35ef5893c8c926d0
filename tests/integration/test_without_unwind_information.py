# SPDX-License-Identifier: Apache-2.0
"""Threads in code that no unwind table describes: their stacks go on where their callers can be
found, and they are in the region that the runtime tells."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.build import build
from support.gdb_session import run_gdb
from support.runtimes import GNU

BUILDS = [("gcc", "O0", GNU), ("gcc", "O2", GNU), ("clang", "O0", "14"), ("clang", "O2", "14")]
ALL_THERE = ("break all_there", "run")
MARKED = re.compile(r"^#\d+ +(?:0x\w+ in )?(\w+) .*\(found by search\)$", re.M)

Json = dict[str, Any]


@pytest.mark.parametrize("compiler, opt, runtime", BUILDS)
def test_code_tells_who_called_a_function_without_tables(
    compiler: str, opt: str, runtime: str
) -> None:
    program = build("no_tables.c", compiler, opt, runtime)
    shown = ("ompd bt", "ompd thread 1", "ompd bt -json", "thread apply all bt", "ompd bt -all")
    done = run_gdb([*ALL_THERE, *shown, "delete", "continue"], program)
    said = done.stdout
    assert (
        "do not agree" not in said
        and "not known" not in said
        and "??" not in said.split("Region 1")[1]
    )
    # Thread 0 came through both kernels, and each has a caller that only a search finds.
    first, rest = said.split("GDB thread 1\n")[1].split("\n{", 1)
    assert MARKED.findall(first) == ["aligned", "work"], first
    document: Json = json.loads("{" + rest.split("\nThread ")[0])
    searched = [
        e["function"] for e in document["stack"] if (e["frame"] or {}).get("found_by_search")
    ]
    assert searched == ["work"], document
    # GDB's own stacks come to their threads' beginnings.
    stacks = re.split(r"^Thread \d+ \(Thread", said, flags=re.M)[1:]
    outermost = [re.findall(r"^#\d+ .*?(?: in)? (?:__GI___)?(\w+) \(", s, re.M)[-1] for s in stacks]
    assert sorted(set(outermost)) == ["clone3", "main"], outermost
    assert "exited normally" in said


@pytest.mark.parametrize("compiler, opt, runtime", BUILDS)
def test_made_code_is_in_the_region_that_the_runtime_tells(
    compiler: str, opt: str, runtime: str
) -> None:
    program = build("made_code.c", compiler, opt, runtime)
    shown = ("ompd threads -json", "ompd bt -all -json", "ompd why")
    select = "python [t for t in gdb.selected_inferior().threads() if t.num == 3][0].switch()"
    done = run_gdb([*ALL_THERE, *shown, select, "ompd bt", "delete", "continue"], program)
    said = done.stdout
    listed, merged = (
        json.loads(each) for each in re.findall(r"^\{.*?^ \"notes\": .*?\}$", said, re.M | re.S)
    )
    by_num = {each["gdb_num"]: each["thread_num"] for each in listed["threads"]}
    tree = next(each for each in merged["trees"] if each["region"])
    assert tree["unplaced"] == tree["missing"] == [], tree
    (lost,) = tree["lost"].items()
    assert lost[0] == "code of no file" and sorted(by_num[n] for n in lost[1]) == [1, 3]
    work = next(each for each in tree["nodes"] if each["function"] == "work")
    assert sorted(work["thread_nums"]) == [0, 2], tree
    at = [e["innermost"] or e for e in (t["location"] for t in listed["threads"]) if e]
    assert "working, \n" not in said and re.search(r"working, 0x\w+ \(work at made_code.c", said)
    assert at
    assert "exited normally" in said


def test_a_search_that_finds_no_caller_for_certain_ends() -> None:
    program = build("lost_callers.c", "gcc", "O1", GNU)
    done = run_gdb(["run", "ompd threads", "bt", "ompd bt", "kill"], program, timeout=60)
    assert "crashed: SIGSEGV" in done.stdout and "in lost ()" in done.stdout, done.stdout
    assert "parallel region 1" in done.stdout and "internal" not in done.stderr, done.stdout


def test_the_frames_of_the_next_program_are_gdb_s(tmp_path: Path) -> None:
    source = tmp_path / "next.c"
    source.write_text("static void leaf(void) {}\nint main(void) { leaf(); return 0; }\n")
    subprocess.run(["gcc", "-g", "-O0", "-o", tmp_path / "next", source], check=True)
    first = ["set confirm off", "break truth_stop", "run", "ompd threads", "kill", "delete"]
    then = [f"file {tmp_path / 'next'}", "break leaf", "run", "bt"]
    searched = (
        "python print('SEARCHED', [u._searched for u in gdb.current_progspace().frame_unwinders])"
    )
    done = run_gdb([*first, *then, searched], build("nested.c", "gcc", "O0", GNU))
    assert "#1  0x" in done.stdout and " in main () at " in done.stdout, done.stdout
    assert "SEARCHED [{}]" in done.stdout, done.stdout


def test_what_is_inlined_at_a_functions_begin_has_called_nothing() -> None:
    asked = ["break leave", "run", "ompd bt", "backtrace"]
    said = run_gdb(asked, build("inlined_at_begin.c", "gcc", "O2", "gnu")).stdout
    assert "--  parallel region 1, level 1" in said and "found by search" not in said
    assert "0x0000000000000000 in" not in said, said
