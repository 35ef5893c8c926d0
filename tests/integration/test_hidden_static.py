# SPDX-License-Identifier: Apache-2.0
"""A static variable that a task's code sees is not another function's local one of its name."""

from __future__ import annotations

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_a_local_variable_of_the_region_is_not_the_tasks(runtime: str, compiler: str) -> None:
    program = binary(Build("values/hidden_static.c", compiler, "O0", runtime))
    said = run_gdb(["break stop", "run", "up", "ompd print -up level"], program)
    assert "\n41\n" in said.stdout or "either may be meant" in said.stderr, said
