# SPDX-License-Identifier: Apache-2.0
"""What the program has, and what is needed to ask it: ``ompd status``, ``init``, ``enable``,
``disable`` and ``export-symbols``; and the prefix of all commands."""

from __future__ import annotations

import os
import sys
from typing import Optional, Sequence, Union

import gdb

from .. import __version__
from ..errors import NotInitialized, UsageError
from ..host.parameters import Prefix
from ..host.selection import connection_type, selected_thread, threads_of
from ..host.sessions.registry import session_of
from .base import Answer, Arguments, FROM_FILE, JSON, OmpdCommand

# The runtime calls it when it has filled in what a debugger looks for.
READY = "ompd_dll_locations_valid"


class OmpdPrefix(Prefix):
    """Show an OpenMP program as OpenMP sees it: threads, regions, tasks, ICVs.

    Usage: ompd COMMAND [ARGUMENTS]

    Nothing has to be set up: run the program, stop it, and ask.  To start with:
      ompd why      why it does not go on
      ompd threads  who is where, and waits for what
      ompd bt       the stack as you wrote it
      ompd print a  a variable in each thread of the team
      ompd status   what is mapped, and what is missing"""

    name = "ompd"
    kind = gdb.COMMAND_DATA


class StatusCommand(OmpdCommand):
    """Show which OpenMP runtimes the program has, and what serves each.

    Usage: ompd status [-json] [-from FILE]
    Example: ompd status

    For each runtime: its file, version and build id, the OMPD library that
    answers for it, where its symbols come from, and whether it tracks states
    and announces events.  For whatever is missing, what to do."""

    name = "ompd status"
    is_for_front_ends = True
    options = {**JSON, **FROM_FILE}

    def run(self, arguments: Arguments) -> Answer:
        from ..render import status

        facts = self.stop(arguments).status()
        if arguments.has("-json"):
            from ..render import json_document

            return json_document.status(facts)
        return status.status_lines(facts, self.style)


class VersionCommand(OmpdCommand):
    """Show the versions of gdb-ompd, GDB and the Python inside it.

    Usage: ompd version [-json]
    Example: ompd version

    A report of a fault should have this.  "ompd status" has the versions of the
    program's runtimes."""

    name = "ompd version"
    options = {**JSON}

    def run(self, arguments: Arguments) -> Answer:
        python = sys.version.split()[0]
        if arguments.has("-json"):
            from ..render import json_document

            return json_document.version(__version__, gdb.VERSION, python)
        return [f"gdb-ompd {__version__}, in GDB {gdb.VERSION} with Python {python}"]


class InitCommand(OmpdCommand):
    """Run the program until its OpenMP can be read; there is no need to.

    Usage: ompd init
    Example: ompd init

    The extension starts by itself.  This is for scripts that were written for
    LLVM's plugin, and does what they go on from: it starts the program if there
    is no process, lets it run until the OpenMP runtime has started, and says
    which OMPD library serves it.  It fails with the reason where nothing can be
    read."""

    name = "ompd init"
    is_question = False

    def run(self, arguments: Arguments) -> Answer:
        inferior = gdb.selected_inferior()
        if not threads_of(inferior) and gdb.current_progspace().filename is not None:
            gdb.execute("start")
        try:
            session_of().threads(locations=False)
        except NotInitialized:
            if not _run_until_ready(inferior):
                raise
        served = [r for r in session_of().status() if r.ompd_library is not None]
        if served:
            yield "Loaded OMPD lib successfully!"
        for runtime in served:
            yield f"OMPD library {runtime.ompd_library} serves {runtime.file}."


def _run_until_ready(inferior: gdb.Inferior) -> bool:
    """Let a live program run until its runtime has started; tell whether it was let."""
    thread = selected_thread()
    if connection_type(inferior) == "core" or thread is None or thread.is_running():
        return False
    # GDB's own temporary breakpoint: it has a number, as scripts expect, and is gone
    # after its hit. If the program stops elsewhere it stays, and is listed.
    gdb.execute(f"tbreak {READY}")
    gdb.execute("continue")
    return bool(threads_of(inferior))


class EnableCommand(OmpdCommand):
    """Switch OMPD's events on in the program.

    Usage: ompd enable
    Example: ompd enable

    Event breakpoints stop and thread states are known only while they are on.
    Programs that GDB starts have them on from the beginning (see "help set ompd
    auto-enable"); this is for programs that GDB has attached to.  It is refused
    while a thread is in a parallel region or in the runtime: LLVM's runtime would
    read at the end of a construct what it has not noted at its begin, and crash."""

    name = "ompd enable"
    is_question = False

    def run(self, arguments: Arguments) -> Answer:
        from ..control import switch_events

        return switch_events.switch(True)


class DisableCommand(OmpdCommand):
    """Switch OMPD's events off in the program.

    Usage: ompd disable
    Example: ompd disable

    Event breakpoints stop no more, and thread states are not known, until
    "ompd enable"."""

    name = "ompd disable"
    is_question = False

    def run(self, arguments: Arguments) -> Answer:
        from ..control import switch_events

        return switch_events.switch(False)


class ExportSymbolsCommand(OmpdCommand):
    """Write a stripped runtime's recovered symbols to a file.

    Usage: ompd export-symbols FILE [RUNTIME]
    Example: ompd export-symbols libomp.debug

    FILE becomes a small separate debug file of the runtime: it has the runtime's
    build id and sections, a symbol table, and no code.  Other debuggers and
    tools can load it, GDB with "add-symbol-file FILE -o ADDRESS", where ADDRESS
    is where the runtime is loaded.  A file that exists is not replaced.

    RUNTIME, part of a file name, says which where several runtimes are loaded.
    With this extension GDB needs no such file: "ompd status" shows whether it
    has recovered the symbols.  Do not install FILE where debuggers look for
    debug information: it would hide the real one."""

    name = "ompd export-symbols"
    is_question = False
    takes_words = True

    def run(self, arguments: Arguments) -> Answer:
        from ..control import attach
        from ..host.symbols import debug_files

        if not 1 <= len(arguments.words) <= 2:
            raise UsageError(f"Requires the name of the file to write. {self._see_help()}")
        out = os.path.expanduser(arguments.words[0])
        elf = attach.runtime(arguments.words[1] if len(arguments.words) == 2 else "")
        found = debug_files.export(elf, out)
        said = f"profile {found.profile}" if found.profile else "unverified layout"
        return [f"Recovered symbols of {elf.path} ({said}) written to {out}."]

    def complete(self, text: str, word: Optional[str]) -> Union[Sequence[str], int]:
        return int(gdb.COMPLETE_FILENAME)
