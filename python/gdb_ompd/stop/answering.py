# SPDX-License-Identifier: Apache-2.0
"""How a question ends that cannot be answered, whoever asks it: a command, a
convenience function, or a script through the Python API."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

import gdb

from .asking import one_command
from ..errors import LibraryFailed, OmpdToolError
from .registry import all_sessions


@contextmanager
def answering() -> Iterator[None]:
    """What is asked inside belongs together (``asking``), and where it cannot be
    answered an OmpdToolError is raised. A bug, and Ctrl-C, stay what they are."""
    try:
        with one_command():
            yield
    except BaseException as error:
        said = in_our_words(error)
        if said is error:
            raise
        raise said from error


def in_our_words(error: BaseException) -> BaseException:
    """Return an OmpdToolError where ERROR tells that a question cannot be answered, ERROR
    itself where it is one, and where it is a bug, or Ctrl-C, which has all read anew."""
    if isinstance(error, OmpdToolError):
        return error
    if isinstance(error, KeyboardInterrupt):
        _read_anew()
        return error
    if isinstance(error, gdb.MemoryError):
        return OmpdToolError(f"the program's memory cannot be read: {error}")
    from .._native import LibraryFailure, OmpdError

    if isinstance(error, LibraryFailure):
        return LibraryFailed(str(error))
    if isinstance(error, OmpdError):
        return OmpdToolError(f"the OMPD library refused: {error}")
    return error


def _read_anew() -> None:
    """Forget what was read until Ctrl-C. Where GDB was unwinding it would take the frame
    that it had come to for the outermost one, until the program goes on."""
    gdb.invalidate_cached_frames()
    for session in all_sessions():
        session.end_stop()
