# SPDX-License-Identifier: Apache-2.0
"""The checks of a recovered layout: silent on a sound program, wherever it is
stopped, and plain about a damaged one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.build import build
from support.walk_session import ask

PROGRAMS = (
    "nested.c",
    "serialized.c",
    "tasks.c",
    "task_regions.c",
    "teams.c",
    "idle.c",
    "waiting.c",
    "worksharing.c",
    "icvs.c",
    "roots.c",
)
# Where threads enter and leave teams and tasks, and the records change.
TRANSITIONS = (
    "__kmpc_serialized_parallel",
    "__kmp_fork_call",
    "__kmp_join_call",
    "__kmpc_end_serialized_parallel",
    "__kmp_allocate_team",
    "__kmp_free_team",
    "__kmp_task_finish",
)
# More than a page for each table, record and team of a small program is no sound cost.
MOST_READS = 40


def all_sound(told: list[dict[str, Any]]) -> None:
    """Nothing is found wrong anywhere, and enough was looked at."""
    wrong = [verdict for verdict in told if verdict["violations"]]
    refused = [verdict for verdict in told if isinstance(verdict["proved"], str)]
    assert not wrong, wrong[:5]
    assert not refused, refused[:5]
    assert told and all(verdict["checked"] > 15 for verdict in told)
    assert all(verdict["proved"] > 0 for verdict in told)


@pytest.mark.parametrize("program", PROGRAMS)
def test_truth_programs_are_sound(program: str, runtime: str) -> None:
    all_sound(ask("judge_truth_stops()", build(program, runtime=runtime)))


def test_a_restless_program_is_sound_anywhere(runtime: str) -> None:
    all_sound(ask("judge_random_stops(stops=30, seed=1)", build("restless.c", runtime=runtime)))


def test_a_program_is_sound_after_every_instruction(runtime: str) -> None:
    call = f"judge_each_instruction({list(TRANSITIONS)}, 200)"
    told = ask(call, build("restless.c", runtime=runtime))
    assert len(told) == 200 * len(TRANSITIONS)
    all_sound(told)


def test_before_the_first_team_nothing_is_proved(runtime: str) -> None:
    (told,) = ask("judge_before_the_first_team()", build("nested.c", runtime=runtime))
    assert told == {"where": "start", "violations": [], "checked": 0, "proved": 0}


def test_a_core_is_judged_like_the_program(runtime: str, tmp_path: Path) -> None:
    program, core = build("nested.c", runtime=runtime), tmp_path / "core"
    first = ("break truth_stop", "run")
    live = ask("judge_here(count_reads=True)", program, first=(*first, f"gcore {core}"))
    dead = ask("judge_here(count_reads=True)", program, core=core)
    all_sound(live)
    # A core is read by longer lines than a process.
    assert all(0 < each.pop("reads") <= MOST_READS for each in (*live, *dead))
    assert dead == live


def test_what_does_not_fit_is_refused_in_one_line(runtime: str) -> None:
    told = ask("refuse_damage()", build("nested.c", runtime=runtime))
    assert told.pop("nothing") == told.pop("nothing again") > 1
    file_differs = "the runtime in memory is not the file "
    assert file_differs in told["the file"]
    assert "ompd_access__kmp_base_info_t__th_team is 64 in the program and 72" in told["the file"]
    assert file_differs in told.pop("ompd_sizeof__int")
    del told["the file"]
    assert len(told) == 6
    for name, said in told.items():
        assert isinstance(said, str) and "do not fit the program: " + name in said, (name, said)
        assert "\n" not in said and "debug symbols are needed" in said
