# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb, under valgrind: LEAKS_COMMANDS commands at one stop, each from nothing.

What was read at the stop is dropped before each command, and after each round the
program goes on by an instruction, so that libompd's handles are made and released.
LEAKS_PLAIN=1 has gdb's own commands instead, without the extension. LEAKS_KEEP=memory
has each command lose a block on purpose.
"""

from __future__ import annotations

import ctypes
import os

import gdb

COMMANDS = (
    "ompd threads",
    "ompd threads -json",
    "ompd parallel -all",
    "ompd tasks -all",
    "ompd icvs -all",
    "ompd bt",
    "ompd status",
    "ompd env",
    "ompd why",
    "ompd thread 0",
    "ompd threads -no-location",
    "print $_omp_thread_num() + $_omp_level()",
)
# What the commands above ask of gdb, asked by itself.
PLAIN = ("info threads", "thread apply all -q bt", "bt", "info locals", "print arrived + 1")


def drop_stop() -> None:
    """Have the next command read everything anew."""
    from gdb_ompd.host.sessions.registry import session_of

    session_of().end_stop()


def main() -> None:
    """Run so many commands, then let the program go."""
    plain = bool(os.environ.get("LEAKS_PLAIN"))
    commands = PLAIN if plain else COMMANDS
    gdb.execute("set pagination off")
    gdb.execute("set confirm off")
    gdb.execute("break soak_is_here", to_string=True)
    gdb.execute("run", to_string=True)
    lost = ctypes.CDLL(None).malloc if os.environ.get("LEAKS_KEEP") else None
    total = int(os.environ["LEAKS_COMMANDS"])
    for number in range(total):
        if not plain:
            drop_stop()
        gdb.execute(commands[number % len(commands)], to_string=True)
        if lost is not None:
            lost(4096)
        if number % len(COMMANDS) == 0:
            gdb.execute("stepi", to_string=True)
    gdb.execute("kill", to_string=True)
    print(f"LEAKS {total}")


main()
