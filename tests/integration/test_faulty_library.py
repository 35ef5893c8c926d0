# SPDX-License-Identifier: Apache-2.0
"""A real libompd behind a shim that does every wrong thing: gdb and the answers survive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.build import build
from support.gdb_session import run_gdb
from support.shim import BUGS, told_by

# A reader that finds the runtime's records destroyed, and how often it looked.
DESTROYED = """
import gdb
from gdb_ompd.errors import OmpdToolError
from gdb_ompd.host.runtimes.provider import Provider
looked = []
def view(*_):
    looked.append(1)
    raise OmpdToolError("destroyed")
Provider.read_into = view
for command in ("ompd threads", "ompd why"):
    looked.clear()
    try:
        print(gdb.execute(command, to_string=True))
    except gdb.error as error:
        print(error)
    print("LOOKED", len(looked))
"""
# What is called while the library is loaded, or when a handle goes and nobody asks.
UNASKED = ("ompd_rel_", "ompd_finalize")


@pytest.fixture(scope="module")
def told() -> Any:
    """Return what one gdb said to every command with every fault."""
    return told_by("collect")


def of(row: dict[str, Any]) -> str:
    return f"{row['command']}, {row['fault']} in {row['function']}"


def test_every_command_answers_without_a_fault(told: Any) -> None:
    for command, (said, error) in told["right"].items():
        assert said and not error, f"{command}: {error}"


def test_the_whole_interface_is_tried(told: Any) -> None:
    functions = {row["function"] for row in told["wrong"]}
    assert len(functions) >= 15, functions
    assert len(told["wrong"]) > 1000


def test_no_fault_is_a_bug_of_ours(told: Any) -> None:
    for row in told["wrong"]:
        assert row["said"] or row["error"], of(row)
        assert "\n" not in row["error"], f"{of(row)}: {row['error']}"
        assert not any(bug in row["said"] + row["error"] for bug in BUGS), f"{of(row)}: {row}"


def test_a_crash_is_one_line_that_names_the_call(told: Any) -> None:
    compared = 0
    for row in told["wrong"]:
        if "after" in row and not row["function"].startswith(UNASKED):
            compared += 1
            line = row["error"] or row["said"]
            assert row["function"] in line, f"{of(row)}: {row['error']} {row['said'][:300]}"
    assert compared > 300


def test_the_next_command_is_right_again(told: Any) -> None:
    right = told["right"]
    for row in told["wrong"]:
        if "after" in row:
            assert row["after"] == right[row["command"]], of(row)
    assert told["after"] == right


def test_of_crashed_copies_no_descriptor_is_left(told: Any) -> None:
    # GDB waits with select(), and ends itself where a descriptor is 1024 or more.
    assert told["copies left open"] == []


def test_a_loop_ends_with_the_timeout(told: Any) -> None:
    for row in told["loops"]:
        line = f"did not return from {row['function']} in the time that 'set ompd timeout' allows"
        assert line in row["error"], row
        assert row["after"][0] and not row["after"][1], row


def test_ctrl_c_ends_a_loop(told: Any) -> None:
    row = told["interrupted"]
    assert row["error"] == "interrupted", row
    assert row["after"][0] and not row["after"][1], row


def test_the_python_api_raises_its_own_errors(told: Any) -> None:
    failed: set[str] = set()
    for row in told["questions"]:
        said = row["said"]
        assert "answer" in said or "OmpdToolError" in said["bases"], of(row)
        crashes = row["fault"] != "rc:2" and not row["function"].startswith(UNASKED)
        if crashes:
            assert said.get("bases", [""])[0] == "LibraryFailed", f"{of(row)}: {said}"
            assert row["function"] in said["error"], f"{of(row)}: {said}"
            failed.add(row["command"])
    assert len(failed) == len({row["command"] for row in told["questions"]}) >= 8, failed


def test_the_next_question_is_right_again(told: Any) -> None:
    for row in told["questions"]:
        assert "answer" in row["right"] and row["after"] == row["right"], of(row)


def test_what_cannot_be_read_is_looked_at_once_by_a_command(tmp_path: Path) -> None:
    script = tmp_path / "destroyed.py"
    script.write_text(DESTROYED, encoding="ascii")
    # At the program's end all workers are idle, as far as their stacks show it: of each the
    # runtime is asked whether it is in a region.
    done = run_gdb(["start", "break exit", "continue", f"source {script}"], build("task_regions.c"))
    assert done.stdout.count("destroyed") == 2, done.stdout
    assert done.stdout.count("LOOKED 1\n") == 2, done.stdout
    # glibc's own table has it with a version.
    assert "GDB thread 1: in exit\n" in done.stdout, done.stdout


def test_a_library_that_failed_is_not_asked_again_by_the_same_command(told: Any) -> None:
    asked = told["in_one_command"]
    assert asked["first"]["bases"][0] == "LibraryFailed", asked
    assert asked["second"] == asked["first"] and asked["called"] == [], asked
    assert "answer" in asked["next"], asked
