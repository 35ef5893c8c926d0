# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: which of the OMPD library's functions each command calls.

SHIM_TRACE is set to a file of its own for each, which the shim writes to.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import gdb
from gdb_ompd import _native, inquiry
from gdb_ompd.host.sessions.registry import session_of


def device() -> None:
    """Ask for a device that the program does not have."""
    try:
        inquiry.process_handle().device_initialize(_native.AddressSpace(object()), 1, b"none")
    except _native.OmpdError as error:
        assert error.call == "ompd_device_initialize"


def calls_of(command: str, trace: Path) -> list[str]:
    """Return the functions called by COMMAND; by one that asks, with nothing read before."""
    if command.startswith(("ompd", "python")):
        session_of().end_stop()
    trace.write_text("", encoding="ascii")
    os.environ["SHIM_TRACE"] = str(trace)
    try:
        gdb.execute(command, to_string=True)
    finally:
        del os.environ["SHIM_TRACE"]
    return sorted({line.removeprefix("ompd_") for line in trace.read_text("ascii").split()})


def tell(stop: int, trace: str) -> None:
    """Run to the program's stop and tell what each of the commands in USES calls."""
    gdb.execute("break truth_stop")
    gdb.execute("run")
    for _ in range(stop - 1):
        gdb.execute("continue")
    commands = json.loads(os.environ["USES"])
    print("USES " + json.dumps({each: calls_of(each, Path(trace)) for each in commands}))
