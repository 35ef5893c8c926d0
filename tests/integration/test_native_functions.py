# SPDX-License-Identifier: Apache-2.0
"""All of OMPD's functions, through gdb_ompd._native, on a real process inside gdb."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.build import build
from support.gdb_session import DRIVER, GdbResult, run_gdb
from support.runtimes import ROOT

SCRIPT = ROOT / "tests" / "support" / "native_functions_in_gdb.py"
# The stop with an explicit task in a region in an explicit task in a region.
STOP = 3
# Which group of facts depends on each function's answer.
EXERCISED_BY = {
    "initialize": "whole_process",
    "get_api_version": "whole_process",
    "get_version_string": "whole_process",
    "finalize": "whole_process",
    "process_initialize": "whole_process",
    "device_initialize": "whole_process",
    "rel_address_space_handle": "lifetimes",
    "get_omp_version": "whole_process",
    "get_omp_version_string": "whole_process",
    "get_thread_in_parallel": "regions",
    "get_thread_handle": "threads",
    "rel_thread_handle": "lifetimes",
    "thread_handle_compare": "threads",
    "get_thread_id": "threads",
    "get_curr_parallel_handle": "regions",
    "get_enclosing_parallel_handle": "regions",
    "get_task_parallel_handle": "regions",
    "rel_parallel_handle": "lifetimes",
    "parallel_handle_compare": "regions",
    "get_curr_task_handle": "tasks",
    "get_generating_task_handle": "tasks",
    "get_scheduling_task_handle": "tasks",
    "get_task_in_parallel": "regions",
    "rel_task_handle": "lifetimes",
    "task_handle_compare": "tasks",
    "get_task_function": "tasks",
    "get_task_frame": "tasks",
    "enumerate_states": "whole_process",
    "get_state": "threads",
    "get_display_control_vars": "whole_process",
    "rel_display_control_vars": "whole_process",
    "enumerate_icvs": "whole_process",
    "get_icv_from_scope": "scopes",
    "get_icv_string_from_scope": "scopes",
    "get_tool_data": "tool_data_of_a_tool",
}
# How many facts each group has at the least, so that none can fall silent.
AT_LEAST = {
    "threads": 30,
    "regions": 25,
    "tasks": 25,
    "scopes": 150,
    "tool_data_of_a_tool": 3,
    "whole_process": 14,
    "lifetimes": 60,
    "memory": 20,
    "failures": 8,
}


def told(done: GdbResult, mark: str) -> Any:
    lines = [line for line in done.stdout.splitlines() if line.startswith(mark)]
    assert lines, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return json.loads(lines[0].removeprefix(mark))


@functools.lru_cache(maxsize=None)
def facts_of(runtime: str) -> Any:
    """Run the program to the stop, and return the groups of facts told there."""
    done = run_gdb(
        [f"source {DRIVER}", f"source {SCRIPT}", f"python tell_live({STOP})"],
        program=build("task_regions.c", runtime=runtime),
        env={"OMP_SCHEDULE": "guided,7"},
    )
    return told(done, "NATIVE ")


@pytest.mark.parametrize("group", AT_LEAST)
def test_answers_are_true(runtime: str, group: str) -> None:
    facts = facts_of(runtime)[group]
    wrong = [f"{what}: said {said}, truth {truth}" for what, said, truth in facts if said != truth]
    assert not wrong, "\n".join(wrong)
    assert len(facts) >= AT_LEAST[group]


def test_all_functions_are_exercised(runtime: str) -> None:
    header = (ROOT / "native" / "src" / "base" / "ompd_functions.hpp").read_text(encoding="utf-8")
    names = re.findall(r"^    X\((\w+)", header, re.MULTILINE)
    assert len(names) == len(set(names)) == 35
    assert set(EXERCISED_BY) == set(names)
    assert set(EXERCISED_BY.values()) <= set(facts_of(runtime)) == set(AT_LEAST)


def test_a_core_cannot_be_written(runtime: str, tmp_path: Path) -> None:
    program, core = build("task_regions.c", runtime=runtime), tmp_path / "core"
    made = run_gdb(
        ["break truth_stop", "run", f"gcore {core}", "kill"],
        program=program,
        env={"MALLOC_ARENA_MAX": "1", "OMP_STACKSIZE": "1M"},
    )
    assert core.exists(), made.stderr
    done = run_gdb(
        [f"source {DRIVER}", f"source {SCRIPT}", "python write_in_core()"],
        program=program,
        core=core,
    )
    answer = told(done, "CORE ")
    assert answer["said"].startswith("gdb.MemoryError: ")
    assert answer["before"] == answer["after"] == 1
