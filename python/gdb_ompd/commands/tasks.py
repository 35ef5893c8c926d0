# SPDX-License-Identifier: Apache-2.0
"""``ompd tasks``."""

from __future__ import annotations

from typing import Iterable

from .base import Arguments, FROM, OmpdCommand


class TasksCommand(OmpdCommand):
    """Show the task that the selected thread executes, and what led to it.

    Usage: ompd tasks [-all] [-json] [-from FILE]

    The current task first, then the task that generated it, and so on to the
    initial task.  Generating and scheduling tasks are named by their depth in
    this list.  The enter and exit frames are where the task last called the
    OpenMP runtime and where the runtime called it.

    Options:
      -all
        Show the tasks of all threads, and the explicit tasks that are created
        and that no thread executes: queued, waiting for the tasks that they
        depend on, suspended, or detached.
      -json
        Print one JSON document.
      -from FILE
        Answer from a stop that "ompd save" has written."""

    name = "ompd tasks"
    lists = "tasks"
    options = ("-all", "-json", FROM)
    valued = (FROM,)

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Show the tasks."""
        from ..model import WaitingTasks
        from ..providers.facts import notes
        from ..render import tasks, waiting_tasks
        from . import styles
        from .gather import current_omp_thread, unknown, with_tasks

        stop, waiting = self.stop(arguments), WaitingTasks()
        threads = stop.threads(locations=False)
        if arguments.has("-all"):
            chosen = with_tasks(threads)
            waiting = stop.waiting_tasks()
        else:
            chosen = [current_omp_thread(threads).gdb_num]
        chains = stop.tasks(chosen)
        chosen_threads = threads if arguments.has("-all") else [current_omp_thread(threads)]
        doubts = [*(task.doubts for task in chains), *(task.doubts for task in waiting.tasks)]
        missing = (*notes("task", doubts), *unknown(chosen_threads))
        if arguments.has("-json"):
            from ..render import json_document

            waiting = waiting._replace(notes=(*missing, *waiting.notes))
            return [json_document.dump(json_document.tasks(chains, waiting))]
        style, width, prefix = styles.current_style(), styles.width(), stop.prefix
        return [
            *tasks.lines(chains, style, max_width=width, prefix=prefix),
            *missing,
            *waiting_tasks.lines(waiting, style, max_width=width, prefix=prefix),
        ]
