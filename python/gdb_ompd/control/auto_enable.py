# SPDX-License-Identifier: Apache-2.0
"""Switching OMPD events on in a program that starts under GDB.

The runtime reads OMP_DEBUG once, at its start, and then calls
``ompd_dll_locations_valid``. A breakpoint there, never shown and never stopping
the program, does what OMP_DEBUG=enabled does, but for the line that this
setting makes the runtime print into the program's error output.
"""

from __future__ import annotations

import os
import traceback

import gdb

from ..host import parameters
from ..host.charset import decoded
from .._native import unbroken
from ..errors import OmpdToolError
from ..providers.ompd.names import RUNTIME_FILE
from ..stop.registry import session_of

FUNCTION = "ompd_dll_locations_valid"


class _RuntimeStarts(gdb.Breakpoint):
    """Stops nothing: switches events on when a runtime has just started. It is hidden from
    users, but not from scripts that delete all of ``gdb.breakpoints()``."""

    def __init__(self) -> None:
        super().__init__(FUNCTION, internal=True)
        self.silent = True

    @unbroken
    def stop(self) -> bool:
        """Write the two variables and let the program go on."""
        if parameters.auto_enable():
            from ..host.protocols import READ_ERRORS

            try:
                decoded(lambda: session_of().enable_events_at_start())
            except (OmpdToolError, *READ_ERRORS):
                pass  # "ompd status" says what is missing; a start is no place to complain
            except Exception:  # a bug, for which GDB would stop the program
                gdb.write(traceback.format_exc(), gdb.STDERR)
        return False


_breakpoint: list[_RuntimeStarts] = []


def objfile_loaded(objfile: gdb.Objfile) -> None:
    """Wait for the runtime's start, once one is loaded that can say so."""
    if _is_runtime(objfile):
        wait_for_start()


def objfile_freed(objfile: gdb.Objfile) -> None:
    """Wait no more if that was the last runtime: GDB would complain of a breakpoint whose
    function is gone, as after a core file, and disable it."""
    if not _breakpoint or not _is_runtime(objfile):
        return
    loaded = (other for space in gdb.progspaces() for other in space.objfiles())
    if not any(_is_runtime(other) for other in loaded if other != objfile):
        gone = _breakpoint.pop()
        if gone.is_valid():
            gone.delete()


def breakpoint_deleted(breakpoint: gdb.Breakpoint) -> None:
    """Make the breakpoint again that a script has deleted, once GDB is done with that."""
    if isinstance(breakpoint, _RuntimeStarts) and breakpoint in _breakpoint:
        gdb.post_event(_make_again)


@unbroken
def _make_again() -> None:
    if any(_is_runtime(objfile) for space in gdb.progspaces() for objfile in space.objfiles()):
        wait_for_start()


def _is_runtime(objfile: gdb.Objfile) -> bool:
    # Looking into every library would cost each start.
    name = os.path.basename(objfile.filename or "")
    return RUNTIME_FILE.match(name) is not None and not (
        name.startswith("libgomp") and _is_gnu(objfile)
    )


def _is_gnu(objfile: gdb.Objfile) -> bool:
    """Tell whether it is GCC's runtime, which has no switch for events."""
    from .. import _native
    from ..host.fetch import local_file
    from ..providers.detect import GNU_ENTRY, LLVM_ENTRY

    try:
        elf = _native.Elf(local_file(objfile.filename or ""))
        return elf.exports(GNU_ENTRY) and not elf.exports(LLVM_ENTRY)
    except (OSError, ValueError):
        return False


def wait_for_start() -> None:
    """Wait for a runtime's start in this run or, where it has started, in the next."""
    if not _breakpoint or not _breakpoint[0].is_valid():
        try:
            gdb.decode_line(FUNCTION)
        except gdb.error:
            return  # of a breakpoint that is pending GDB would say so
        _breakpoint[:] = [_RuntimeStarts()]
