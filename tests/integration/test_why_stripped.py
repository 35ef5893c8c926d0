# SPDX-License-Identifier: Apache-2.0
"""`ompd why` of programs without any symbol, as distributions have them: the verdicts are those of
the same programs with their names and lines."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.hangs import HUNG, Setting, ask, is_verdict_right
from support.runtimes import EVERYTHING, GNU

SETTINGS = [
    Setting("O2", GNU, ""),
    Setting("O2", "14", "debian"),
    Setting("O0", GNU, ""),
    Setting("O0", "14", "debian"),
]
# Functions that leave no frame, tasks and what they wait for: names would tell most of it.
ALWAYS = [
    "barrier_in_tail.c",
    "critical_and_lock.c",
    "lock_in_tail.c",
    "lock_while_unwinding.cpp",
    "once_in_tail.cpp",
    "std_future.cpp",
    "tasks_in_tail.c",
]
# The task of clang's is inlined into its caller, and nothing tells whose barrier it is.
NOT_KNOWN = {("barrier_in_task.c", "O2", "14")}


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_a_hang_of_a_stripped_program(setting: Setting, tmp_path: Path) -> None:
    def stripped(path: Path) -> Path:
        target = tmp_path / path.name
        shutil.copy(path, target)
        subprocess.run(["strip", target], check=True)
        return target

    names = HUNG if EVERYTHING else [*HUNG[SETTINGS.index(setting) :: 8], *ALWAYS]
    known = sorted(
        {n for n in names if (n, setting.opt, setting.version) not in NOT_KNOWN}
        - {"locks_of_module.f90"}
    )
    answers = ask(known, setting, tmp_path, placed=stripped)
    flat = [each for found in answers.values() for each in found]
    wrong = [f"{a['name']} {a['how']}: {a['shown']}" for a in flat if not is_verdict_right(a)]
    assert wrong == []
    both = [f"{a['name']}: {each}" for a in flat for each in a.get("contradictions", ())]
    assert both == []
    assert not [a["name"] for a in flat if ", ," in a["shown"]]
    assert not [a["shown"] for a in flat if "::_M_" in a["shown"]]  # a library's own names
    bare = re.compile(r", 0x[0-9a-f]+(,|$)", re.MULTILINE)  # a place without its file
    assert not [a["shown"] for a in flat if bare.search(a["shown"])]
