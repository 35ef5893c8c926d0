# SPDX-License-Identifier: Apache-2.0
"""``ompd icvs``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, Sequence

from ..errors import NotFound
from ..stop.registry import session_of
from .base import Arguments, FROM, OmpdCommand

if TYPE_CHECKING:
    from ..model import Icv
    from ..saved.stop import AnyStop


class IcvsCommand(OmpdCommand):
    """Show OpenMP's internal control variables.

    Usage: ompd icvs [-all] [-json] [-from FILE] [NAME]...

    Those of the process, and those of the selected thread, its innermost
    region and its task.  NAME is an ICV, such as nthreads-var.

    Options:
      -all
        Show them for every thread, region and task.
      -json
        Print one JSON document.
      -from FILE
        Answer from a stop that "ompd save" has written."""

    name = "ompd icvs"
    lists = "icvs"
    options = ("-all", "-json", FROM)
    valued = (FROM,)
    takes_words = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Show the ICVs."""
        from ..render import icvs
        from . import styles

        stop = self.stop(arguments)
        read, missing = _read(stop, arguments.has("-all"))
        found = _chosen(read, arguments.words)
        if arguments.has("-json"):
            from ..render import json_document

            return [json_document.dump(json_document.icvs(found))]
        style, width = styles.current_style(), styles.width()
        lines = icvs.lines(found, style, prefix=stop.prefix, max_width=width)
        return [*lines, *missing]

    def words_to_complete(self) -> Sequence[str]:
        """Return the names of the ICVs."""
        try:
            return sorted({icv.name for icv in session_of().icvs([], [])} | set(_NAMES))
        except Exception:  # a completion has nobody to complain to
            return _NAMES


def _read(stop: "AnyStop", every: bool) -> tuple[Sequence["Icv"], tuple[str, ...]]:
    """Return the ICVs, and what is not known of the threads whose they would be."""
    from .gather import current_omp_thread, unknown, with_tasks

    if every:
        snapshot = stop.snapshot(locations=False)
        threads = with_tasks(snapshot.threads)
        regions = [region.id for region in snapshot.regions]
        return stop.icvs(threads, regions), unknown(snapshot.threads)
    thread = current_omp_thread(stop.threads(locations=False))
    regions = [thread.region] if thread.region else []
    return stop.icvs([thread.gdb_num], regions), unknown([thread])


def _chosen(found: Sequence["Icv"], names: Sequence[str]) -> Sequence["Icv"]:
    known = {icv.name for icv in found}
    for name in names:
        if name not in known and name in _NAMES:
            raise NotFound(f"{name} is not known of this thread.")
        if name not in known:
            raise NotFound(f'no ICV is called "{name}": "ompd icvs" lists them.')
    return [icv for icv in found if not names or icv.name in names]


# Known without a process; the runtime's own list comes on top.
_NAMES = (
    "active-levels-var",
    "affinity-format-var",
    "bind-var",
    "cancel-var",
    "debug-var",
    "default-device-var",
    "display-affinity-var",
    "dyn-var",
    "final-task-var",
    "implicit-task-var",
    "levels-var",
    "max-active-levels-var",
    "max-task-priority-var",
    "nthreads-var",
    "num-procs-var",
    "run-sched-var",
    "stacksize-var",
    "team-size-var",
    "thread-limit-var",
    "thread-num-var",
    "tool-libraries-var",
    "tool-var",
    "tool-verbose-init-var",
)
