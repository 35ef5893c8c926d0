# SPDX-License-Identifier: Apache-2.0
"""A thread that sleeps in a call of the runtime is not said to go on, whatever it waits for."""

from __future__ import annotations

import re

from support.build import build
from support.gdb_session import run_gdb
from support.runtimes import GNU

BOTH = ["set detach-on-fork off", "set schedule-multiple on", "set print thread-events off"]


def test_a_forked_process_that_waits_for_the_first_ones_threads() -> None:
    first = ["break all_but_one_have_come", "break has_forked thread 1", "break a_second_later"]
    alone = ["run", "set scheduler-locking on", "continue", "set scheduler-locking off"]
    script = [*BOTH, *first, *alone, "continue", "inferior 2", "ompd why", "kill inferiors 1 2"]
    program = build("forked_team.c", "gcc", "O0", GNU)
    said = run_gdb(script, program, env={"OMP_WAIT_POLICY": "passive"}).stdout
    assert "can go on" not in said and "working" not in said, said
    assert "Waiting for thread 0 of 3" in said and "in GOMP_parallel" in said, said
