# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: what `ompd why` and `ompd threads` say of a program that crashes."""

from __future__ import annotations

import json
import os

import gdb


def _quiet(command: str) -> str:
    return str(gdb.execute(command, to_string=True))


def _document(command: str) -> object:
    said = _quiet(command)
    # GDB warns of registers that the machine that wrote the core does not have.
    return json.loads(said[said.index("{") :])


def _ask(label: str) -> None:
    crashed = gdb.selected_thread().num
    other = next(t.num for t in gdb.selected_inferior().threads() if t.num != crashed)
    _quiet(f"thread {other}")  # what is selected is not what tells it
    document = {
        "label": label,
        "crashed": crashed,
        "why": _document("ompd why -json"),
        "shown": _quiet("ompd why"),
        "threads": _document("ompd threads -json"),
        "listed": _quiet("ompd threads"),
        "quick": _document("ompd threads -json -no-location"),
    }
    print("CRASH: " + json.dumps(document), flush=True)


def ask(ways: list[str], core: str) -> None:
    """Run the program each way, and print an answer for each, live and in a core."""
    _quiet("set confirm off")
    _quiet("set environment MALLOC_ARENA_MAX=1")
    for way in ways:
        _quiet(f"run {way}")
        _ask(f"live {way}")
        _quiet(f"gcore {core}")
        _quiet("kill")
        _quiet(f"core-file {core}")
        _ask(f"core {way}")
        _quiet("core-file")
        os.unlink(core)


def ask_healthy() -> None:
    """Print an answer for a stop at a breakpoint, and one after an attached process's."""
    _quiet("tbreak crash")
    _quiet("run none")
    _ask("live breakpoint")
    _quiet("kill")
