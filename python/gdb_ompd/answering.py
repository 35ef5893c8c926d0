# SPDX-License-Identifier: Apache-2.0
"""How a question ends that cannot be answered, whoever asks it: a command, a
convenience function, or a script through the Python API."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

import gdb

from .asking import one_command
from .errors import LibraryFailed, OmpdToolError
from .registry import all_sessions


@contextmanager
def answering() -> Iterator[None]:
    """What is asked inside belongs together (``asking``), and where it cannot be
    answered an OmpdToolError is raised. A bug, and Ctrl-C, stay what they are."""
    try:
        with one_command():
            yield
    except OmpdToolError:
        raise
    except KeyboardInterrupt:
        _read_anew()
        raise
    except gdb.MemoryError as error:
        raise OmpdToolError(f"the program's memory cannot be read: {error}") from error
    except Exception as error:
        from ._native import LibraryFailure, OmpdError  # not before something is asked

        if isinstance(error, LibraryFailure):
            raise LibraryFailed(str(error)) from error
        if isinstance(error, OmpdError):
            raise OmpdToolError(f"the OMPD library refused: {error}") from error
        raise


def _read_anew() -> None:
    """Forget what was read until Ctrl-C. Where GDB was unwinding it would take the frame
    that it had come to for the outermost one, until the program goes on."""
    gdb.invalidate_cached_frames()
    for session in all_sessions():
        session.end_stop()
