# SPDX-License-Identifier: Apache-2.0
"""Ask a gdb that stands in a program of tests/programs/values, and see that what is selected
stays so."""

from __future__ import annotations

import json
import re
from pathlib import Path

from support.build import Build
from support.gdb_session import run_gdb

SCRIPT = """
import json
import gdb

def said(command):
    try:
        return gdb.execute(command, to_string=True)
    except gdb.error as error:
        return f"error: {error}"

def selection():
    frame = gdb.selected_frame()
    return [gdb.selected_inferior().num, gdb.selected_thread().num, frame.level(), frame.pc(),
            said("show language"), said("output/x $_"), said("show print elements"),
            said("show may-call-functions"), said("show host-charset")]

def ask(commands):
    before = selection()
    told = [said(command) for command in commands]
    print("ANSWERS " + json.dumps([told, before, selection()]))
"""
# At the first stop of sharing.c, in the body of the region; OpenMP's thread 2 is selected.
AT_STOP = ("break values_stop", "run", "frame function values_hold", "up")
SHARING = Build("values/sharing.c")


def answers(
    commands: list[str], program: Path, folder: Path, first: tuple[str, ...] = AT_STOP
) -> list[str]:
    """Return what one gdb says to each of COMMANDS, of which none may change what is selected."""
    script = folder / "ask.py"
    script.write_text(SCRIPT, encoding="ascii")
    asked = ["set width 0", "set print thread-events off", *first, f"source {script}"]
    done = run_gdb([*asked, f"python ask({commands!r})"], program)
    line = re.search(r"^ANSWERS (.*)$", done.stdout, flags=re.MULTILINE)
    assert line is not None, done.stdout + done.stderr
    told, before, after = json.loads(line.group(1))
    assert after == before
    assert len(told) == len(commands)
    return [str(each) for each in told]
