# SPDX-License-Identifier: Apache-2.0
"""``ompd``: the prefix of all commands."""

from __future__ import annotations

import gdb


class OmpdPrefix(gdb.Command):
    """Show an OpenMP program as OpenMP sees it: threads, regions, tasks, ICVs.

    Usage: ompd COMMAND [ARGUMENTS]

    Nothing has to be set up: run the program, stop it, and ask.
    "ompd status" says what is mapped and what is missing."""

    def __init__(self) -> None:
        super().__init__("ompd", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """List the subcommands; complain about one that does not exist."""
        if argument:
            raise gdb.GdbError(f'Undefined ompd command: "{argument}".  Try "help ompd".')
        gdb.execute("help ompd", from_tty)
