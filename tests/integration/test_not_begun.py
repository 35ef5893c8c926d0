# SPDX-License-Identifier: Apache-2.0
"""A worker that was woken for a region and has not begun it is not at the region's end, nor is
a thread that ends an inner one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU, library_folder
from support.stripped import documents

INNER = Path(__file__).parents[1] / "support" / "inner_in_gdb.py"
HELPER = Path(__file__).parents[1] / "support" / "beginning_in_gdb.py"
STOPS = 40
STEPS = 120  # to the end of the region, which the primary thread waits for
HAS_COME = """gdb.parse_and_eval('$_any_caller_is("__kmp_fork_barrier", 20)')"""
RUNS = 20  # at most, until some worker has not come to the runtime yet


@pytest.mark.parametrize("symbols", ["symbols", "stripped"])
def test_workers_at_a_regions_beginning(runtime: str, symbols: str, tmp_path: Path) -> None:
    lib = library_folder(runtime, symbols, tmp_path)
    program = binary(Build("beginning.c", "clang", "O0", runtime))
    compare(program, "body", {"LD_LIBRARY_PATH": str(lib)})


def test_threads_at_the_beginning_of_a_region_of_gccs() -> None:
    """Its primary thread gathers its workers and wakes them; at the region's end they sleep where
    they do before one."""
    compare(binary(Build("beginning.c", "gcc", "O0", GNU)), "chosen", {}, STEPS)


def compare(program: Path, function: str, env: dict[str, str], steps: int = 0) -> None:
    """Hold what is said at many stops in a FUNCTION of a region's body, and at STEPS of the primary
    thread behind it, against what the program says."""
    asked = ["set confirm off", f"break {function}", "ignore 1 100", "run", f"source {HELPER}"]
    said = run_gdb([*asked, f"python compare({STOPS}, {steps})"], program, env=env).stdout
    found = json.loads(said.split("BEGINNING ", 1)[1].split("\n", 1)[0])
    at_begin = [each for each in found if each["said"] == "begin of region"]
    at_end = [each for each in found if each["said"] == "end-of-region barrier"]
    in_runtime = [each for each in found if each["said"] == "overhead"]
    print(f"{len(at_begin)} not begun, {len(at_end)} at the end, {len(in_runtime)} in the runtime")
    assert at_begin and at_end and (in_runtime or not steps)
    assert not [each for each in found if each["said"] is None]
    assert not any(each["blocked"] for each in found)
    assert not [each for each in at_begin if each["begun"]]
    assert not [each for each in at_end if not each["ended"]]
    assert all(each["waits"] and each["outside"] == (each["said"] == "overhead") for each in found)


def test_a_worker_that_has_not_come_to_the_regions_end_yet(runtime: str) -> None:
    """It has left its body, and is in the runtime's own code, in every command."""
    at_its_end = "break __kmp_join_barrier if $_thread > 1"
    asked = ["set breakpoint pending on", "set confirm off", at_its_end, "run"]
    asked += ["echo THREADS\\n", "ompd threads -json", "echo WHY\\n", "ompd why -json"]
    asked += ["python print('STOPPED', gdb.selected_thread().num)"]
    said = run_gdb(asked, binary(Build("beginning.c", "clang", "O0", runtime))).stdout
    (threads,), (why,) = (documents(said, mark) for mark in ("THREADS", "WHY"))
    stopped = int(said.split("STOPPED")[1])
    groups = [group for team in why["teams"] for group in team["groups"]]
    (row,) = (each for each in threads["threads"] if stopped == each["gdb_num"])
    (group,) = (each for each in groups if stopped in each["gdb_num"])
    assert stopped > 1 and row["state"] == "overhead", said
    assert group["outside"] == "the OpenMP runtime" and not group["arrived"], said


