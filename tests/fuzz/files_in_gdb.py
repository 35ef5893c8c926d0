# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: ask every command of a program whose files are damaged.

FILES_TASK holds the task as JSON: "run" (whether the program is to be started, up to
fuzz_is_here), "core" (else what to read), "most_seconds" (for one command). Prints one line
of JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import gdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.asking_in_gdb import COMMANDS, complaint, prepare, timed  # noqa: E402

TASK: dict[str, Any] = json.loads(os.environ["FILES_TASK"])


def main() -> None:
    """Ask, judge, and report what was said."""
    prepare()
    gdb.execute("unset environment FILES_TASK")
    gdb.execute(f"set environment LD_LIBRARY_PATH {TASK['lib']}")
    begin = ["break fuzz_is_here", "run"] if TASK["run"] else [f"core-file {TASK['core']}"]
    for command in begin:
        try:
            gdb.execute(command)
        except gdb.error:
            pass  # gdb does not take the file: what is said then?
    said: dict[str, str] = {}
    wrong: list[str] = []
    slowest = (0.0, "")
    for command in COMMANDS:
        took, said[command] = timed(command)
        if took > TASK["most_seconds"]:  # or other programs had the processor
            took = min(took, timed(command)[0])
        slowest = max(slowest, (round(took, 3), command))
        bad = complaint(command, said[command])
        if took > TASK["most_seconds"]:
            bad = f"took {took:.1f} s"
        if bad is not None:
            wrong.append(f"{command}: {bad}")
    print("\nFILES " + json.dumps({"said": said, "wrong": wrong, "slowest": slowest}))


main()
