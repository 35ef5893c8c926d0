# SPDX-License-Identifier: Apache-2.0
"""Which threads of teams are not in the process, and why: native code tells it of those of which
the runtime keeps records."""

from __future__ import annotations

from typing import Optional, Sequence

from .. import _native
from ..model import Absence, AbsentThread, Region, Thread, ThreadKind

NO_WORKERS = (
    "This process was forked from one with OpenMP threads, which fork() does not copy: the next"
    " region of several threads that {who} begins will wait for them forever."
)


class AbsentThreads:
    """The threads that runtimes have in their records, and one inferior has not."""

    def __init__(
        self,
        combined: _native.AllRuntimes,
        reader: _native.HangReader,
        process: int,
        threads: Sequence[Thread],
    ) -> None:
        """READER is of this stop, THREADS are all of the PROCESS."""
        self._combined = combined
        self._reader = reader
        self._process = process
        self._threads = {thread.gdb_num: thread for thread in threads}

    def marked(self, region: Region) -> Region:
        """Return REGION with those of its threads that are not in the process."""
        member = self._member(region)
        runtime = self._combined.records_of(region.id)
        if member is None or runtime is None:
            return region
        gdb_num, outer = member
        rows = self._reader.absent(runtime, gdb_num, outer)
        found = {number: AbsentThread(number, _why(why), late) for number, why, late in rows}
        unknown = [n for n, gdb in enumerate(region.threads) if gdb is None and n not in found]
        if self._is_forked_alone(gdb_num, region):
            found.update({number: AbsentThread(number, Absence.FORK) for number in unknown})
        if not found:
            return region
        known = len(found) == region.threads.count(None)
        doubts = tuple(doubt for doubt in region.doubts if doubt.fact != "threads" or not known)
        return region._replace(absent=tuple(map(found.__getitem__, sorted(found))), doubts=doubts)

    def note(self) -> Optional[str]:
        """Say that a thread keeps workers which fork() has not copied."""
        runtimes = self._combined.records()
        for number, thread in self._threads.items():
            if thread.kind is ThreadKind.INITIAL and not thread.running and thread.level == 0:
                rows = [row for one in runtimes for row in self._reader.absent_workers(one, number)]
                if rows and all(_why(why) is Absence.FORK for _, why, _ in rows):
                    return NO_WORKERS.format(who=f"GDB thread {number}")
        return None

    def _member(self, region: Region) -> Optional[tuple[int, int]]:
        """Return a thread of REGION that stands still, by its GDB number, and how many regions it
        is in that are further inside."""
        regions = self._combined.regions
        for number in region.threads:
            thread = self._threads.get(number or 0)
            inside = thread.region if thread is not None and not thread.running else None
            for outer in range(len(regions)):
                if inside is None:
                    break
                if number is not None and inside == region.id:
                    return number, outer
                inside = regions[inside - 1].parent
        return None

    def _is_forked_alone(self, gdb_num: int, region: Region) -> bool:
        """Tell whether a worker is the first thread of its process, and the only one: it has called
        fork()."""
        is_first = self._threads[gdb_num].lwp == self._process
        return is_first and len(self._threads) == 1 and region.threads[0] is None


def _why(word: Optional[str]) -> Optional[Absence]:
    return None if word is None else Absence(word)
