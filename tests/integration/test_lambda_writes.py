# SPDX-License-Identifier: Apache-2.0
"""A variable that a lambda changes through a reference has not its first value for ever."""

from __future__ import annotations

import re

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb


@pytest.mark.parametrize("opt", ["O0", "O1", "O2"])
@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_what_a_lambda_has_changed_is_not_said_to_be_as_it_was(compiler: str, opt: str) -> None:
    program = binary(Build("values/lambda_writes.cpp", compiler, opt))
    asked = ["up", "ompd print -up seen"]
    commands = ["break stop if said == 1", "run", *asked, "continue", *asked]
    commands += ["delete", "tbreak made_later", "continue"]
    commands += ["break stop if said == 1", "continue", *asked]
    said = run_gdb(commands, program).stdout
    values = re.findall(r"\n(\d+)\nseen of", said)
    assert set(values) <= {"1"}, said
    if opt == "O0":
        assert len(values) == 3, said
