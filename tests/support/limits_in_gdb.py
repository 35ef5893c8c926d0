# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb, at a stop: what commands say while gdb is short of something, and after."""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path

import gdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.asking_in_gdb import COMMANDS, ask, complaint, prepare, timed  # noqa: E402


SMALL_STACK = 256 * 1024
MORE_MEMORY = 64 * 1024 * 1024


def short_of_files(left: int) -> None:
    """Ask while gdb can open only so many files more."""
    free = os.dup(0)
    os.close(free)
    ask_within(resource.RLIMIT_NOFILE, free + left)


def short_of_memory() -> None:
    """Ask while gdb has a small stack, then while it can have little more memory."""
    ask_within(resource.RLIMIT_STACK, SMALL_STACK)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    ask_within(resource.RLIMIT_AS, pages * resource.getpagesize() + MORE_MEMORY)


def in_a_crowd() -> None:
    """Ask of many threads; print what was complained of, the slowest command, and how many
    descriptors are left open when all is asked again."""
    prepare()
    answers = {command: timed(command) for command in COMMANDS}
    descriptors = len(os.listdir("/proc/self/fd"))
    for command in COMMANDS:
        ask(command)
    left = len(os.listdir("/proc/self/fd")) - descriptors
    bad = {command: complaint(command, said) for command, (_, said) in answers.items()}
    found = {
        "rows": len(json.loads(answers["ompd threads -json"][1])["threads"]),
        "why": answers["ompd why"][1].splitlines()[0],
        "failed": [command for command, (_, said) in answers.items() if said.startswith("error: ")],
        "wrong": {command: said for command, said in bad.items() if said is not None},
        "left open": left,
    }
    print("slowest:", max((seconds, command) for command, (seconds, _) in answers.items()))
    print("\nLIMITS " + json.dumps(found))


def ask_within(limit: int, most: int) -> None:
    """Ask with the LIMIT set, then without; print the errors, what was complained of, and the
    commands that then said something else than of a process that is read anew."""
    prepare()
    before = resource.getrlimit(limit)
    resource.setrlimit(limit, (most, before[1]))
    during = {command: ask(command) for command in COMMANDS}
    resource.setrlimit(limit, before)
    bad = {command: complaint(command, said) for command, said in during.items()}
    after = {command: ask(command) for command in COMMANDS}
    from gdb_ompd.host.sessions.registry import drop_session

    drop_session(gdb.selected_inferior())
    anew = {command: ask(command) for command in COMMANDS}
    found = {
        "errors": sorted({said for said in during.values() if said.startswith("error: ")}),
        "wrong": {command: said for command, said in bad.items() if said is not None},
        "others": [command for command, said in after.items() if said != anew[command]],
        "failed": [command for command, said in anew.items() if said.startswith("error: ")],
    }
    print("\nLIMITS " + json.dumps(found))
