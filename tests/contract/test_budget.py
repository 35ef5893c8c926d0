# SPDX-License-Identifier: Apache-2.0
"""Walks over a runtime's records are under a budget: each read is a step of it."""

from __future__ import annotations

import re
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "native" / "src"
# What reads the target's memory and takes no step.
PAST_BUDGET = re.compile(
    r"(?:space_?(?:->|\.)|space\(\)\.|cache\(\)\.)read(?:_uint|_pointer|_exactly|_string)?\("
    r"|\bread_pieces\("
)
# A memory that is for no walk: its reads take no steps.
NO_WALK = re.compile(r"\bMemory\b\s*\w*[({]\s*\*?space")
# Their loops are over what they are given, and follow no pointer twice.
BOUNDED = {
    "runtimes/llvm/layout.cpp": "the published names, each once",
    "runtimes/llvm/thread_records.cpp": "the debugger's threads, each once",
    "runtimes/llvm/alone.cpp": "the record of one thread",
    "runtimes/llvm/event_reader.cpp": "what the registers of one frame point to",
    "runtimes/llvm/llvm_answers.cpp": "the environment has a budget",
    "runtimes/llvm/llvm_reader.cpp": "the record of each of the threads of the debugger",
    "runtimes/llvm/start.cpp": "variables by their names, and a list of a few libraries",
    "runtimes/llvm/records.cpp": "where the step is taken",
    "runtimes/llvm/records.hpp": "where a walk's memory is made",
    "runtimes/llvm/teams.cpp": "ancestors, up to a depth; each team once",
    "stop/waits.cpp": "the instruction that a thread is behind",
}


def sources() -> list[Path]:
    rooms = [SOURCES / "runtimes" / "llvm", SOURCES / "stop"]
    found = sorted(path for room in rooms for path in room.rglob("*.?pp"))
    assert any(path.name == "task_queues.cpp" for path in found)
    return found


def past_budget(text: str) -> list[str]:
    code = re.sub(r"//[^\n]*", "", text)
    return PAST_BUDGET.findall(code) + NO_WALK.findall(code)


def test_what_follows_records_reads_through_a_budget() -> None:
    for path in sources():
        name = path.relative_to(SOURCES).as_posix()
        found = past_budget(path.read_text(encoding="utf-8"))
        assert not found or name in BOUNDED, f"{name} reads past a budget: {found}"


def test_a_walk_past_its_budget_is_noticed() -> None:
    walk = "while (at.value != 0) { at = space.read_pointer(at); }"
    assert past_budget(walk) and past_budget("const Memory memory(space);")
    assert not past_budget("while (at.value != 0) { at = memory.pointer(at, next_); }")
