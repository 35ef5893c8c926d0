# SPDX-License-Identifier: Apache-2.0
"""Where LLVM's runtime keeps what it records of barriers, locks and ordered loops, which
OMPD does not publish.

From the runtime's debug information, else from a table of the layouts that are known,
which holds only for a runtime whose 145 published constants are exactly those of the
build that the table was read from, and that exports nothing which only later versions
do. The records are those of openmp/runtime/src: kmp.h, kmp_lock.h, kmp_dispatch.h and
kmp_wait_release.h.
"""

from __future__ import annotations

import functools
import json
import os
from dataclasses import dataclass
from typing import Callable, Mapping, Optional

from ...recovery import profiles
from .layout import Layout

FILE = os.path.join(os.path.dirname(__file__), "wait_layouts.json")

# Offset and size in bytes by "record.field"; a record by its name alone has offset 0.
Places = Mapping[str, tuple[int, int]]

FIELDS: dict[str, tuple[str, ...]] = {
    "kmp_base_info_t": ("th_dispatch", "th_next_waiting", "th_sleep_loc", "th_bar"),
    "kmp_base_team_t": ("t_bar",),
    "kmp_taskdata_t": ("td_incomplete_child_tasks", "td_taskgroup"),
    "kmp_taskgroup_t": ("parent",),
    "kmp_balign_t": ("bb",),
    "kmp_bstate_t": ("b_arrived",),
    "kmp_balign_team_t": ("b_arrived",),
    "kmp_flag_64<false, true>": ("loc",),
    "kmp_disp_t": ("th_dispatch_pr_current", "th_dispatch_sh_current"),
    "dispatch_private_info_t": ("u", "type_size"),
    "dispatch_private_info32_t": ("ordered_lower",),
    "dispatch_private_info64_t": ("ordered_lower",),
    "dispatch_shared_info_t": ("u",),
    "dispatch_shared_info32_t": ("ordered_iteration",),
    "dispatch_shared_info64_t": ("ordered_iteration",),
    "kmp_indirect_lock_t": ("lock", "type"),
    "kmp_indirect_lock_table_t": ("table", "nrow_ptrs", "next_table"),
    "kmp_base_queuing_lock_t": ("tail_id", "head_id", "owner_id"),
}
# The kinds of lock whose queue can be followed: their numbers stand as an offset.
ENUMERATION = "kmp_indirect_locktag_t"
QUEUING = ("locktag_queuing", "locktag_nested_queuing")


@dataclass(frozen=True, slots=True)
class Known:
    """An entry of the table: the profile of the 145 constants that it goes with, what
    only later versions with the same constants export, and the places."""

    profile: str
    later: tuple[str, ...]
    places: Places


@functools.lru_cache(maxsize=1)
def table() -> tuple[Known, ...]:
    """Return the layouts that are known."""
    with open(FILE, encoding="utf-8") as file:
        document = json.load(file)
    return tuple(
        Known(
            each["profile"],
            tuple(each["later"]),
            {name: (at[0], at[1]) for name, at in each["fields"].items()},
        )
        for each in document["layouts"]
    )


def known(layout: Layout, exports: Callable[[str], bool]) -> Optional[Places]:
    """Return the places of FIELDS in a runtime with this layout, None where the table has
    none for it. EXPORTS tells whether it exports a name."""
    profile = profiles.matching(layout.values)
    for each in table():
        if profile is not None and each.profile == profile.label:
            return None if any(map(exports, each.later)) else each.places
    return None
