# SPDX-License-Identifier: Apache-2.0
"""Tasks that no thread executes, in the model's words, each with its creator."""

from __future__ import annotations

from typing import Mapping, Optional, Sequence

from ...model import Creator, TaskKind, WaitingTask
from ..base import WaitingView, WaitingViews
from . import task_chain
from .graph import Graph, OmpThread, innermost_region
from .regions import RegionTree
from .task_fields import TaskFields
from .task_record import Record, RecordReader
from .waiting_tasks import Found, search


def views(
    graph: Graph,
    fields: TaskFields,
    threads: Mapping[int, OmpThread],
    regions: RegionTree,
    schedulers: bool,
    runtime: Sequence[tuple[int, int]],
) -> WaitingViews:
    """Return the tasks that none of THREADS, which are given by GDB number, executes.

    RUNTIME is where the runtime's code is; SCHEDULERS as in Search.
    """
    reader = RecordReader(graph, fields, runtime)
    found, notes = search(graph, fields, list(threads.values()), schedulers, reader)
    numbers = {thread.address: number for number, thread in threads.items()}
    made = tuple(_view(graph, each, reader, regions, numbers) for each in found)
    return WaitingViews(made, tuple(notes))


def _view(
    graph: Graph,
    found: Found,
    reader: RecordReader,
    regions: RegionTree,
    numbers: Mapping[int, int],
) -> WaitingView:
    record = found.record
    parent = reader.read(record.parent)
    team = graph.team(record.team)
    creator = _creator(graph, parent)
    task = WaitingTask(
        task_id=record.address,
        where=found.where,
        final="final" in record.flags,
        queue=numbers.get(found.queue) if found.queue else None,
        creator=creator,
        region=regions.id_of(innermost_region(team)) if team.levels == 1 else None,
        generated_by=record.parent or None,
    )
    function = reader.function_of(record)
    if parent is None or creator is None:
        return WaitingView(task, function)
    if creator.kind is TaskKind.EXPLICIT:
        return WaitingView(task, function, creator_function=reader.function_of(parent))
    # Serialized regions nested in each other share a record: it is not known whose it is.
    own = graph.team(parent.team)
    region = regions.id_of(innermost_region(own)) if own.levels == 1 else None
    return WaitingView(task, function, creator_region=region)


def _creator(graph: Graph, record: Optional[Record]) -> Optional[Creator]:
    if record is None or not record.team:
        return None
    kind = task_chain.kind_of(graph, record.address)
    implicit = kind is TaskKind.IMPLICIT
    number = task_chain.thread_num_of(graph, record.address) if implicit else None
    return Creator(kind, thread_num=number)
