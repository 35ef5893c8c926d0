# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: have the process, or what serves it, killed in the middle of a command,
or of a breakpoint's condition."""

from __future__ import annotations

import glob
import os
import signal
import time
from typing import Any

import gdb
from gdb_ompd.host import target
from gdb_ompd.host.sessions.registry import all_sessions
from gdb_ompd.host.target import GdbTarget, Read

_plain_read = GdbTarget.read_memory
_plain_process = GdbTarget.kernels_process


def _is_dead(pid: int) -> bool:
    """Tell whether each thread of a process is gone, or waits to be buried: until
    then its memory can be read."""
    for task in glob.glob(f"/proc/{pid}/task/*/stat"):
        try:
            with open(task, encoding="ascii", errors="replace") as file:
                if file.read().rpartition(")")[2].split()[0] not in ("Z", "X"):
                    return False
        except OSError:
            pass  # gone in between
    return True


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    while not _is_dead(pid):
        time.sleep(0.01)


def ask_while_dying(pid: int, reads: int, command: str) -> None:
    """Run COMMAND, and kill PID before the read of memory after READS others, which all
    go through gdb."""
    left = reads

    def read_memory(target: GdbTarget, address: int, size: int) -> Any:
        nonlocal left
        if left == 0:
            _kill(pid)
        left -= 1
        return _plain_read(target, address, size)

    for session in all_sessions():
        session.end_stop()
    setattr(GdbTarget, "read_memory", read_memory)
    setattr(GdbTarget, "kernels_process", lambda _: None)
    try:
        gdb.execute(command)
    except gdb.error as error:
        gdb.write(f"{error}\n", gdb.STDERR)
    finally:
        setattr(GdbTarget, "read_memory", _plain_read)
        setattr(GdbTarget, "kernels_process", _plain_process)
    gdb.write("killed\n" if left < 0 else "not killed\n")


def die_in_condition(pid: int) -> None:
    """Kill PID before the read of memory in the next event breakpoint's condition."""
    plain = target.reader

    def reader() -> Read:
        setattr(target, "reader", plain)
        _kill(pid)
        gdb.write("killed\n")
        return plain()

    setattr(target, "reader", reader)
