# SPDX-License-Identifier: Apache-2.0
"""``$_omp_in_explicit_task``."""

from __future__ import annotations

from .base import Answer, OmpFunction


class InExplicitTaskFunction(OmpFunction):
    """Tell whether the selected thread executes an explicit task.

    Usage: $_omp_in_explicit_task()

    The same as omp_in_explicit_task() in the program; void outside OpenMP."""

    name = "_omp_in_explicit_task"

    def answer(self) -> Answer:
        """Tell whether the innermost task is an explicit one."""
        from ..model import TaskKind
        from .current import current, listed

        found = current()
        if found is not None and found.place is not None:
            kind = found.provider.task_kind_of(found.thread)
        else:
            row = listed(locations=False)
            kind = None if row is None else row.task
        return None if kind is None else kind is TaskKind.EXPLICIT
