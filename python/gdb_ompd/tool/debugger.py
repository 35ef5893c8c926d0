# SPDX-License-Identifier: Apache-2.0
"""The user's GDB, asked in batch, and the file that loads the extension into it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple, Optional

from ..errors import OmpdToolError, printable

# Above this file: in a checkout, where it is installed, and where pip puts it.
EXTENSION = (
    (3, "gdb-scripts/ompd.py"),
    (2, "ompd.py"),
    (2, "share/gdb-ompd/ompd.py"),
    (5, "share/gdb-ompd/ompd.py"),
)
QUIET = ("-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set pagination off")
TIMEOUT = 60  # seconds
# Its data directory is not in its parameter before GDB 11.
FACTS = (
    "python import json, os, sys; print(json.dumps({'version': gdb.VERSION,"
    " 'python': sys.version.split()[0], 'data': os.path.dirname(gdb.PYTHONDIR)}))"
)


class Debugger(NamedTuple):
    """A GDB: where it is, its version, that of the Python inside, and its data directory."""

    path: str
    version: str
    python: str
    data: str


def no_such_debugger(name: str) -> OmpdToolError:
    """Return the error of a debugger that is not there."""
    return OmpdToolError(f"there is no {name}: install gdb, or name the debugger with --gdb")


def debugger(name: str) -> Debugger:
    """Return what the GDB of that NAME is. Raises OmpdToolError if there is none, or one without
    Python."""
    path = shutil.which(name)
    if path is None:
        raise no_such_debugger(name)
    done = ask(path, FACTS)
    found = _document(done)
    if found is None:
        why = printable((done.stderr.strip().splitlines() or ["it says nothing"])[-1])
        raise OmpdToolError(f"{path} cannot run Python, which the extension needs: {why}")
    return Debugger(path, found["version"], found["python"], found["data"])


def ask(path: str, *commands: str) -> "subprocess.CompletedProcess[str]":
    """Have the GDB at PATH execute COMMANDS, without the user's settings, and return what it wrote.
    Raises OmpdToolError if it does not end in time."""
    argv = [path, *QUIET]
    for command in commands:
        argv += ["-ex", command]
    try:
        return subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            encoding="utf-8",
            errors="replace",
        )
    except subprocess.TimeoutExpired as error:
        raise OmpdToolError(f"{path} has not ended within {TIMEOUT} s") from error
    except OSError as error:
        raise OmpdToolError(f"{path} cannot be started: {error.strerror}") from error


def loading_problem(debugger: Debugger) -> Optional[str]:
    """Return why the extension cannot be loaded into a DEBUGGER, None if it can."""
    done = ask(debugger.path, f"source {extension()}", "ompd version -json")
    if _document(done) is not None:
        return None
    lines = done.stderr.strip().splitlines() or ["gdb does not say why"]
    return printable(lines[0]).replace("gdb-ompd: ", "", 1)


def _document(done: "subprocess.CompletedProcess[str]") -> Optional[dict[str, Any]]:
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def extension() -> Path:
    """Return the file to source in GDB. Raises OmpdToolError if it is not beside this package."""
    above = Path(__file__).resolve().parents
    for levels, name in EXTENSION:
        if levels < len(above) and (above[levels] / name).is_file():
            return above[levels] / name
    raise OmpdToolError("the file that loads the extension into gdb is not beside it")


def init_file() -> Path:
    """Return the file of the user's that GDB reads when it starts: the first of these that is
    there, else the one that most people have."""
    home = Path(os.path.expanduser("~"))
    config = os.environ.get("XDG_CONFIG_HOME") or str(home / ".config")
    first = Path(config) / "gdb" / "gdbinit"
    return first if first.exists() else home / ".gdbinit"
