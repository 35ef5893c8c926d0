# SPDX-License-Identifier: Apache-2.0
"""Reading files that somebody else may have put there: regular ones, or none; and writing
a file as a whole.

Opening a FIFO waits for a writer, and reading a device may never end. So a file is opened without
waiting, and the open file is asked what it is.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

from ..errors import OmpdToolError


# GDB, or the system, has no file or memory left for it: it may have the next time.
_SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


def is_shortage(error: BaseException) -> bool:
    """Tell whether ERROR says nothing of the file, but that GDB is short of what it needs."""
    return isinstance(error, OSError) and error.errno in _SHORTAGES


def opened(path: str) -> BinaryIO:
    """Open a regular file for reading. Raises OSError, also for what is none."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read(path: str, most: int) -> bytes:
    """Return the contents of a regular file. Raises OSError, also for more than MOST bytes."""
    with opened(path) as file:
        contents = file.read(most + 1)
    if len(contents) > most:
        raise OSError(errno.EFBIG, f"larger than {most} bytes", path)
    return contents


def replace(path: str, text: str) -> None:
    """Write a file that nobody ever sees in part: it comes in the place of what has its name,
    with the mode that the user's files have. OmpdToolError if it cannot be written."""
    import tempfile  # not with this file, which each start of a program needs: it loads much

    path = os.path.realpath(path)
    try:
        if os.path.lexists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        descriptor, own = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".gdb-ompd-")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(own, 0o666 & ~mask)
            os.replace(own, path)
        except BaseException:
            os.unlink(own)
            raise
    except OSError as error:
        raise OmpdToolError(f"{path}: {error.strerror or error}") from error
