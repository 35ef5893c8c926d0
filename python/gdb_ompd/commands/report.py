# SPDX-License-Identifier: Apache-2.0
"""``ompd report``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Iterable, Sequence

from ..errors import NoProcess, UsageError
from .base import Arguments, FROM, OmpdCommand, file_names

if TYPE_CHECKING:
    from ..explain.whole import Whole

SINCE, SVG, DOT = "-since", "-svg", "-dot"


class ReportCommand(OmpdCommand):
    """Write the stop as a page that a browser shows.

    Usage: ompd report [-from FILE] [-since FILE] [-svg PICTURE] [-dot GRAPH] FILE

    FILE becomes one HTML page that needs nothing else: the verdict of "ompd why",
    a picture of the regions with their threads, who waits for whom, the merged
    stacks, and tables of threads, tasks, ICVs and environment.

    Options:
      -from FILE
        Show a stop that "ompd save" has written.
      -since FILE
        Say also what has moved since that stop, as "ompd compare" does.
      -svg PICTURE
        Write one picture alone: regions, waits or stacks.
      -dot GRAPH
        Write a graph for Graphviz: regions or waits."""

    name = "ompd report"
    options = (FROM, SINCE, SVG, DOT)
    valued = (FROM, SINCE, SVG, DOT)
    takes_words = True
    takes_files = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Write the page, or the picture."""
        from ..host import files
        from ..render import page

        if len(arguments.words) != 1:
            raise UsageError(f"Requires the name of the file to write. {self._see_help()}")
        picture, graph = arguments.value(SVG), arguments.value(DOT)
        if picture not in (None, *page.SVG) or graph not in (None, *page.DOT):
            raise UsageError(f"There is no such picture. {self._see_help()}")
        if picture and graph:
            raise UsageError(f"{SVG} and {DOT} write one picture each. {self._see_help()}")
        whole = self._whole(arguments)
        path = os.path.expanduser(arguments.words[0])
        if picture:
            text = page.picture(whole, picture)
        else:
            text = page.dot(whole, graph) if graph else page.html(whole)
        files.replace(path, text)
        return [f"Written to {path}."]

    def _whole(self, arguments: Arguments) -> "Whole":
        from ..explain.moved import compare
        from ..saved import taking
        from ..saved.stop import SavedStop, load
        from .live import circumstances

        stop, since = self.stop(arguments), arguments.value(SINCE)
        if not stop.numbers:
            raise NoProcess()
        about = stop.circumstances if isinstance(stop, SavedStop) else circumstances()
        if since is None:
            return taking.whole(stop, about)
        before = load(os.path.expanduser(since))
        moments = taking.moment(before, before.circumstances), taking.moment(stop, about)
        return taking.whole(stop, about, compare(*moments))

    def values_to_complete(self, option: str, begun: str) -> Sequence[str]:
        """Return files, or the pictures."""
        from ..render import page

        if option in (FROM, SINCE):
            return file_names(begun)
        return page.SVG if option == SVG else page.DOT
