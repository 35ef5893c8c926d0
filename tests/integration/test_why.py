# SPDX-License-Identifier: Apache-2.0
"""`ompd why` names the cause and the line of each hang, and no hang where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.hangs import HEALTHY, HUNG, Document, ask, built, expected, hung, running

STOPS = 6


def _is_right(answer: Document, name: str) -> bool:
    """Tell whether verdict, lines and members are what the source says."""
    wanted = expected(name)
    told = {line for line in wanted.lines if f"{name}.c:{line}" in answer["text"]}
    if answer["verdict"] not in wanted.verdicts:
        return False
    if answer["verdict"] == "deadlock":
        return told == wanted.lines and bool(answer["cycles"])
    return bool(told) and not answer["cycles"]


def test_there_are_enough_programs() -> None:
    assert len(HUNG) >= 12
    assert len(HEALTHY) >= 12


@pytest.mark.parametrize("name", HUNG)
def test_the_cause_of_a_hang_is_named(name: str, opt: str, runtime: str, tmp_path: Path) -> None:
    program = built(name, opt, runtime, tmp_path)
    with running(program) as pid:
        (answer,) = hung(program, pid)
    assert _is_right(answer, name), answer["shown"]


@pytest.mark.parametrize("name", ["barrier_in_critical", "lock_not_released", "master_in_read"])
def test_a_core_tells_the_same(name: str, runtime: str, tmp_path: Path) -> None:
    program = built(name, "O0", runtime, tmp_path)
    with running(program) as pid:
        live, core = hung(program, pid, tmp_path / "core")
    assert _is_right(core, name), core["shown"]
    assert core["text"] == live["text"]


@pytest.mark.parametrize("name", HEALTHY)
def test_a_busy_program_is_no_deadlock(name: str, opt: str, runtime: str, tmp_path: Path) -> None:
    program = built(f"healthy/{name}", opt, runtime, tmp_path)
    with running(program) as pid:
        answers = ask(program, pid, STOPS)
    wrong = [a["shown"] for a in answers if a["verdict"] == "deadlock" or a["cycles"]]
    assert not wrong, "\n".join(wrong)
    assert all(answer["teams"] for answer in answers)
