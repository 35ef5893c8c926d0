# SPDX-License-Identifier: Apache-2.0
"""How long the threads of a process have run, as the kernel counts it."""

from __future__ import annotations

import gdb


def processor_times(inferior: gdb.Inferior) -> dict[int, int]:
    """Return by GDB's numbers the ticks that threads have run; nothing of a core, or of a
    process of another machine."""
    connection = inferior.connection
    if connection is None or connection.type != "native":
        return {}
    found: dict[int, int] = {}
    for thread in inferior.threads():
        try:
            with open(f"/proc/{inferior.pid}/task/{thread.ptid[1]}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
            found[thread.num] = int(fields[11]) + int(fields[12])  # utime, stime (proc(5))
        except (OSError, ValueError, IndexError):
            pass
    return found
