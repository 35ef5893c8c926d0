# SPDX-License-Identifier: Apache-2.0
"""Tasks that no thread executes, in the model's words, each with its creator."""

from __future__ import annotations

from typing import Mapping, Optional

from ... import _native
from ...model import Creator, TaskKind, WaitingTask, Whereabouts
from ..base import WaitingView, WaitingViews


def views(found: _native.FoundTasks, regions: Mapping[int, int]) -> WaitingViews:
    """Return the tasks that were FOUND, and what is to be said of them. REGIONS are numbers
    by identity, which is the team's address and which of its nested regions it is."""
    return WaitingViews(tuple(_view(task, regions) for task in found.tasks), tuple(found.notes))


def _view(found: _native.WaitingTask, regions: Mapping[int, int]) -> WaitingView:
    creator = None
    if found.creator is not None:
        creator = Creator(TaskKind(found.creator), thread_num=found.creator_thread_num)
    task = WaitingTask(
        task_id=found.identity,
        where=Whereabouts(found.where),
        final=found.is_final,
        queue=found.queue,
        creator=creator,
        region=_id(regions, found.region),
        generated_by=found.generated_by or None,
        tied=found.is_tied,
    )
    return WaitingView(
        task,
        found.function,
        found.creator_function,
        _id(regions, found.creator_region),
        found.construct,
        found.creator_construct,
    )


def _id(regions: Mapping[int, int], key: Optional[tuple[int, int]]) -> Optional[int]:
    return None if key is None else regions.get(sum(key))
