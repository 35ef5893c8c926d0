# SPDX-License-Identifier: Apache-2.0
"""What libomp keeps of all threads, read in one native call.

The same as ``Graph`` reads field by field and libompd's ``ompd_get_state`` tells, at
a tenth of the cost. A thread that this cannot read is asked by itself, which says why.
"""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence

from ... import _native
from ...protocols import NativeThread, Target
from .global_number import ompd_id
from .layout import Layout

FLAGS_SIZE = 4  # of kmp_tasking_flags_t


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


def read_records(
    target: Target,
    space: _native.AddressSpace,
    layout: Layout,
    threads_array: int,
    natives: Sequence[NativeThread],
) -> tuple[dict[int, ThreadRecord], frozenset[int]]:
    """Return the records by GDB's number, and the threads that must be asked one by
    one; threads in neither the runtime does not know."""
    pointers: list[Optional[int]] = [_thread_pointer(target, native) for native in natives]
    found = _native.thread_records(space, _places(layout, threads_array), pointers)
    records: dict[int, ThreadRecord] = {}
    failed: list[int] = []
    for native, record in zip(natives, found):
        if record:
            records[native.gdb_num] = ThreadRecord._make(record)
        elif record is not None:
            failed.append(native.gdb_num)
    return records, frozenset(failed)


def _thread_pointer(target: Target, native: NativeThread) -> Optional[int]:
    if native.running:
        return None
    return target.thread_pointer(*ompd_id(native))


def _places(layout: Layout, threads_array: int) -> _native.RecordLayout:
    info, size = layout.place("kmp_base_info_t", "th_info")
    ompt = layout.access("kmp_base_info_t", "ompt_thread_info")

    def descriptor(name: str) -> tuple[int, int]:
        offset, size = layout.place("kmp_desc_base_t", name)
        return info + layout.access("kmp_desc_t", "ds") + offset, size

    def of_ompt(name: str) -> tuple[int, int]:
        offset, size = layout.place("ompt_thread_info_t", name)
        return ompt + offset, size

    return _native.RecordLayout(
        threads=threads_array,
        info=layout.access("kmp_info_t", "th"),
        thread=(
            descriptor("ds_thread"),
            descriptor("ds_tid"),
            layout.place("kmp_base_info_t", "th_team"),
            layout.place("kmp_base_info_t", "th_current_task"),
            of_ompt("state"),
            of_ompt("wait_id"),
        ),
        task=(
            (layout.access("kmp_taskdata_t", "td_flags"), FLAGS_SIZE),
            layout.place("kmp_taskdata_t", "td_team"),
        ),
    )
