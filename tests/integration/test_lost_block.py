# SPDX-License-Identifier: Apache-2.0
"""What is shared is not called private for a variable of its name in a block that is over."""

from __future__ import annotations

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb


@pytest.mark.parametrize("opt", ["O0", "O1", "O2"])
def test_a_variable_of_a_block_that_is_over_is_not_meant(runtime: str, opt: str) -> None:
    program = binary(Build("values/lost_block.c", "clang", opt, runtime))
    said = run_gdb(["break stop if place == 0", "run", "up", "ompd whatis every"], program).stdout
    assert "\nevery: shared" in said or "\nevery: unknown" in said, said
    assert "\ntype = unsigned int" in said, said
