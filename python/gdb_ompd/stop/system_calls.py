# SPDX-License-Identifier: Apache-2.0
"""Threads that wait in the kernel, outside of OpenMP, and the pthread mutex they wait for."""

from __future__ import annotations

from typing import Optional

import gdb

from .. import _native
from ..host.protocols import READ_ERRORS

_X86_SYSCALL = b"\x0f\x05"
_A64_SVC = b"\x01\x00\x00\xd4"
_OWNER_OFFSET = 8  # pthread_mutex_t's __data.__owner, after __lock and __count
_LOCKING = ("pthread_mutex_lock", "lll_lock_wait", "pthread_mutex_timedlock")


def in_system_call(frame: gdb.Frame, space: _native.AddressSpace) -> bool:
    """Tell whether a thread's innermost frame is right behind its call of the kernel."""
    try:
        return (
            space.read(frame.pc() - 2, 2) == _X86_SYSCALL
            or space.read(frame.pc() - 4, 4) == _A64_SVC
        )
    except READ_ERRORS:
        return False


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


def owner_of(mutex: int, space: _native.AddressSpace) -> Optional[int]:
    """Return the LWP of the thread that holds a mutex, as glibc records it."""
    try:
        return space.read_uint(mutex + _OWNER_OFFSET, 4) or None
    except READ_ERRORS:
        return None
