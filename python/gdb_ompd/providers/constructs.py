# SPDX-License-Identifier: Apache-2.0
"""Where in the source the constructs of a stop's regions and tasks are."""

from __future__ import annotations

import os
from typing import Callable, Optional, Union

from .._native import (
    AllRuntimes,
    BegunRegions,
    CodeMap,
    RegionConstruct,
    TaskConstruct,
    TaskView,
    WaitingView,
)
from ..model import (
    NO_FUNCTION,
    UNAVAILABLE,
    Doubt,
    Location,
    Region,
    Task,
    TaskKind,
    WaitingTask,
    place_in,
)
from ..host.source import SourceMap


NO_GENERATING = Doubt("generating", None, "ompd_get_generating_task_handle", UNAVAILABLE)
NO_SCHEDULING = Doubt("scheduling", None, "ompd_get_scheduling_task_handle", UNAVAILABLE)


class Constructs:
    """Places regions and tasks of one inferior at one stop. BEGUN says where a thread
    began the regions that it is in, outermost first, and whether the last may not be one,
    BODY_OF_WORKER which body a worker was given, and LIBRARY_CALL what the user's code called of
    the library that a thread's frame with a program counter is in."""

    def __init__(
        self,
        combined: AllRuntimes,
        begun: Callable[[int], BegunRegions],
        body_of_worker: Callable[[int], Optional[int]],
        library_call: Callable[[int, int], Optional[str]],
        code: CodeMap,
        sources: SourceMap,
    ) -> None:
        self._read, self._known = combined.regions, combined.constructs
        self._ask_begun = begun
        self._body_of_worker = body_of_worker
        self._library_call = library_call
        self._begun: dict[int, BegunRegions] = {}
        self._code = code
        self._sources = sources
        self._regions: Optional[tuple[Region, ...]] = None

    def regions(self) -> tuple[Region, ...]:
        """Return the regions, each with its construct's place as far as it is known."""
        if self._regions is None:
            self._regions = tuple(
                self._located(region, self._known[region.id]) for region in self._read
            )
        return self._regions

    def task(self, view: TaskView) -> Task:
        """Return a task with its construct's place as far as it is known."""
        task = view.task
        if task.kind is TaskKind.IMPLICIT and view.region is not None:
            region = self.regions()[view.region - 1]
            task = task._replace(**place_in(region))
            return with_doubts(task)
        place = self._of_task(view.function, view.construct)
        if place is not None:
            task = task._replace(**place_in(place))
        return with_doubts(task)

    def waiting_task(self, view: WaitingView) -> WaitingTask:
        """Return a task that no thread executes with its own and its creator's place."""
        own, creator = self._of_task(view.function, view.construct), view.task.creator
        by: Union[Location, Region, None] = self._of_task(
            view.creator_function, view.creator_construct
        )
        if view.creator_region is not None:
            by = self.regions()[view.creator_region - 1]
        if creator is not None and by is not None:
            creator = creator._replace(**place_in(by))
        task = view.task._replace(creator=creator)
        if own is None:
            return task
        return task._replace(**place_in(own))

    def _of_task(
        self, function: Optional[int], construct: Optional[TaskConstruct]
    ) -> Optional[Location]:
        """Return an explicit task's place: its function's, with the line of the CONSTRUCT
        where the compiler says that in the same file."""
        place = self._of_function(function)
        if place is None or construct is None or place.file is None:
            return place
        same = os.path.basename(construct.file) == os.path.basename(place.file)
        return place._replace(line=construct.line) if same else place

    def _of_function(self, function: Optional[int]) -> Optional[Location]:
        if function is None or not self._code.is_user(function):
            return None
        return self._sources.construct_of_function(function)

    def _located(self, region: Region, construct: RegionConstruct) -> Region:
        place = self._place(region, construct)
        if place is None:
            return region
        called = None
        if place.line is None and construct.primary is not None:
            called = self._library_call(construct.primary, place.pc)
        return region._replace(**place_in(place), library_call=called)

    def _place(self, region: Region, construct: RegionConstruct) -> Optional[Location]:
        """Find a region's construct: by the call that began it, as the primary
        thread's stack shows it or as the runtime kept it, else by its function.

        The stack comes first: LLVM keeps the wrong call where GCC's code begins a
        region in a task that it executes at once.
        """
        place = self._begin_on_stack(region, construct)
        body = construct.function
        if body is None and (place is None or place.line is None):
            bodies = (self._body_of_worker(worker) for worker in region.threads[1:4] if worker)
            body = next(filter(None, bodies), None)
        if place is None and construct.caller is not None and self._code.is_user(construct.caller):
            place = self._sources.construct_at_call(construct.caller)
        if place is None:
            return self._of_function(body)
        # Of a serialized region the runtime may keep that of another one.
        function = body if region.team_size not in (None, 1) else None
        is_user = function is not None and self._code.is_user(function)
        return self._sources.construct_called(place, function if is_user else None)

    def _begin_on_stack(self, region: Region, construct: RegionConstruct) -> Optional[Location]:
        if construct.primary is None:
            return None
        begun = [
            other.id for other in self._read if self._known[other.id].primary == construct.primary
        ]
        known = self._begun_by(construct.primary)
        places, in_last = known.constructs, known.in_last
        # One place each, or it is not known which is whose.
        is_known = len(places) == len(begun) or (in_last and len(places) == len(begun) + 1)
        return places[begun.index(region.id)] if is_known else None

    def _begun_by(self, gdb_num: int) -> BegunRegions:
        if gdb_num not in self._begun:
            self._begun[gdb_num] = self._ask_begun(gdb_num)
        return self._begun[gdb_num]


def with_doubts(task: Task) -> Task:
    """Return a task with a doubt of each fact that every such task has and that is not known."""
    explicit = task.kind is TaskKind.EXPLICIT
    generated = explicit or task.kind is TaskKind.IMPLICIT
    lacking = []
    if explicit and task.function is None and task.code is None:
        lacking.append(NO_FUNCTION)
    if generated and task.generating is None:
        lacking.append(NO_GENERATING)
    if explicit and task.depth == 0 and task.scheduling is None:
        lacking.append(NO_SCHEDULING)
    known = {doubt.fact for doubt in task.doubts}
    lacking = [doubt for doubt in lacking if doubt.fact not in known]
    return task._replace(doubts=(*task.doubts, *lacking)) if lacking else task
