# SPDX-License-Identifier: Apache-2.0
"""``ompd parallel``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable

from .base import Arguments, FROM, OmpdCommand

if TYPE_CHECKING:
    from ..model import Snapshot, Thread


class ParallelCommand(OmpdCommand):
    """Show the parallel regions that the selected thread is in.

    Usage: ompd parallel [-all] [-json] [-from FILE]

    The innermost region first, each with its level, its number of threads,
    the place of its construct, and what its threads are doing.

    Options:
      -all
        Show all regions of the process, each once, as a tree.
      -json
        Print one JSON document.
      -from FILE
        Answer from a stop that "ompd save" has written."""

    name = "ompd parallel"
    lists = "regions"
    options = ("-all", "-json", FROM)
    valued = (FROM,)

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Show the regions."""
        from ..render import parallel
        from . import styles

        every = arguments.has("-all")
        as_json = arguments.has("-json")
        stop = self.stop(arguments)
        snapshot = stop.snapshot(locations=not as_json)
        if as_json:
            from ..render import json_document

            shown = snapshot if every else _nest_only(snapshot)
            return [json_document.dump(json_document.regions(shown))]
        from .gather import told_once

        snapshot = told_once(snapshot, stop)
        style, width = styles.current_style(), styles.width()
        if every:
            return parallel.tree(snapshot, style, max_width=width)
        return parallel.nest(snapshot, _readable_thread(snapshot), style, max_width=width)


def _nest_only(snapshot: "Snapshot") -> "Snapshot":
    return snapshot._replace(regions=snapshot.nest(_readable_thread(snapshot)))


def _readable_thread(snapshot: "Snapshot") -> "Thread":
    """Return the selected thread; of one that cannot be read no region is known."""
    from .gather import current_omp_thread, current_thread

    thread = current_thread(snapshot.threads)
    return current_omp_thread(snapshot.threads) if thread.error else thread
