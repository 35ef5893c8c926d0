# SPDX-License-Identifier: Apache-2.0
"""Where LLVM's runtime keeps what it records of barriers, locks and ordered loops, which
OMPD does not publish.

From the runtime's debug information, else from a table of the layouts that are known.
The records are those of openmp/runtime/src: kmp.h, kmp_lock.h, kmp_dispatch.h and
kmp_wait_release.h.
"""

from __future__ import annotations

import os
from typing import Optional

from . import known_layouts
from .known_layouts import Exports, Known, Places
from .layout import Layout

FILE = os.path.join(os.path.dirname(__file__), "wait_layouts.json")

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


def table() -> tuple[Known, ...]:
    """Return the layouts that are known."""
    return known_layouts.table(FILE)


def known(layout: Layout, exports: Exports) -> Optional[Places]:
    """Return the places of FIELDS in a runtime with this layout, None where the table has
    none for it. EXPORTS tells whether it exports a name."""
    found = known_layouts.known(FILE, layout, exports)
    return None if found is None else found.places
