# SPDX-License-Identifier: Apache-2.0
"""How a question ends that cannot be answered, whoever asks it: a command, a
convenience function, or a script through the Python API."""

from __future__ import annotations

from typing import Callable, TypeVar

import gdb

from ...errors import LibraryFailed, OmpdToolError
from ..files import is_shortage
from ..moments import one_command
from ..selection import kept_selection, with_whole_stacks, why_no_frame
from .registry import all_sessions

Result = TypeVar("Result")
LOST = ("Remote connection closed", "Remote communication error")  # GDB's own words


def answered(ask: Callable[[], Result]) -> Result:
    """Return what ASK does. What it asks belongs together (``one_command``), and where it cannot
    be answered an OmpdToolError is raised. A bug, and Ctrl-C, stay what they are."""
    try:
        with one_command:
            return with_whole_stacks(ask)
    except BaseException as error:
        said = in_our_words(error)
        if said is error:
            raise
        raise said from error


def in_our_words(error: BaseException) -> BaseException:
    """Return an OmpdToolError where ERROR tells that a question cannot be answered, ERROR
    itself where it is one, and where it is a bug, or Ctrl-C. That and a library that failed
    have all read anew: what is known of the stop is that of the failed library."""
    if isinstance(error, LibraryFailed):
        _end_stops()
    if isinstance(error, OmpdToolError):
        return error
    if isinstance(error, KeyboardInterrupt):
        with kept_selection():
            gdb.invalidate_cached_frames()
        _end_stops()
        return error
    if isinstance(error, gdb.MemoryError):
        return OmpdToolError(f"the program's memory cannot be read: {error}")
    if isinstance(error, gdb.error) and str(error) == why_no_frame():
        return OmpdToolError(f"the selected thread's stack cannot be read: {error}")
    if isinstance(error, gdb.error) and str(error).startswith(LOST) and not _has_process():
        return OmpdToolError(f"the program is lost: {error}")
    if isinstance(error, MemoryError) or is_shortage(error):
        for session in all_sessions():
            session.forget_files()  # what could not be read may be readable the next time
        why = error.strerror if isinstance(error, OSError) else "no memory"
        return OmpdToolError(f"GDB is short of what its limits allow ('ulimit -a'): {why}")
    from ..._native import OmpdError

    if isinstance(error, OmpdError):
        return OmpdToolError(f"the OMPD library refused: {error}")
    return error


def _has_process() -> bool:
    return bool(gdb.selected_inferior().pid)


def _end_stops() -> None:
    """Forget what was read. After Ctrl-C GDB's frames are forgotten, too: where GDB was
    unwinding it would take the frame that it had come to for the outermost one."""
    for session in all_sessions():
        session.end_stop()
