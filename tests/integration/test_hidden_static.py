# SPDX-License-Identifier: Apache-2.0
"""A static variable that a task's code sees is not another function's local one of its name."""

from __future__ import annotations

import re

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_a_local_variable_of_the_region_is_not_the_tasks(runtime: str, compiler: str) -> None:
    program = binary(Build("values/hidden_static.c", compiler, "O0", runtime))
    asked = ["up", "ompd print -up level"]
    said = run_gdb(["break stop if seen == 0", "run", *asked, "continue", *asked], program)
    values = re.findall(r"^(\d+)$", said.stdout, re.MULTILINE)
    assert set(values) <= {"41"}, said
    assert len(values) + said.stderr.count("either may be meant") == 2, said
