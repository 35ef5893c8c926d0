# SPDX-License-Identifier: Apache-2.0
"""Of a static variable that was optimised away it is not known whether it is threadprivate."""

from __future__ import annotations

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb


@pytest.mark.parametrize("opt, said", [("O0", "own: threadprivate"), ("O2", "own: unknown")])
def test_what_was_optimised_away_is_not_called_shared(runtime: str, opt: str, said: str) -> None:
    program = binary(Build("values/lost_static.c", "clang", opt, runtime))
    answer = run_gdb(["break stop", "run", "up", "ompd whatis own"], program).stdout
    assert f"\n{said}" in answer, answer
