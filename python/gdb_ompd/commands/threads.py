# SPDX-License-Identifier: Apache-2.0
"""``ompd threads``."""

from __future__ import annotations

from typing import Iterable

from .base import Arguments, OmpdCommand


class ThreadsCommand(OmpdCommand):
    """List all threads as OpenMP sees them.

    Usage: ompd threads [-all] [-no-location] [-json]

    For each thread GDB knows: its number and LWP, its thread number and team
    size ("3 of 4 < 0 of 2": thread 3 of a team of 4, begun by thread 0 of a
    team of 2), the nesting level, its state, its task and where in your code
    it is.  The selected thread is marked "*".

    Options:
      -all
        Give every thread a line of its own; else many equal ones share one.
      -no-location
        Do not look at the stacks, which saves most of the time: leave out where
        the threads are, and take a wait for tasks for work, as the runtime does.
      -json
        Print one JSON document."""

    name = "ompd threads"
    options = ("-all", "-no-location", "-json")

    def run(self, arguments: Arguments) -> Iterable[str]:
        """List the threads."""
        from ..render import threads
        from . import styles
        from .gather import threads_of_all_inferiors

        locations = not arguments.has("-no-location")
        snapshot = threads_of_all_inferiors(locations)
        if arguments.has("-json"):
            from ..render import json_document

            return [json_document.dump(json_document.threads(snapshot))]
        return threads.lines(
            snapshot,
            styles.current_style(),
            locations=locations,
            fold=False if arguments.has("-all") else None,
            max_width=styles.width(),
        )
