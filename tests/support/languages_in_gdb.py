# SPDX-License-Identifier: Apache-2.0
"""Sourced inside gdb: the answers of all commands at one stop, in each of GDB's languages."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

import gdb
from gdb_ompd.host.sessions.registry import session_of

LANGUAGES = (
    *("ada", "asm", "c", "c++", "d", "fortran", "go", "minimal", "modula-2", "objective-c"),
    *("opencl", "pascal", "rust", "unknown"),
)
# GDB 13, without the extension too, ends itself where it looks up a variable of another language's.
ENDS_GDB = "go"
# GDB says it once after "set language", at whichever command it comes to.
OF_GDB = "Warning: the current language does not match this frame.\n"
# What they say does not depend on the language.
QUESTIONS = (
    *("ompd status", "ompd threads", "ompd threads -json", "ompd parallel -all"),
    *("ompd tasks -all", "ompd icvs -all", "ompd env", "ompd why", "ompd why -json"),
    *("ompd bt", "ompd bt -full", "ompd bt -team", "ompd bt -all"),
    *("ompd save {file}", "ompd compare {file}", "ompd report {file}.html"),
    *("ompd threads -from {file}", "ompd export-symbols {file}.debug"),
    *("ompd break task-end if 1", "delete $bpnum"),
)
# GDB writes the values, or evaluates the user's words, in the language that is set.
EXPRESSIONS = (
    *("ompd print 1", "ompd print -up {name}", "ompd diff {name}", "ompd whatis {name}"),
    *("ompd thread 0", "ompd frame 0", "ompd apply p 1", "p $_omp_thread_num()"),
    *("p $_omp_in_parallel()", "p $_omp_state()"),
)


def _said(command: str) -> str:
    try:
        said = gdb.execute(command, to_string=True).replace(OF_GDB, "")
        return re.sub(r"^Breakpoint \d+", "Breakpoint", said)
    except gdb.error as error:
        return f"error: {error}"


def tell(name: str) -> None:
    """Print by language what the commands say: questions, and those on expressions. NAME is one
    of a variable."""
    told: dict[str, list[dict[str, str]]] = {}
    thread = gdb.selected_thread()
    with tempfile.TemporaryDirectory() as folder:
        words = {"file": str(Path(folder) / "saved.json"), "name": name}
        for language in ("auto", *LANGUAGES):
            gdb.execute(f"set language {language}", to_string=True)
            session_of().forget_files()  # nothing is left of the answers before
            thread.switch()
            gdb.newest_frame().select()
            told[language] = [
                {each: _said(each.format(**words)) for each in commands}
                for commands in (QUESTIONS, EXPRESSIONS if language != ENDS_GDB else ())
            ]
    print("\nTOLD " + json.dumps(told))


GOING_ON = (
    *("ompd tbreak parallel-begin", "continue", "ompd step", "ompd next", "ompd finish region"),
    *("ompd sample -every 0.01 2", "ompd tbreak task-begin if 1", "continue", "ompd step"),
)


def go_on() -> None:
    """Print by language what the commands say with which the program goes on."""
    told: dict[str, dict[str, str]] = {}
    for language in LANGUAGES:
        gdb.execute(f"set language {language}", to_string=True)
        told[language] = {f"{n} {each}": _said(each) for n, each in enumerate(GOING_ON)}
    print("\nTOLD " + json.dumps(told))
