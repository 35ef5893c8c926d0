# SPDX-License-Identifier: Apache-2.0
"""Step through tests/programs/stepping.c in gdb, and tell where each command led."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.build import PROGRAMS, Build, binary
from support.gdb_session import run_gdb

PROGRAM = "stepping.c"
HELPER = Path(__file__).with_name("place_in_gdb.py")
SETTINGS = ("set confirm off", "set breakpoint pending on", "set print thread-events off")


@dataclass(frozen=True)
class Place:
    """Where the program was after COMMAND. MARK is the line's mark in the source, ""
    for a line without one; HIDDEN are gdb's breakpoints that it does not list."""

    command: str
    thread: int | None
    file: str | None
    line: int | None
    mark: str
    function: str
    level: int
    hidden: tuple[str, ...]
    locking: str

    def __str__(self) -> str:
        return f"{self.command}: {self.mark or self.line} ({self.function}), thread {self.thread}"


def marks() -> dict[int, str]:
    """Return the marks of the program's lines."""
    found = {}
    source = (PROGRAMS / PROGRAM).read_text(encoding="ascii")
    for number, text in enumerate(source.splitlines(), start=1):
        mark = re.search(r"/\* (\w+: [\w ]+) \*/", text)
        if mark is not None:
            found[number] = mark.group(1)
    return found


def line_of(mark: str) -> int:
    """Return the line that carries MARK."""
    (line,) = [number for number, text in marks().items() if text == mark]
    return line


def places(
    build: Build,
    commands: Sequence[str],
    extension: bool = True,
    env: Mapping[str, str] | None = None,
) -> tuple[list[Place], str]:
    """Run COMMANDS; return where the program was after each, after each time of one
    that is repeated ("repeat LINE COMMAND"), and all that gdb said."""
    asked = [*SETTINGS, f"source {HELPER}"]
    for command in commands:
        asked += [command] if command.startswith("repeat ") else [command, f"place {command}"]
    done = run_gdb(asked, binary(build), extension=extension, env=env)
    said = done.stdout + done.stderr
    known = marks()
    found = []
    for line in re.findall(r"^PLACE (.*)$", done.stdout, flags=re.MULTILINE):
        where: dict[str, Any] = json.loads(line)
        found.append(
            Place(
                where["command"],
                where["thread"],
                where.get("file"),
                where.get("line"),
                known.get(where.get("line") or 0, "") if where.get("file") == PROGRAM else "",
                where.get("function") or "",
                where.get("level", 0),
                tuple(where["hidden"]),
                where["locking"],
            )
        )
    # gdb in batch mode goes on after a command that failed.
    assert len(found) >= len(commands), said
    return found, said


def path(found: Sequence[Place]) -> list[str]:
    """Return the marks that were met, without those of the way to the construct, and
    each once where the lines of a loop follow one another."""
    met: list[str] = []
    for place in found:
        name = place.mark.partition(": ")[2]
        if name not in ("", "before", "begin", "construct", "inner construct"):
            if not met or met[-1] != name:
                met.append(name)
    return met
