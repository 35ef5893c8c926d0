# SPDX-License-Identifier: Apache-2.0
"""A folder of this debugger's own, for what is not kept: removed when it exits."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

_folder: list[str] = []


def place(name: str) -> str:
    """Return a place for a file of that name, which no other file has.

    Raises OSError where no temporary folder can be made.
    """
    if not _folder or not os.path.isdir(_folder[0]):
        _folder[:] = [tempfile.mkdtemp(prefix="gdb-ompd-")]
        atexit.register(shutil.rmtree, _folder[0], ignore_errors=True)
    return os.path.join(tempfile.mkdtemp(dir=_folder[0]), os.path.basename(name))
