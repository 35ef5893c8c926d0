# SPDX-License-Identifier: Apache-2.0
"""Each correction of LLVM's library is needed, by the versions that the page says.

What is shown with corrections is compared with the program's own record in test_truth; here
a correction that changes nothing on a version any more fails.
"""

from __future__ import annotations

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
