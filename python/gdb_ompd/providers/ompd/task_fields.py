# SPDX-License-Identifier: Apache-2.0
"""Where LLVM's runtime keeps what OMPD does not publish of tasks.

From the runtime's debug information, else from a table of the layouts that are known.
The records are those of openmp/runtime/src/kmp.h,
and of kmp_alloc.cpp (``thr_data``).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Optional

from ..base import DebugFields
from . import known_layouts
from .known_layouts import Exports, Known, Places
from .layout import Layout

FILE = os.path.join(os.path.dirname(__file__), "task_layouts.json")

# The fields by record. A field of bits has its place in bits.
FIELDS: dict[str, tuple[str, ...]] = {
    "kmp_base_info_t": ("th_local",),
    "kmp_local_t": ("bget_data",),
    "thr_data_t": ("freelist",),
    "bfhead_t": ("ql",),
    "qlinks_t": ("flink",),
    "bhead2_t": ("bsize",),
    "kmp_base_team_t": ("t_task_team",),
    "kmp_base_task_team_t": ("tt_threads_data", "tt_found_tasks", "tt_nproc", "tt_max_threads"),
    "kmp_base_thread_data_t": (
        "td_thr",
        "td_deque",
        "td_deque_size",
        "td_deque_head",
        "td_deque_tail",
        "td_deque_ntasks",
    ),
    "kmp_taskdata_t": (
        "td_alloc_thread",
        "td_incomplete_child_tasks",
        "td_dephash",
        "td_depnode",
        "td_last_tied",
        "td_allow_completion_event",
    ),
    "kmp_event_t": ("type", "ed"),
    "kmp_tasking_flags_t": ("proxy", "detachable"),
    "kmp_base_depnode_t": ("successors", "task", "npredecessors"),
    "kmp_depnode_list_t": ("node", "next"),
    "kmp_dephash_t": ("buckets", "size", "last_all"),
    "kmp_dephash_entry_t": ("last_out", "last_set", "prev_set", "next_in_bucket"),
    "kmp_thread_data_t": (),
}
# Those that not every version has: the queues of tasks with a priority, and the task
# teams that a serialized team has set aside.
NEWER: dict[str, tuple[str, ...]] = {
    "kmp_base_task_team_t": ("tt_task_pri_list",),
    "kmp_task_pri_t": ("td", "next"),
    "kmp_task_team_list_t": ("next",),
}


@dataclass(frozen=True, slots=True)
class TaskFields:
    """Offset and size by "record.field", in bits for the flags, and the size of a
    record by its name alone. LABEL names the table's entry, None for debug information."""

    places: Places
    label: Optional[str] = None

    def has(self, name: str) -> bool:
        """Tell whether this version of the runtime has a field or record."""
        return name in self.places

    def sizeof(self, record: str) -> int:
        """Return the size of a record in bytes."""
        return self.places[record][1]

    def flag(self, name: str) -> int:
        """Return the mask of a task's flag."""
        return 1 << self.places[f"kmp_tasking_flags_t.{name}"][0]


def table() -> tuple[Known, ...]:
    """Return the layouts that are known."""
    return known_layouts.table(FILE)


def find(
    layout: Layout, runtime: str, debug: DebugFields, exports: Exports
) -> Optional[TaskFields]:
    """Return the fields of the runtime in the file RUNTIME, None where they are not known.
    EXPORTS tells whether it exports a name."""
    places = from_debug_information(runtime, debug)
    if places is not None:
        return TaskFields(places)
    known = known_layouts.known(FILE, layout, exports)
    return None if known is None else TaskFields(known.places, known.profile)


def from_debug_information(runtime: str, debug: DebugFields) -> Optional[Places]:
    """Return what the debug information of RUNTIME says, None if it has not everything."""
    needed = [*FIELDS, *(f"{record}.{name}" for record in FIELDS for name in FIELDS[record])]
    newer = [*NEWER, *(f"{record}.{name}" for record in NEWER for name in NEWER[record])]
    found = debug(runtime, needed + newer)
    return found if all(name in found for name in needed) else None
