# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb at a stop: counts what a command goes through, by Python's profiler.

COMMANDS are given one after the other, each at what the one before has read. Prints a line for
each: Python calls and files of this package, the depth of calls, and the kinds of native calls.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import gdb
import gdb_ompd
from gdb_ompd import _native

PACKAGE = str(Path(gdb_ompd.__file__).parent)


class Way:
    """What one command goes through."""

    def __init__(self) -> None:
        self.calls = 0
        self.files: set[str] = set()
        self.depth = self._deep = 0
        self.native: dict[str, int] = {}

    def note(self, frame: FrameType, event: str, what: Any) -> None:
        """Take down an event of the profiler."""
        if event == "c_call":
            if getattr(what, "__module__", None) == _native.__name__:
                self.native[what.__name__] = self.native.get(what.__name__, 0) + 1
        elif frame.f_code.co_filename.startswith(PACKAGE):
            if event == "call":
                self.calls += 1
                self._deep += 1
                self.depth = max(self.depth, self._deep)
                self.files.add(frame.f_code.co_filename)
            elif event == "return":
                self._deep -= 1

    def line(self, command: str) -> str:
        """Return what there is to say."""
        kinds = ", ".join(f"{name} {count}" for name, count in sorted(self.native.items()))
        return (
            f"{command}: {self.calls} Python calls in {len(self.files)} files, {self.depth} deep;"
            f" {len(self.native)} kinds of native call, {sum(self.native.values())} in all ({kinds})"
        )


def account(command: str) -> str:
    """Give COMMAND once to load what it needs, and again at a fresh stop while counting."""
    way = Way()
    sys.setprofile(way.note)
    try:
        gdb.execute(command, to_string=True)
    finally:
        sys.setprofile(None)
    return way.line(command)


def read_anew() -> None:
    """Have the extension forget this stop, as when the program goes on."""
    from gdb_ompd.host.sessions.registry import session_of

    session_of().end_stop()


def main(commands: list[str]) -> None:
    """Count what COMMANDS go through."""
    for command in commands:  # what is loaded once is not of the way
        gdb.execute(command, to_string=True)
    read_anew()
    for command in commands:
        print(account(command))
