# SPDX-License-Identifier: Apache-2.0
"""The number by which libomp knows a thread, from the thread's own storage."""

from __future__ import annotations

from typing import Optional

from ... import _native
from ...errors import Inconsistent
from ...host.protocols import NativeThread, Target

GTID = "__kmp_gtid"
MAX_GTID = 1 << 16


def global_number(
    target: Target, space: _native.AddressSpace, native: NativeThread
) -> Optional[int]:
    """Return the index of the thread's record in ``__kmp_threads``.

    None for a thread that the runtime does not know (yet, or any more).
    Inconsistent if the thread's own storage cannot be found.
    """
    pointer = target.thread_pointer(*ompd_id(native))
    if pointer is None:
        raise Inconsistent("the thread's own storage cannot be found")
    address = space.symbol_address(GTID, None, pointer)
    if address is None:
        return None  # its block of the runtime's thread-local storage was never made
    gtid = space.read_uint(address, 4)
    return gtid if gtid < MAX_GTID else None  # else negative: KMP_GTID_DNE and the like


def ompd_id(native: NativeThread) -> tuple[int, int]:
    """Return the kind and value of the id by which OMPD is told of a thread."""
    if native.pthread_id is not None:
        return _native.THREAD_ID_PTHREAD, native.pthread_id
    return _native.THREAD_ID_LWP, native.lwp
