# SPDX-License-Identifier: Apache-2.0
"""Where the selected thread is in its teams: what ``omp_get_...`` would return."""

from __future__ import annotations

import gdb

from .base import Answer, OmpFunction, integer


class ThreadNumFunction(OmpFunction):
    """Return the selected thread's number in its team.

    Usage: $_omp_thread_num()

    The same as omp_get_thread_num() in the program; void outside OpenMP."""

    name = "_omp_thread_num"

    def answer(self) -> Answer:
        """Return the number."""
        from .current import place

        found = place()
        return None if found is None else found.thread_num


class NumThreadsFunction(OmpFunction):
    """Return how many threads the selected thread's team has.

    Usage: $_omp_num_threads()

    The same as omp_get_num_threads() in the program; void outside OpenMP."""

    name = "_omp_num_threads"

    def answer(self) -> Answer:
        """Return the size."""
        from .current import place

        found = place()
        return None if found is None else found.team_size


class LevelFunction(OmpFunction):
    """Return how many parallel regions are around the selected thread.

    Usage: $_omp_level()

    The same as omp_get_level() in the program, serialized regions included;
    void outside OpenMP."""

    name = "_omp_level"

    def answer(self) -> Answer:
        """Return the level."""
        from .current import place

        found = place()
        return None if found is None else found.level


class ActiveLevelFunction(OmpFunction):
    """Return how many active parallel regions are around the selected thread.

    Usage: $_omp_active_level()

    The same as omp_get_active_level() in the program: regions that more than
    one thread executes; void outside OpenMP."""

    name = "_omp_active_level"

    def answer(self) -> Answer:
        """Return the level."""
        from .current import place

        found = place()
        return None if found is None else found.active_level


class InParallelFunction(OmpFunction):
    """Tell whether the selected thread is in an active parallel region.

    Usage: $_omp_in_parallel()

    The same as omp_in_parallel() in the program; void outside OpenMP."""

    name = "_omp_in_parallel"

    def answer(self) -> Answer:
        """Tell whether an active region is around the thread."""
        from .current import place

        found = place()
        return None if found is None else found.active_level > 0


class InExplicitTaskFunction(OmpFunction):
    """Tell whether the selected thread executes an explicit task.

    Usage: $_omp_in_explicit_task()

    The same as omp_in_explicit_task() in the program; void outside OpenMP."""

    name = "_omp_in_explicit_task"

    def answer(self) -> Answer:
        """Tell whether the innermost task is an explicit one."""
        from ..model import TaskKind
        from . import current

        found = current.current()
        if found is None or found.place is None:
            return None
        kind = found.one_thread.task_kind(found.place)
        return None if kind is None else kind is TaskKind.EXPLICIT


class AncestorThreadNumFunction(OmpFunction):
    """Return the number that the selected thread or its ancestor has at a level.

    Usage: $_omp_ancestor_thread_num(LEVEL)

    The same as omp_get_ancestor_thread_num(LEVEL) in the program: -1 for a
    level that is not around the thread; void outside OpenMP."""

    name = "_omp_ancestor_thread_num"
    parameters = ("LEVEL",)

    def answer(self, level: gdb.Value) -> Answer:
        """Return the number at LEVEL."""
        from . import current

        wanted = integer(level, self)
        found = current.current()
        if found is None or found.place is None:
            return None
        return found.one_thread.membership(found.place, wanted)[0]


class TeamSizeFunction(OmpFunction):
    """Return the size of the team around the selected thread at a level.

    Usage: $_omp_team_size(LEVEL)

    The same as omp_get_team_size(LEVEL) in the program: -1 for a level that
    is not around the thread; void outside OpenMP."""

    name = "_omp_team_size"
    parameters = ("LEVEL",)

    def answer(self, level: gdb.Value) -> Answer:
        """Return the size at LEVEL."""
        from . import current

        wanted = integer(level, self)
        found = current.current()
        if found is None or found.place is None:
            return None
        return found.one_thread.membership(found.place, wanted)[1]
