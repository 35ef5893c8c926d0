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
_KIND_OFFSET = 16  # __data.__kind, after __owner and __nusers
_SHARED = 128  # PTHREAD_MUTEX_PSHARED_BIT
_DESCRIPTOR = 2048  # less than the size of glibc's struct pthread, which has tid at 720
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


def has_own_number(descriptor: Optional[int], lwp: int, space: _native.AddressSpace) -> bool:
    """Tell whether the C library knows a thread by the LWP that GDB has: not where the
    program runs in a namespace of process numbers that is not GDB's. The thread's
    descriptor, to which its pthread_t points, holds that number."""
    if descriptor is None:
        return False
    try:
        data = space.read(descriptor, _DESCRIPTOR)
    except READ_ERRORS:
        return False
    word = lwp.to_bytes(4, space.byte_order)
    return any(data[at : at + 4] == word for at in range(0, _DESCRIPTOR, 4))


def is_shared(mutex: int, space: _native.AddressSpace) -> bool:
    """Tell whether other processes may use a mutex, or that is not known."""
    try:
        return bool(space.read_uint(mutex + _KIND_OFFSET, 4) & _SHARED)
    except READ_ERRORS:
        return True
