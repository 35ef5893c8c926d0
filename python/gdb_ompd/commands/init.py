# SPDX-License-Identifier: Apache-2.0
"""``ompd init``."""

from __future__ import annotations

from typing import Iterable

import gdb

from ..errors import NotInitialized
from ..stop.registry import session_of
from ..host.selection import connection_type, selected_thread
from .base import Arguments, OmpdCommand

# The runtime calls it when it has filled in what a debugger looks for.
READY = "ompd_dll_locations_valid"


class InitCommand(OmpdCommand):
    """Run the program until its OpenMP can be read; there is no need to.

    Usage: ompd init

    The extension starts by itself.  This is for scripts that were written for
    LLVM's plugin, and does what they go on from: it starts the program if there
    is no process, lets it run until the OpenMP runtime has started, and says
    which OMPD library serves it.  It fails with the reason where nothing can be
    read."""

    name = "ompd init"
    is_question = False

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Bring the program to where it can be asked, ask, and say who answers."""
        inferior = gdb.selected_inferior()
        if not inferior.threads() and gdb.current_progspace().filename is not None:
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
    return bool(inferior.threads())
