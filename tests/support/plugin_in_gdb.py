# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: list the threads of a team by LLVM's own plugin.

listed(PLUGIN, LIBRARY) gives the OMPD library to the plugin, which looks for none where the
runtime names none, and prints the members of the selected thread's region, by their numbers,
as the plugin has their pthread_t, and what gdb has of its threads.
"""

from __future__ import annotations

import json
import sys

import gdb


def listed(plugin: str, library: str, size: int) -> None:
    """Print the two lists as JSON."""
    sys.path.insert(0, plugin)
    import ompdModule
    from ompd_address_space import ompd_address_space

    assert ompdModule.ompd_open(library) == 201811
    space = ompd_address_space()
    space.add_thread()
    (thread,) = space.threads.values()
    region = thread.get_current_parallel()
    said = [region.get_thread_in_parallel(number).get_thread_id() for number in range(size)]
    threads = sorted(gdb.selected_inferior().threads(), key=lambda each: each.num)
    own = [int.from_bytes(each.handle(), "little") for each in threads]
    print("LISTED", json.dumps([said, own]))
