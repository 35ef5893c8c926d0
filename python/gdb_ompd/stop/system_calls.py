# SPDX-License-Identifier: Apache-2.0
"""The pthread mutex that a thread waits for in the kernel, outside of OpenMP."""

from __future__ import annotations

from typing import Optional

import gdb

_LOCKING = ("pthread_mutex_lock", "lll_lock_wait", "pthread_mutex_timedlock")


def mutex_of(frame: gdb.Frame, outside: Optional[str]) -> Optional[int]:
    """Return the mutex that a thread which called OUTSIDE waits for in the kernel: the
    word that it gave to futex is the mutex's first."""
    if outside is None or not outside.endswith(_LOCKING):
        return None
    register = "rdi" if "x86-64" in frame.architecture().name() else "x0"
    try:
        return int(frame.read_register(register)) & ((1 << 64) - 1)
    except (gdb.error, ValueError):
        return None
