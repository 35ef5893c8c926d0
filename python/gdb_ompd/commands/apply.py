# SPDX-License-Identifier: Apache-2.0
"""``ompd apply``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable

import gdb

from ..errors import OmpdToolError, UsageError
from ..host.selection import kept_selection
from ..stop.registry import session_of
from .base import Arguments
from .over_threads import CHOOSING, OverThreads

if TYPE_CHECKING:
    from ..model.values import Member


class ApplyCommand(OverThreads):
    """Execute a GDB command in each thread of the team.

    Usage: ompd apply [-team] [-all] [-threads LIST] [-state STATE] [-s] [-q] COMMAND

    The threads are taken in the order of their OpenMP numbers, which head what COMMAND
    says; the first error ends it.  As after GDB's "thread apply", what was selected
    is selected again.

    Options:
      -team
        The current team, which is also meant without this.
      -all
        Every thread, by GDB's numbers.
      -threads LIST
        The threads of the team with these OpenMP numbers, such as 0-3,7.
      -state STATE
        Those threads that are working, waiting or whatever "ompd threads -state" takes.
      -s
        Go on after errors, and say nothing of a thread where COMMAND says nothing.
      -q
        Do not head what COMMAND says."""

    name = "ompd apply"
    options = (*CHOOSING, "-s", "-q")

    def completed_as(self) -> str:
        """Return what precedes any command of GDB."""
        return "thread apply all --"

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Execute the command; what it writes is written at once."""
        silent, quiet = arguments.has("-s"), arguments.has("-q")
        if silent and quiet:
            raise UsageError(f"-s and -q exclude each other. {self._see_help()}")
        command = self._rest(arguments, "a command")
        asked = self.asked(arguments, session_of())
        inferior = gdb.selected_inferior()
        threads = {thread.num: thread for thread in inferior.threads()}
        with kept_selection():
            for member in asked.members:
                thread = threads.get(member.gdb_num) if member.gdb_num is not None else None
                if thread is not None and thread.is_valid():
                    thread.switch()
                    _execute(command, _head(member), silent, quiet)
        return ()


def _execute(command: str, head: str, silent: bool, quiet: bool) -> None:
    if not silent:
        if not quiet:
            gdb.write(head)
        try:
            gdb.execute(command)
        except gdb.error as error:
            raise OmpdToolError(str(error)) from error
        return
    try:
        said = gdb.execute(command, to_string=True)
    except gdb.error:
        return
    if said:
        gdb.write(head + said)


def _head(member: Member) -> str:
    if member.thread_num is None:
        return f"\nGDB thread {member.gdb_num}:\n"
    return f"\nThread {member.thread_num} (GDB thread {member.gdb_num}):\n"
