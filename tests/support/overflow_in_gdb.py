# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: what `ompd why` says of a program that comes to a SIGSEGV."""

from __future__ import annotations

import json
import os

import gdb


def _quiet(command: str) -> None:
    gdb.execute(command, to_string=True)


def _why(label: str) -> None:
    number = gdb.selected_thread().num
    said = gdb.execute("ompd why -json", to_string=True)
    # GDB warns of registers that the machine that wrote the core does not have.
    document = json.loads(said[said.index("{") :])
    document.update(label=label, selected=number, still=gdb.selected_thread().num)
    print("WHY: " + json.dumps(document), flush=True)


def ask(ways: list[str], with_core: tuple[str, ...], core: str) -> None:
    """Run the program each way, and print an answer for each; of some for its core, too."""
    _quiet("set confirm off")
    _quiet("set environment OMP_STACKSIZE=1M")
    _quiet("set environment MALLOC_ARENA_MAX=1")
    for way in ways:
        _quiet(f"run {way}")
        _why(f"live {way}")
        if way in with_core:
            _quiet(f"gcore {core}")
        _quiet("kill")
        if way not in with_core:
            continue
        _quiet(f"core-file {core}")
        _why(f"core {way}")
        _quiet("core-file")
        os.unlink(core)


def read(core: str) -> None:
    """Print the answer for a core that the kernel has written."""
    _quiet(f"core-file {core}")
    _why("kernel")
