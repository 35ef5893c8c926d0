# SPDX-License-Identifier: Apache-2.0
"""How a question ends that cannot be answered, whoever asks it: a command, a
convenience function, or a script through the Python API."""

from __future__ import annotations

from types import TracebackType
from typing import Optional

import gdb

from .asking import OneCommand
from .errors import LibraryFailed, OmpdToolError
from .registry import all_sessions


class Answering(OneCommand):
    """What is asked inside belongs together (``asking``), and where it cannot be
    answered an OmpdToolError is raised. A bug, and Ctrl-C, stay what they are.

    A class, since a condition of a breakpoint passes through it thousands of times, and a
    generator takes three times as long.
    """

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        super().__exit__(kind, error, traceback)
        if error is not None:
            _translate(error)


def _translate(error: BaseException) -> None:
    """Raise what a user is told instead of ERROR, if it is to be told in other words."""
    if isinstance(error, OmpdToolError):
        return
    if isinstance(error, KeyboardInterrupt):
        _read_anew()
        return
    if isinstance(error, gdb.MemoryError):
        raise OmpdToolError(f"the program's memory cannot be read: {error}") from error
    from ._native import LibraryFailure, OmpdError  # not before something is asked

    if isinstance(error, LibraryFailure):
        raise LibraryFailed(str(error)) from error
    if isinstance(error, OmpdError):
        raise OmpdToolError(f"the OMPD library refused: {error}") from error


def _read_anew() -> None:
    """Forget what was read until Ctrl-C. Where GDB was unwinding it would take the frame
    that it had come to for the outermost one, until the program goes on."""
    gdb.invalidate_cached_frames()
    for session in all_sessions():
        session.end_stop()
