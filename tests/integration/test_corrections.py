# SPDX-License-Identifier: Apache-2.0
"""Each correction of LLVM's library is needed, by the versions that the page says.

What is shown with corrections is compared with the program's own record in test_truth; here
a correction that changes nothing on a version any more fails.
"""

from __future__ import annotations

import json
import re

import pytest
from support.build import Build, binary
from support.corrections import PAGE, faults, page
from support.gdb_session import run_gdb


def test_each_version_needs_what_the_page_says() -> None:
    """A correction that changes nothing on a version any more makes the page another."""
    assert page(faults()) == PAGE.read_text("utf-8")


@pytest.mark.parametrize(
    "events, said", [("on", "true  corrected (shared-tasks)"), ("off", "not available")]
)
def test_a_task_of_unknown_kind_is_not_called_an_explicit_one(
    runtime: str, events: str, said: str
) -> None:
    program = binary(Build("serialized_task.c", "clang", "O0", runtime))
    asked = [f"set ompd auto-enable {events}", "break stop_here", "run"]
    done = run_gdb([*asked, "ompd icvs implicit-task-var", "kill"], program)
    assert f"implicit-task-var  {said}\n" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    "setting", ["", "OMP_WAIT_POLICY=active", "OMP_NUM_THREADS=4,2", "OMP_PROC_BIND=close"]
)
def test_a_control_variable_has_the_value_that_the_runtime_says_or_none(
    runtime: str, setting: str
) -> None:
    """What libompd says is from before the runtime has started."""
    program = binary(Build("icvs.c", "clang", "O0", runtime))
    environment = dict([setting.split("=")] if setting else [])
    asked = ["break truth_stop", "run", "ompd env -json", "kill"]
    done = run_gdb(asked, program, env={**environment, "OMP_DISPLAY_ENV": "verbose"}, merged=True)
    runtimes_own = dict(re.findall(r"(\w+) *= *'(.*)'\s*$", done.stdout, re.MULTILINE))
    listed, _ = json.JSONDecoder().raw_decode(done.stdout[done.stdout.index('{"schema"') :])
    known = {v["name"]: v["value"] for v in listed["control_variables"] if v["value"] is not None}
    both = sorted(set(known) & set(runtimes_own) - {"OMP_DISPLAY_ENV"})
    assert len(both) > 50, done.stdout
    for name in both:
        assert known[name].lower() == runtimes_own[name].lower(), name
    unknown = {v["source"] for v in listed["control_variables"] if v["value"] is None}
    assert unknown == {"runtime's start"}
