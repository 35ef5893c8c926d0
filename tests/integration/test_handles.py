# SPDX-License-Identifier: Apache-2.0
"""Listings are built from what the OMPD library's functions return: a shim counts and fails them."""

from __future__ import annotations

from typing import Any

import pytest
from support.shim import told_by

OF_THREADS = {
    "ompd_process_initialize",
    "ompd_enumerate_icvs",
    "ompd_enumerate_states",
    "ompd_get_thread_handle",
    "ompd_get_state",
    "ompd_get_curr_parallel_handle",
    "ompd_get_enclosing_parallel_handle",
    "ompd_parallel_handle_compare",
    "ompd_get_thread_in_parallel",
    "ompd_get_thread_id",
    "ompd_get_curr_task_handle",
    "ompd_get_icv_from_scope",
}
OF_REGIONS = {"ompd_get_task_in_parallel", "ompd_get_task_function"}
OF_TASKS = {
    "ompd_get_generating_task_handle",
    "ompd_get_scheduling_task_handle",
    "ompd_get_task_parallel_handle",
    "ompd_get_task_frame",
    "ompd_task_handle_compare",
}
CALLED = {
    "ompd threads -all -no-location": OF_THREADS,
    "ompd parallel -all": OF_THREADS | OF_REGIONS,
    "ompd tasks -all": OF_THREADS | OF_REGIONS | OF_TASKS,
    "ompd icvs -all": OF_THREADS | {"ompd_get_icv_string_from_scope"},
    "ompd env": {"ompd_process_initialize", "ompd_get_display_control_vars"},
    "ompd thread 1": OF_THREADS,
}


@pytest.fixture(scope="module")
def told() -> Any:
    """Return what gdb said, by command."""
    return {row["command"]: row for row in told_by("by_handles")}


@pytest.mark.parametrize("command", CALLED)
def test_a_listing_is_built_from_calls(told: Any, command: str) -> None:
    row = told[command]
    assert row["right"][0] and not row["right"][1], row["right"]
    assert CALLED[command] <= set(row["called"]), CALLED[command] - set(row["called"])


# What these do not show, though the stop that they ask about is read with it.
STATES = {"ompd_enumerate_states", "ompd_get_state"}
UNSEEN = {
    "ompd threads -all -no-location": set(),
    "ompd parallel -all": set(),
    "ompd tasks -all": STATES | {"ompd_get_task_in_parallel"},
    "ompd icvs -all": STATES,
    "ompd env": set(),
    "ompd thread 1": STATES | {"ompd_get_enclosing_parallel_handle", "ompd_get_curr_task_handle"},
}


@pytest.mark.parametrize("command", CALLED)
def test_a_function_that_fails_changes_what_is_said_and_is_named(told: Any, command: str) -> None:
    row = told[command]
    for function in CALLED[command] - UNSEEN[command]:
        said = row["failing"][function]
        assert said != row["right"], f"{command} does not need {function}"
        assert function in "".join(said), f"{function}: {said}"


@pytest.mark.parametrize("command", CALLED)
def test_no_failure_is_a_bug_of_ours(told: Any, command: str) -> None:
    for function, (said, error) in told[command]["failing"].items():
        assert said or error, function
        assert "Traceback" not in said + error and "Python" not in said + error, function
