# SPDX-License-Identifier: Apache-2.0
"""Which workers were woken for a region and have not begun it: at its beginning their
stacks are those of workers at the end of one."""

from __future__ import annotations

from itertools import islice
from typing import Iterable, Mapping, Optional, Sequence

from .. import _native
from ..model import Region, Thread
from ..model.waits import Kind, UNNAMED, Wait
from ..providers.provider import Provider
from .places import Stacks, ThreadPlace
from .runtime_stack import MAX_RUNTIME_FRAMES, Frame, RuntimeStacks, capabilities_of

# What is on a primary thread's stack until the region's body is called, and afterwards.
BEGINS, ENDS = "__kmp_fork_call", "__kmp_join_call"
# Where a worker waits for its next region, and what it calls behind the body of one.
FORKS, JOINS = "__kmp_fork_barrier", "__kmp_join_barrier"


class BeginningReader:
    """Tells which workers have not begun their region, for one inferior at one stop. Leaves
    another thread selected."""

    def __init__(
        self,
        space: _native.AddressSpace,
        code: _native.CodeMap,
        providers: Sequence[Provider],
        stacks: Stacks,
    ) -> None:
        self._space = space
        self._code = code
        self._stacks = RuntimeStacks(space, code, stacks)
        self._runtimes = [one for one in map(capabilities_of, providers) if one is not None]

    def beginning(
        self,
        threads: Iterable[Thread],
        regions: Sequence[Region],
        places: Mapping[int, ThreadPlace],
    ) -> dict[int, Wait]:
        """Return by GDB number those of THREADS, workers in no task by their PLACES, that have
        not told that they have come to the end of the region that they are in: each that has
        not begun it, or is somewhere in the runtime just before its body or behind it."""
        by_id = {region.id: region for region in regions}
        lasts: dict[int, bool] = {}  # whether a region has not ended for certain
        found = {}
        for thread in threads:
            runtime = next((one for one in self._runtimes if one.knows(thread.gdb_num)), None)
            if runtime is None or thread.region not in by_id or not thread.thread_num:
                continue
            region = by_id[thread.region]
            if region.id not in lasts:
                lasts[region.id] = self._lasts(region, places, runtime)
            if places[thread.gdb_num].before_body:
                found[thread.gdb_num] = _before_body(region, places, lasts[region.id])
                continue
            # Most say by a word of their record that they have come to the region's end; of
            # the others those that gather threads there tell it by their stacks alone.
            at = _at_join(thread.gdb_num, [], self._futex(thread.gdb_num, runtime))
            if runtime.has_begun(at, lasts[region.id]) is False:
                wait = self._wait(thread.gdb_num, runtime, lasts[region.id])
                if wait is not None:
                    found[thread.gdb_num] = wait
        return found

    def _wait(self, gdb_num: int, runtime: _native.Capabilities, lasts: bool) -> Optional[Wait]:
        """Return the wait of such a worker by its stack, None of one at the region's end. It
        has not begun if the runtime has just woken it, if it sleeps or is at the barrier
        before a region, or if it has not come to the runtime yet."""
        frames = self._innermost(gdb_num)
        if any(self._code.is_user(frame.pc) and frame.described for frame in frames):
            return Wait(entry_point=UNNAMED)  # it is in its body, where its place did not tell it
        futex = self._futex(gdb_num, runtime)
        at = _at_join(gdb_num, self._stacks.words(gdb_num), futex)
        names = {frame.name for frame in frames}
        is_woken = runtime.has_begun(at, False) is False  # maybe at the end of the one before
        if not is_woken and (JOINS in names or runtime.has_begun(at, lasts) is not False):
            return None
        sleeps = bool(frames) and _native.is_behind_system_call(self._space, frames[0].pc)
        has_come = any(self._code.code_at(frame.pc) == "runtime" for frame in frames)
        waits = is_woken or sleeps or FORKS in names or not has_come
        return Wait(Kind.NOT_BEGUN) if waits else Wait(entry_point=UNNAMED)

    def _lasts(
        self, region: Region, places: Mapping[int, ThreadPlace], runtime: _native.Capabilities
    ) -> bool:
        """Tell whether a region has begun and not ended, for certain: a worker is in the
        user's code; so is its primary thread, which has not called what begins or ends a
        region; or that is about to call the region's body, or waits for the others at its
        end."""
        primary, *workers = region.threads
        known = [places[n].wait for n in workers if n is not None and n in places]
        if any(wait.location is not None for wait in known):
            return True
        place = places.get(primary) if primary is not None else None
        if primary is None or place is None or place.wait.location is None:
            return False
        at_end = place.wait.kind is Kind.REGION_BARRIER
        if not at_end and not _native.begins_region(place.wait.entry_point or ""):
            return True
        frames = self._innermost(primary)
        words = self._stacks.words(primary)
        if at_end and runtime.kept_at_barrier(
            _at_join(primary, words, self._futex(primary, runtime))
        ):
            return True
        names = {frame.name for frame in frames}  # a stripped runtime's functions have few
        return BEGINS in names and ENDS not in names

    def _futex(self, gdb_num: int, runtime: _native.Capabilities) -> Optional[tuple[int, int]]:
        """Return where a thread sleeps, if that is to tell what its record does not."""
        if runtime.tells_who_has_come:
            return None
        return self._stacks.futex(gdb_num)

    def _innermost(self, gdb_num: int) -> list[Frame]:
        return list(islice(self._stacks.frames(gdb_num), MAX_RUNTIME_FRAMES))


def _before_body(region: Region, places: Mapping[int, ThreadPlace], lasts: bool) -> Wait:
    """Return the wait of a worker whose next call is that of a body: the region's, if that LASTS for
    certain, or its primary thread has not come to the region's end. Otherwise it may be that of a
    region to come."""
    primary = places.get(region.threads[0] or 0) if region.threads else None
    if not lasts and (primary is None or primary.wait.kind is Kind.REGION_BARRIER):
        return Wait(entry_point=UNNAMED)
    return Wait(Kind.NOT_BEGUN)


def _at_join(
    gdb_num: int, words: list[int], futex: Optional[tuple[int, int]]
) -> _native.StackOfThread:
    join, unknown = _native.BarrierType.FORKJOIN, _native.BarrierPhase.UNKNOWN
    return _native.StackOfThread(gdb_num, join, unknown, words, futex)
