# SPDX-License-Identifier: Apache-2.0
"""One stop of a program on libomp: threads, regions, tasks and ICVs, read once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterator, Optional, Sequence

from ... import _native
from ...model import Icv, Task, TaskKind
from ...host.protocols import NativeThread, Target
from ..base import TaskView, View
from . import task_chain
from .graph import Graph, OmpThread
from .icvs import IcvName, read_icv
from .regions import RegionTree
from .thread_records import RecordReader
from .threads import ThreadReader

STATES_OFF = (
    "States are not tracked: the program was started without OMPD events"
    " ('ompd enable' switches them on while it runs)."
)


@dataclass
class Stop:
    """Everything that can be asked while the program stands still."""

    target: Target
    space: _native.AddressSpace
    library: _native.Library
    begin: Callable[[], _native.Process]
    graph: Graph
    states: dict[int, str]
    icv_names: Sequence[IcvName]
    events_enabled: bool
    records: RecordReader
    _process: Optional[_native.Process] = None
    _reader: Optional[ThreadReader] = None
    _regions: Optional[RegionTree] = None
    capabilities: Optional[_native.Capabilities] = None

    def process(self) -> _native.Process:
        """Return libompd's handle of the process, made when it is first asked for."""
        if self._process is None:
            self._process = self.begin()
        return self._process

    def end(self) -> None:
        """Release libompd's handles."""
        self.capabilities = None
        if self._process is not None:
            self._process.end()
            self._process = None

    @property
    def reader(self) -> ThreadReader:
        """The threads; ``view`` fills it."""
        if self._reader is None:
            self.view(self.target.threads())
        assert self._reader is not None
        return self._reader

    @property
    def regions(self) -> RegionTree:
        """The regions; ``view`` fills it."""
        if self._regions is None:
            self.view(self.target.threads())
        assert self._regions is not None
        return self._regions

    def view(self, natives: Sequence[NativeThread]) -> View:
        """Read these threads and the regions they are in."""
        reader = self._reader = ThreadReader(
            self.target, self.space, self.process, self.graph, self.states, self.events_enabled
        )
        reader.read(natives, self.records)
        tree = self._regions = RegionTree(self.graph, reader.users())
        notes = () if self.events_enabled else (STATES_OFF,)
        return View(reader.rows(tree), tree.regions, tree.constructs, notes)

    def tasks(self, gdb_nums: Sequence[int]) -> list[TaskView]:
        """Return the task chains of these threads, innermost first."""
        found: list[TaskView] = []
        for gdb_num in gdb_nums:
            thread = self.reader.omp_threads.get(gdb_num)
            if thread is not None and thread.team is not None:
                found.extend(self._chain(gdb_num, thread))
        return found

    def implicit_tasks(self, region: int) -> list[TaskView]:
        """Return a region's implicit tasks by thread number. Of a thread that executes
        a task of another thread, its own is in no chain: its depth is -1."""
        records = task_chain.implicit_tasks(self.graph, *self.regions.place_of(region))
        threads = self.regions.regions[region - 1].threads
        return [
            self._in_chain(gdb_num, record) for gdb_num, record in zip(threads, records) if gdb_num
        ]

    def _in_chain(self, gdb_num: int, record: task_chain.TaskRecord) -> TaskView:
        for view in self.tasks([gdb_num]):
            if view.task.task_id == record.identity:
                return view
        return self._view(gdb_num, record, depth=-1, generating=None, scheduling=None)

    def _chain(self, gdb_num: int, thread: OmpThread) -> Iterator[TaskView]:
        records = list(task_chain.chain(self.graph, thread))
        first = {record.address: depth for depth, record in reversed(list(enumerate(records)))}
        for depth, record in enumerate(records):
            last = depth + 1 == len(records)
            scheduling = first.get(record.scheduling) if record.scheduling else None
            generating = None if last else depth + 1
            yield self._view(gdb_num, record, depth, generating, scheduling)

    def _view(
        self,
        gdb_num: int,
        record: task_chain.TaskRecord,
        depth: int,
        generating: Optional[int],
        scheduling: Optional[int],
    ) -> TaskView:
        task = Task(
            gdb_num=gdb_num,
            depth=depth,
            task_id=record.identity,
            kind=record.kind,
            function=None,
            file=None,
            line=None,
            final=record.final,
            frames=record.frames,
            generating=generating,
            scheduling=scheduling,
            running=depth == 0,
        )
        region = self.regions.id_of(record.region) if record.region else None
        in_region = region if record.kind is not TaskKind.INITIAL else None
        return TaskView(task, record.function, in_region)

    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> list[Icv]:
        """Return the process's ICVs, then these threads' and these regions'."""
        found: list[Icv] = []
        for icv in self.icv_names:
            if icv.scope == _native.SCOPE_ADDRESS_SPACE:
                found.append(read_icv(self.process(), icv, None))
            elif icv.scope == _native.SCOPE_PARALLEL:
                found.extend(self.regions.icv(icv, region) for region in regions)
            else:
                found.extend(self.reader.icv(icv, gdb_num) for gdb_num in gdb_nums)
        return found
