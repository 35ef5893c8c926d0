# SPDX-License-Identifier: Apache-2.0
"""A crash is the verdict of `ompd why`, and `ompd threads` marks the thread."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import ROOT, stripped

DRIVER = Path(__file__).resolve().parents[1] / "support" / "crashes_in_gdb.py"
LINES = (ROOT / "tests" / "programs" / "crash.cpp").read_text(encoding="utf-8").splitlines()
# The signal of each way, what is said of the cause, and in which function it is.
WAYS = {
    "null": ("SIGSEGV", None, ""),
    "abort": ("SIGABRT", None, ""),
    "assert": ("SIGABRT", "assertion failed", ""),
    "throw": ("SIGABRT", "uncaught exception", ""),
    "copy": ("SIGSEGV", None, "in strlen(), called"),
    "divide": ("SIGFPE", None, ""),
}
BUILDS = [
    Build("crash.cpp", "clang", "O0", "19"),
    Build("crash.cpp", "clang", "O2", stripped("14")),
]

Document = dict[str, Any]


def _line(mark: str) -> int:
    return next(n for n, line in enumerate(LINES, start=1) if f"/* {mark} */" in line)


def _answers(said: str) -> dict[str, Document]:
    found = [json.loads(line[7:]) for line in said.splitlines() if line.startswith("CRASH: ")]
    return {document["label"]: document for document in found}


def _judge(answer: Document, way: str) -> None:
    signal, cause, called = WAYS[way]
    why, crashed = answer["why"], answer["crashed"]
    assert why["verdict"] == "crashed", why
    (crash,) = why["crashes"]
    assert (crash["gdb_num"], crash["signal"], crash["cause"]) == (crashed, signal, cause), why
    assert (crash["address"] is None) == (signal == "SIGABRT"), why
    said = why["text"]
    assert said.startswith(f"crashed: thread 2 of 4 (GDB thread {crashed}), {signal}"), said
    if way != "throw":  # its frame is gone, where the compiler has made a handler
        assert f"at crash.cpp:{_line(way)}, in crash" in said, said
    assert called in said, said
    assert f"in the region at crash.cpp:{_line('region')}" in said, said
    arrived = [len(g["gdb_num"]) for team in why["teams"] for g in team["groups"] if g["arrived"]]
    if sum(arrived) == 3:  # on a busy machine one may be on its way still
        assert said.endswith("; 3 other threads wait for it"), said
    assert answer["shown"].startswith(said[0].upper() + said[1:]), answer["shown"]
    for listing in ("threads", "quick"):
        marked = {t["gdb_num"]: t["signal"] for t in answer[listing]["threads"] if t["signal"]}
        assert marked == {crashed: signal}, listing
    assert f"crashed: {signal}" in answer["listed"]


@pytest.mark.parametrize("what", BUILDS, ids=str)
def test_live_and_in_a_core(what: Build, tmp_path: Path) -> None:
    call = f"python ask({list(WAYS)!r}, {str(tmp_path / 'core')!r})"
    done = run_gdb([f"source {DRIVER}", call], binary(what), timeout=240)
    said = _answers(done.stdout)
    assert set(said) == {f"{how} {way}" for way in WAYS for how in ("live", "core")}, done
    for label, answer in said.items():
        _judge(answer, label.partition(" ")[2])


def test_a_breakpoint_is_no_crash() -> None:
    done = run_gdb([f"source {DRIVER}", "python ask_healthy()"], binary(BUILDS[0]))
    answer = _answers(done.stdout)["live breakpoint"]
    assert answer["why"]["crashes"] == [] and answer["why"]["verdict"] != "crashed", answer
    assert not [t for t in answer["threads"]["threads"] if t["signal"]]
