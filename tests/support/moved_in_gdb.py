# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: attach to a program twice, and compare the two moments.

``moved(PROGRAM)`` prints, as JSON, what "ompd compare" says of one stop, then of two moments, and
of the two files.
"""

from __future__ import annotations

import json
import os
import subprocess
import time

import gdb


def _quiet(command: str) -> str:
    return str(gdb.execute(command, to_string=True))


def moved(program: str, seconds: float = 0.5) -> None:
    """Do that to a program that says that it is ready."""
    folder = os.environ["SAVED_OUT"]
    first, second = (os.path.join(folder, name) for name in ("first.json", "second.json"))
    process = subprocess.Popen([program], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(seconds)
        _quiet(f"attach {process.pid}")
        _quiet(f"ompd save {first}")
        said = {"same": json.loads(_quiet(f"ompd compare -json {first}"))}
        _quiet("detach")
        time.sleep(seconds)
        _quiet(f"attach {process.pid}")
        said["now"] = json.loads(_quiet(f"ompd compare -json {first}"))
        said["text"] = _quiet(f"ompd compare {first}")
        _quiet(f"ompd save {second}")
        said["files"] = json.loads(_quiet(f"ompd compare -json {second} {first}"))
        _quiet("detach")
    finally:
        if gdb.selected_inferior().pid:
            _quiet("detach")  # or nobody but gdb is told of its end
        process.kill()
        process.wait()
    print(json.dumps(said))
