# SPDX-License-Identifier: Apache-2.0
"""Ask a gdb many things, and tell what each of them said on each stream."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.gdb_session import run_gdb

BUGS = ("Traceback", "Python Exception", "Error occurred in Python")
MARK = "=" * 20
# Of gdb itself, of cores on a processor with more state than that gdb knows.
_CPU_WARNING = re.compile(
    r"^warning: (Unexpected size of section|Section) `\.reg-xstate/\d+' in core file( too small)?\.\n",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Answer:
    """What one command said on each stream."""

    stdout: str
    stderr: str


@dataclass(frozen=True)
class Session:
    """The answers of one gdb, and its exit code."""

    answers: list[Answer]
    returncode: int


def ask(
    setup: Sequence[str],
    commands: Sequence[str],
    program: Path | None,
    core: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Session:
    """Run COMMANDS after SETUP, and tell what each said, from the first character on."""
    script = [*setup]
    for command in commands:
        script.append(f'python gdb.write("{MARK}\\n"); gdb.write("{MARK}\\n", gdb.STDERR)')
        script.append(command)
    done = run_gdb(script, program, core, env=env)
    for bug in BUGS:
        assert bug not in done.stdout + done.stderr, done.stdout + done.stderr
    out = done.stdout.split(f"{MARK}\n")[1:]
    err = [_CPU_WARNING.sub("", said) for said in done.stderr.split(f"{MARK}\n")[1:]]
    assert len(out) == len(err) == len(commands), done.stdout + done.stderr
    return Session([Answer(*each) for each in zip(out, err)], done.returncode)
