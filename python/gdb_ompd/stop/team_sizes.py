# SPDX-License-Identifier: Apache-2.0
"""Why teams have the sizes that they have: native code decides, GDB adds the directive's text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Mapping, Optional, Sequence

import gdb

from .. import _native
from ..host.directives import directive_at, first_line
from ..host.source import SourceMap
from ..model import Icv, Region, Snapshot
from ..model.teams import SizeRule, TeamSize

if TYPE_CHECKING:
    from .places import Stacks

NUM_THREADS = "OMP_NUM_THREADS"
_IF = re.compile(r"\bif\s*\(\s*(?!\w+\s*:[^:]|\w+\s+\w+\s*:[^:])|\bif\s*\(\s*parallel\s*:", re.I)
_NUM_THREADS = re.compile(r"\bnum_threads\s*\(", re.IGNORECASE)


class TeamSizes:
    """Tells it of the regions of one inferior at one stop. Changes the selected thread."""

    def __init__(
        self,
        combined: _native.AllRuntimes,
        stacks: Stacks,
        sources: SourceMap,
        snapshot: Snapshot,
        environment: Mapping[str, str],
    ) -> None:
        self._combined = combined
        self._stacks = stacks
        self._sources = sources
        self._snapshot = snapshot
        self._environment = environment
        self._threads = {thread.gdb_num: thread for thread in snapshot.threads}
        self._requests: dict[int, Sequence[_native.TeamRequest]] = {}

    def of_all(self, regions: Sequence[Region]) -> tuple[TeamSize, ...]:
        """Return why the teams of REGIONS have their sizes."""
        primaries = {region.threads[0] for region in regions if region.threads}
        of_process: list[Icv] = []
        of_thread: dict[int, list[Icv]] = {}
        for icv in self._combined.icvs([n for n in primaries if n is not None], []):
            number = None if icv.owner is None else icv.owner.gdb_num
            of = of_process if number is None else of_thread.setdefault(number, [])
            of.append(icv)
        return tuple(
            self._of(region, [*of_process, *of_thread.get(region.threads[0] or 0, ())])
            for region in regions
            if region.threads
        )

    def _of(self, region: Region, icvs: Sequence[Icv]) -> TeamSize:
        values = {icv.name: icv.value for icv in icvs if isinstance(icv.value, int)}
        request = self._request(region, region.threads[0])
        nthreads, setting = values.get("nthreads-var"), self._environment.get(NUM_THREADS)
        facts = _native.TeamSizeFacts(
            size=region.team_size,
            level=region.level,
            active_around=self._active_around(region),
            request=request,
            nthreads=nthreads,
            max_active_levels=values.get("max-active-levels-var"),
            thread_limit=values.get("thread-limit-var"),
            processors=values.get("num-procs-var"),
            dynamic=values.get("dyn-var"),
            environment=setting,
            knows_environment=bool(self._environment),
            clauses=None if request is None else _clauses(region, request.caller),
        )
        found = _native.team_size(facts)
        return TeamSize(
            region.id,
            SizeRule(found.rule),
            found.is_certain,
            found.is_notable,
            region.team_size,
            found.asked,
            nthreads,
            found.limit,
            setting,
        )

    def _active_around(self, region: Region) -> Optional[int]:
        if region.parent is not None:
            return self._snapshot.region(region.parent).active_level
        return 0 if region.level == 1 else None

    def _request(self, region: Region, primary: Optional[int]) -> Optional[_native.TeamRequest]:
        """Return what the call asked for that began a region. Of all that its PRIMARY thread has
        begun there is one each. One more can be of a region that has not begun, or has ended, or in
        which a target region begins anew. Where a body has ended with a jump there are fewer. Then
        its construct tells it."""
        thread = self._threads.get(primary) if primary is not None else None
        if primary is None or thread is None or thread.running or thread.error:
            return None
        nest = self._snapshot.nest(thread)
        begun = [one for one in nest if one.threads[:1] == (primary,)]
        if region not in begun:
            return None
        if primary not in self._requests:
            self._requests[primary] = _native.team_requests(self._stacks.whole, primary)
        requests = self._requests[primary]
        if len(requests) != len(begun):
            found = self._by_construct(region, begun, requests)
            if found is not None or thread.league or len(requests) != len(begun) + 1:
                return found
        return requests[len(begun) - 1 - begun.index(region)]

    def _by_construct(
        self, region: Region, begun: Sequence[Region], requests: Sequence[_native.TeamRequest]
    ) -> Optional[_native.TeamRequest]:
        """Return the one of REQUESTS that is of the construct of REGION, which no other of BEGUN
        is of."""
        construct = region.function, region.file, region.line
        if None in construct or sum(construct == (o.function, o.file, o.line) for o in begun) != 1:
            return None
        found = []
        for one in requests:
            call = self._sources.location_at(one.caller, False)
            at = self._sources.construct_called(call, one.body)
            if (at.function, at.file, at.line) == construct:
                found.append(one)
        return found[0] if len(found) == 1 else None


def _clauses(region: Region, caller: int) -> Optional[tuple[bool, bool]]:
    """Return whether the directive of the construct that the function around CALLER has begun has
    an if clause for the region, and whether num_threads; None where its text is not known."""
    symtab = gdb.find_pc_line(caller).symtab
    if symtab is None or region.line is None or _name(symtab.filename) != _name(region.file):
        return None
    directive = directive_at(symtab, first_line(symtab, region.line))
    if directive is None:
        return None
    return _IF.search(directive) is not None, _NUM_THREADS.search(directive) is not None


def _name(file: Optional[str]) -> str:
    return (file or "").rpartition("/")[2]