def test_workers_that_have_just_been_made(runtime: str) -> None:
    """The primary thread is in the program's first region; most others have not come to the
    runtime yet. What the functions say of them is what the listing says."""
    asked = ["set confirm off", "break body", "run", "echo THREADS\\n", "ompd threads -json"]
    asked += ["echo WHY\\n", "ompd why -json"]
    calls = ["$_omp_thread_num()", "$_omp_level()", '$_streq($_omp_state(), "overhead")']
    calls += ["$_omp_team_size(1)", "$_omp_in_explicit_task()"]
    for number in range(2, 9):
        asked += [f"thread {number}", *(f'printf "SAID %d\\n", {call}' for call in calls)]
    program = binary(Build("beginning.c", "clang", "O0", runtime))
    for _ in range(RUNS):
        said = run_gdb(asked, program).stdout
        (threads,), (why,) = (documents(said, mark) for mark in ("THREADS", "WHY"))
        workers = [row for row in threads["threads"] if row["gdb_num"] > 1]
        new = [row for row in workers if row["location"] is None]
        if new:
            break
    assert new
    assert {row["waits_for"] and row["waits_for"]["kind"] for row in new} == {"begin of region"}
    answers = [int(line.split()[1]) for line in said.splitlines() if line.startswith("SAID")]
    facts = [(row["thread_num"], 1, row in new, row["team_size"], 0) for row in workers]
    assert answers == [fact for each in facts for fact in each]
    assert why["verdict"] == "running", why["text"]


def test_thread_that_is_being_made() -> None:
    """Neither who makes a thread of its team nor the new one is blocked in the kernel. Those that
    it has yet to make have not begun, which is all that there is to know."""
    asked = ["set confirm off", "break main", "run", "set scheduler-locking on"]
    asked += ["catch syscall clone3", "continue", "continue", "echo WHY\\n", "ompd why -json"]
    asked += [
        "echo REGIONS\\n",
        "ompd parallel -all -json",
        "ompd parallel",
        "ompd why",
        "ompd bt -all",
    ]
    said = run_gdb(asked, binary(Build("beginning.c", "gcc", "O0", GNU))).stdout
    (why,) = documents(said, "WHY")
    assert why["verdict"] == "running"
    assert why["text"].startswith("running: GDB threads 1-2 can go on; but 'set scheduler-locking")
    assert why["teams"][0]["groups"][0]["outside"] == "GOMP_parallel"
    (regions,) = documents(said, "REGIONS")
    (region,) = regions["regions"]
    assert region["starting"] and not region["unknown"]
    # The new thread runs until gdb has stopped it: it may have come to its region's first barrier.
    known = 2 if region["threads"][1] else 1
    assert region["threads"] == [1, 2][:known] + [None] * (8 - known)
    assert why["teams"][0]["unknown"] == [*range(known, 8)]
    assert re.search(rf"^  {known}-7 +\(GDB \?\) +has not begun$", said, re.M), said
    assert re.search(rf"^  threads {known}-7: has not begun$", said, re.M), said
    assert "Not known of 1 region" not in said and "the stack ends in" not in said


@pytest.mark.parametrize("opt", ["O0", "O2"])
@pytest.mark.parametrize("runtime", [GNU, "14", "19"])
def test_regions_of_one_thread(runtime: str, opt: str) -> None:
    """A thread that is in the call which began an inner region, and out of that region already,
    is not at the end of the region around."""
    asked = ["set confirm off", "break team", "run", "delete", "catch syscall futex sched_yield"]
    asked += [f"source {INNER}", f"python compare({STOPS})"]
    said = run_gdb(asked, binary(Build("inner.c", "gcc", opt, runtime))).stdout
    wrong, seen, unplaced, differ = json.loads(said.split("INNER ", 1)[1].split("\n", 1)[0])
    assert not wrong and not unplaced and not differ
    assert seen


def test_worker_whose_id_is_not_written_down_yet(runtime: str) -> None:
    """It runs before the thread that makes it knows its id: the record is still its own."""
    asked = ["set confirm off", "break main", "run", "break __kmp_create_worker", "continue"]
    asked += ["tbreak pthread_create", "continue", "finish", "thread 2", "set scheduler-locking on"]
    asked += ["tbreak __kmp_fork_barrier", f"python if not {HAS_COME}: gdb.execute('continue')"]
    asked += ["echo THREADS\\n", "ompd threads -json"]
    asked += ['printf "SAID %d\\n", $_streq($_omp_state(), "idle")']
    said = run_gdb(asked, binary(Build("beginning.c", "clang", "O0", runtime))).stdout
    (threads,) = documents(said, "THREADS")
    (row,) = [row for row in threads["threads"] if row["gdb_num"] == 2]
    assert (row["error"], row["kind"], row["state"]) == (None, "worker", "idle")
    assert "SAID 1" in said
