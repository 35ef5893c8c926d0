# SPDX-License-Identifier: Apache-2.0
"""Which threads can execute a task that is queued.

A thread that waits at a task scheduling point executes its team's queued tasks meanwhile.
A tied one only if it descends from the tied task that the thread has suspended there
(OpenMP 5.0, section 2.10.6); an implicit task at a barrier, or at the end of a taskgroup,
is no bar (``__kmp_task_is_allowed`` of LLVM's runtime).
"""

from __future__ import annotations

from typing import Optional

from ..model import WaitingTask, Whereabouts
from ..model.waits import Kind
from .facts import At, Facts


class Queued:
    """The tasks of FACTS that are queued, and who may take them."""

    def __init__(self, facts: Facts) -> None:
        waiting = facts.waiting_tasks or ()
        self._tasks = [task for task in waiting if task.where is Whereabouts.QUEUED]
        self._generated_by = {task.task_id: task.generated_by for task in waiting}
        for thread in facts.threads:
            self._generated_by.update(zip(thread.tasks, thread.tasks[1:]))
        self._implicit = {thread.tasks[-1] for thread in facts.threads if thread.tasks}

    @staticmethod
    def detached(facts: Facts) -> list[WaitingTask]:
        """Return the tasks whose events nobody has fulfilled."""
        waiting = facts.waiting_tasks or ()
        return [task for task in waiting if task.where is Whereabouts.DETACHED]

    def __len__(self) -> int:
        return len(self._tasks)

    def takes(self, thread: At) -> Optional[bool]:
        """Tell whether a THREAD at a task scheduling point can execute a queued task; None
        where a task is there of which that is not known."""
        answers = {self._may_take(thread, task) for task in self._tasks}
        if True in answers:
            return True
        return None if None in answers else False

    def _may_take(self, thread: At, task: WaitingTask) -> Optional[bool]:
        if task.region is None or thread.region is None:
            return None
        if task.region != thread.region:
            return False
        if task.tied is False or not self._is_bound(thread):
            return True
        return self._descends(task.task_id, thread.tasks[0]) if thread.tasks else None

    @staticmethod
    def _is_bound(thread: At) -> bool:
        """Tell whether the thread has suspended a tied task that binds what it may take."""
        return thread.in_explicit_task or thread.wait.kind in (Kind.TASKWAIT, Kind.DEPENDENCE)

    def _descends(self, task: int, ancestor: int) -> Optional[bool]:
        """Tell whether a task descends from another; None where a link is not known."""
        seen: set[int] = set()
        while task not in seen:
            seen.add(task)
            parent = self._generated_by.get(task)
            if parent == ancestor:
                return True
            if parent is None:
                return False if task in self._implicit else None
            task = parent
        return None
