# SPDX-License-Identifier: Apache-2.0
"""Which workers were woken for a region and have not begun it: native code tells it of teams."""

from __future__ import annotations

from typing import Iterable, Mapping, Optional, Sequence

from .. import _native
from .._native import ThreadPlace
from ..errors import OmpdToolError
from ..host.protocols import READ_ERRORS
from ..model import Region, Thread
from ..model.waits import Kind, RUNTIME, UNNAMED, Wait
from ..providers.provider import Provider
from .places import Stacks


def beginning(
    threads: Iterable[Thread],
    regions: Sequence[Region],
    places: Mapping[int, ThreadPlace],
    providers: Sequence[Provider],
    stacks: Stacks,
) -> dict[int, Wait]:
    """Return by GDB number those of THREADS, workers in no task by their PLACES, that have
    not told that they have come to the end of the region that they are in: each that has
    not begun it, or is somewhere in the runtime just before its body or behind it. Leaves
    another thread selected."""
    by_id = {region.id: region for region in regions}
    teams: dict[int, list[tuple[int, _native.Capabilities, bool]]] = {}
    runtimes = [one for one in map(capabilities_of, providers) if one is not None]
    for number, region, thread_num in ((t.gdb_num, t.region, t.thread_num) for t in threads):
        runtime = next((one for one in runtimes if one.knows(number)), None)
        if runtime is not None and region is not None and region in by_id and thread_num:
            worker = number, runtime, places[number].before_body
            teams.setdefault(region, []).append(worker)
    found: dict[int, bool] = {}  # whether it has not begun
    for region, workers in teams.items():
        found.update(stacks.whole.beginning((*_team(by_id[region], places), workers)))
    not_begun, on_its_way = Wait(Kind.NOT_BEGUN), Wait(entry_point=UNNAMED, outside=RUNTIME)
    return {number: not_begun if begins else on_its_way for number, begins in found.items()}


def capabilities_of(provider: Provider) -> Optional[_native.Capabilities]:
    """Return what reads a runtime's own records, None where they are not known."""
    try:
        return provider.capabilities()
    except (*READ_ERRORS, OmpdToolError):
        return None


def _team(
    region: Region, places: Mapping[int, ThreadPlace]
) -> tuple[bool, Optional[int], bool, str]:
    """Return where a region's threads are, as native code takes it."""
    primary, *workers = region.threads
    known = [places[n].wait for n in workers if n is not None and n in places]
    is_inside = any(wait.location is not None for wait in known)
    place = places.get(primary) if primary is not None else None
    wait = place.wait if place is not None else Wait()
    may_have_ended = place is None or wait.kind is Kind.REGION_BARRIER
    return is_inside, primary if wait.location else None, may_have_ended, wait.entry_point or ""
