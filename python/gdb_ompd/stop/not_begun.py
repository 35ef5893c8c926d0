# SPDX-License-Identifier: Apache-2.0
"""Which workers were woken for a region and have not begun it: at its beginning their
stacks are those of workers at the end of one."""

from __future__ import annotations

from itertools import islice
from struct import unpack
from typing import Callable, Iterable, Iterator, Mapping, Optional, Sequence

import gdb

from .. import _native
from ..errors import OmpdToolError
from ..host.debug_fields import debug_fields
from ..host.protocols import READ_ERRORS
from ..model import Region, Thread
from ..model.waits import Kind
from ..providers.base import Provider
from ..providers.ompd.provider import OmpdProvider
from .places import ThreadPlace

Frames = Callable[[int], Iterator[gdb.Frame]]
MAX_RUNTIME_FRAMES = 24
MAX_RUNTIME_STACK = 1 << 14  # bytes
WORD = 8
# What called the region's body, which leaves no frame where it ends in a tail call.
CALLER = "__kmp_invoke_microtask"
# What is on a primary thread's stack until the region's body is called, and afterwards.
BEGINS, ENDS = "__kmp_fork_call", "__kmp_join_call"
JOINS = (
    "__kmp_join_barrier"  # what a thread calls behind the body, before it tells that it has come
)


def not_begun(
    threads: Iterable[Thread],
    regions: Sequence[Region],
    places: Mapping[int, ThreadPlace],
    providers: Sequence[Provider],
    words: Callable[[int], list[int]],
    frames: Frames,
) -> frozenset[int]:
    """Return the GDB numbers of those of THREADS, workers in no task by their PLACES, that
    have not begun the region that they are in. WORDS returns what the runtime keeps on a
    thread's stack. One of which that cannot be told is left out."""
    by_id = {region.id: region for region in regions}
    runtimes = [one for one in map(capabilities_of, providers) if one is not None]
    lasts: dict[int, bool] = {}  # whether a region has not ended for certain
    found = set()
    for thread in threads:
        runtime = next((one for one in runtimes if one.knows(thread.gdb_num)), None)
        if runtime is None or thread.region not in by_id or not thread.thread_num:
            continue
        region = by_id[thread.region]
        if region.id not in lasts:
            lasts[region.id] = _lasts(region, places, runtime, words, frames)
        # Most say by a word of their record that they have come to the region's end; of
        # the others those that gather other threads there tell it by their stacks alone.
        join = _at_join(thread.gdb_num, [])
        if runtime.has_begun(join, lasts[region.id]) is False:
            join = _at_join(thread.gdb_num, words(thread.gdb_num))
            names = _names(frames(thread.gdb_num))
            if runtime.has_begun(join, lasts[region.id]) is False and JOINS not in names:
                found.add(thread.gdb_num)
    return frozenset(found)


def _at_join(gdb_num: int, words: list[int]) -> _native.StackOfThread:
    join, unknown = _native.BarrierType.FORKJOIN, _native.BarrierPhase.UNKNOWN
    return _native.StackOfThread(gdb_num, join, unknown, words)


def _lasts(
    region: Region,
    places: Mapping[int, ThreadPlace],
    runtime: _native.Capabilities,
    words: Callable[[int], list[int]],
    frames: Frames,
) -> bool:
    """Tell whether a region has begun and not ended, for certain: a worker is in the user's
    code; so is its primary thread, which has not called what begins or ends a region; or
    that is about to call the region's body, or waits for the others at its end."""
    primary, *workers = region.threads
    known = [places[number].wait for number in workers if number is not None and number in places]
    if any(wait.location is not None for wait in known):
        return True
    place = places.get(primary) if primary is not None else None
    if primary is None or place is None or place.wait.location is None:
        return False
    if place.wait.kind is Kind.REGION_BARRIER:
        if runtime.kept_at_barrier(_at_join(primary, words(primary))):
            return True
    elif not _native.begins_region(place.wait.entry_point or ""):
        return True
    names = _names(frames(primary))
    return BEGINS in names and ENDS not in names


def _names(frames: Iterator[gdb.Frame]) -> set[Optional[str]]:
    """Return the names of a stack's frames; a stripped runtime's functions have few."""
    return {frame.name() for frame in islice(frames, MAX_RUNTIME_FRAMES)}


def capabilities_of(provider: Provider) -> Optional[_native.Capabilities]:
    """Return what reads a runtime's own records, None where they are not known."""
    if not isinstance(provider, OmpdProvider):
        return None
    try:
        return provider.capabilities(debug_fields)
    except (*READ_ERRORS, OmpdToolError):
        return None


def runtime_words(
    space: _native.AddressSpace, code: _native.CodeMap, frames: Iterator[gdb.Frame]
) -> list[int]:
    """Return the words on a thread's stack that are the runtime's, above the user's
    innermost frame if there is one; none where they cannot be read."""
    pointers: list[int] = []
    try:
        for frame in islice(frames, MAX_RUNTIME_FRAMES):
            pointers.append(int(frame.read_register("sp")))
            if code.is_user(frame.pc()) or frame.name() == CALLER:
                break
        return words_between(space, pointers[0], pointers[-1]) if pointers else []
    except READ_ERRORS:
        return []


def words_between(space: _native.AddressSpace, begin: int, end: int) -> list[int]:
    """Return the words of a stack from BEGIN to END, as many as are the runtime's at most."""
    size = max(0, min(end - begin, MAX_RUNTIME_STACK)) // WORD * WORD
    form = "<" if space.byte_order == "little" else ">"
    return list(unpack(f"{form}{size // WORD}Q", space.read(begin, size)))
