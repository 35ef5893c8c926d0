# SPDX-License-Identifier: Apache-2.0
"""Which loops threads are in: native code tells it of the code around their places and of the
runtimes' records."""

from __future__ import annotations

from typing import Mapping, Sequence

from .. import _native
from ..model import Thread
from .places import Stacks


def loops_of(
    gdb_nums: Sequence[int],
    runtimes: Sequence[_native.Capabilities],
    stacks: Stacks,
    threads: Mapping[int, Thread],
) -> dict[int, _native.ThreadLoop]:
    """Return what each of these THREADS, by GDB's numbers, has of the loop that it is in; those
    that are in none for certain are not in it. Leaves another thread selected."""
    stacks.places(gdb_nums)  # the stacks that are unwound for it are those that are asked below
    found = {}
    for number in gdb_nums:
        runtime = next((one for one in runtimes if one.knows(number)), None)
        one = threads.get(number)
        place = (None, None) if one is None else (one.thread_num, one.team_size)
        loop = _native.loop_of(stacks.whole, number, runtime, *place)
        if loop is not None:
            found[number] = loop
    return found
