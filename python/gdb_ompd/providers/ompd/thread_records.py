# SPDX-License-Identifier: Apache-2.0
"""What libomp keeps of all threads, read in one native call.

The same as ``Graph`` reads field by field and libompd's ``ompd_get_state`` tells, at
a tenth of the cost. A thread that this cannot read is asked by itself, which says why.
"""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence, Union, cast

from ... import _native
from ...host.protocols import NativeThread, Target
from .global_number import GTID, ompd_id
from .layout import Layout

FLAGS_SIZE = 4  # of kmp_tasking_flags_t
ADDRESSES = 1 << 64
_Places = tuple[tuple[int, int], ...]


class ThreadRecord(NamedTuple):
    """One thread, as its ``kmp_base_info_t`` at ADDRESS has it. TEAM and TASK_TEAM are
    pointers as the runtime keeps them, 0 for none."""

    gtid: int
    address: int
    pthread_id: int
    thread_num: int
    team: int
    task: int
    state: int
    wait_id: int
    task_flags: int
    task_team: int


# None for a thread that the runtime does not know, () for one that must be asked by itself.
Answer = Union[ThreadRecord, tuple[()], None]


class RecordReader:
    """Reads the records of one runtime's threads; holds for one layout of it. IS_STATIC
    tells that the runtime's thread-local storage is at one distance from every thread's
    pointer."""

    def __init__(
        self, target: Target, space: _native.AddressSpace, layout: Layout, is_static: bool
    ) -> None:
        self._target = target
        self._space = space
        self._layout = layout
        self._is_static = is_static
        self._places: Optional[tuple[int, _native.RecordLayout]] = None

    def read(self, natives: Sequence[NativeThread], threads_array: int) -> list[Answer]:
        """Return what there is of each of NATIVES. THREADS_ARRAY is what ``__kmp_threads``
        points to now."""
        if self._places is None or self._places[0] != threads_array:
            self._places = threads_array, _places(self._layout, threads_array)
        pointers = [_thread_pointer(self._target, native) for native in natives]
        found = self._from_kernel(pointers, self._places[1])
        if found is None:
            found = _native.thread_records(self._space, self._places[1], pointers)
        make = ThreadRecord._make
        return [make(record) if record else cast(Answer, record) for record in found]

    def _from_kernel(
        self, pointers: Sequence[Optional[int]], places: _native.RecordLayout
    ) -> Optional[list[Optional[tuple[int, ...]]]]:
        """Return what the kernel gives at once, None unless that is all there is."""
        process = self._target.kernels_process() if self._is_static else None
        number = self._own_number(pointers) if process is not None else None
        if process is None or number is None:
            return None
        space = self._space
        found = _native.thread_records_of_process(space, places, pointers, process, number)
        unread = any(each == () and known is not None for each, known in zip(found, pointers))
        return None if unread else found

    def _own_number(self, pointers: Sequence[Optional[int]]) -> Optional[int]:
        """Return how far from each thread's pointer its number is, None if they differ."""
        known = [pointer for pointer in pointers if pointer is not None]
        distances: set[Optional[int]] = set()
        for pointer in (known[0], known[-1]) if known else ():
            address = self._space.symbol_address(GTID, None, pointer)
            distances.add(None if address is None else _distance(pointer, address))
        return distances.pop() if len(distances) == 1 else None


def _distance(start: int, end: int) -> int:
    """Return how far END is behind START, in memory that goes round as addresses do in C."""
    return (end - start + ADDRESSES // 2) % ADDRESSES - ADDRESSES // 2


def _thread_pointer(target: Target, native: NativeThread) -> Optional[int]:
    if native.running:
        return None
    return target.thread_pointer(*ompd_id(native))


def _of_thread(layout: Layout) -> _Places:
    info, _ = layout.place("kmp_base_info_t", "th_info")
    ompt = layout.access("kmp_base_info_t", "ompt_thread_info")

    def descriptor(name: str) -> tuple[int, int]:
        offset, size = layout.place("kmp_desc_base_t", name)
        return info + layout.access("kmp_desc_t", "ds") + offset, size

    def of_ompt(name: str) -> tuple[int, int]:
        offset, size = layout.place("ompt_thread_info_t", name)
        return ompt + offset, size

    return (
        descriptor("ds_thread"),
        descriptor("ds_tid"),
        layout.place("kmp_base_info_t", "th_team"),
        layout.place("kmp_base_info_t", "th_current_task"),
        of_ompt("state"),
        of_ompt("wait_id"),
    )


def _of_task(layout: Layout) -> _Places:
    flags = layout.access("kmp_taskdata_t", "td_flags"), FLAGS_SIZE
    return flags, layout.place("kmp_taskdata_t", "td_team")


def _places(layout: Layout, threads_array: int) -> _native.RecordLayout:
    return _native.RecordLayout(
        threads=threads_array,
        info=layout.access("kmp_info_t", "th"),
        thread=_of_thread(layout),
        task=_of_task(layout),
    )
