# SPDX-License-Identifier: Apache-2.0
"""Run the program that counts its own events under gdb, and read both counts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from support.build import PROGRAMS, Build, binary
from support.gdb_session import GdbResult, run_gdb

PROGRAM = "events.c"
QUIET = ("set print thread-events off", "set confirm off")
COUNTERS = (
    "regions_of_solve",
    "regions_of_others",
    "regions_before_main",
    "tasks_of_update",
    "tasks_of_others",
    "undeferred_tasks",
    "untied_parts",
    "iterations",
    "leagues",
    "teams",
)
MARK = "COUNTED "
TELL = (
    "python import json; print('\\n"
    + MARK
    + "' + json.dumps({n: int(gdb.parse_and_eval(n)) for n in "
    + repr(COUNTERS)
    + "} | {str(b.number): b.hit_count for b in gdb.breakpoints()}))"
)


def line_of(text: str) -> int:
    """Return the line of the program on which TEXT is, once."""
    lines = (PROGRAMS / PROGRAM).read_text(encoding="utf-8").split("\n")
    found = [number for number, line in enumerate(lines, 1) if text in line]
    assert len(found) == 1, (text, found)
    return found[0]


def script(folder: Path, lines: Sequence[str]) -> str:
    """Write LINES, which may be multi-line commands, into a file; return the command
    that has gdb read it."""
    path = folder / "script.gdb"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"source {path}"


def events(
    what: Build,
    commands: Sequence[str],
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
) -> GdbResult:
    """Run COMMANDS on the program; no traceback may appear."""
    done = run_gdb([*QUIET, *commands], binary(what), env=env, timeout=timeout)
    assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
    return done


def hits(what: Build, breaks: Sequence[str], part: str = "a") -> tuple[list[int], dict[str, int]]:
    """Return how often the program came to each breakpoint that a command of BREAKS
    makes, and the program's own counts. None of them stops it."""
    ignored = [line for each in breaks for line in (each, "ignore $bpnum 1000000")]
    done = events(what, [*ignored, "break ended", f"run {part}", TELL])
    assert MARK in done.stdout, done.stdout + done.stderr
    counted = json.loads(done.stdout.split(MARK, 1)[1].split("\n", 1)[0])
    return [counted[str(number + 1)] for number in range(len(breaks))], counted
