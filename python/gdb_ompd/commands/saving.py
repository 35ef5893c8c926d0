# SPDX-License-Identifier: Apache-2.0
"""Stops in files: ``ompd save``, ``compare`` and ``report``."""

from __future__ import annotations

import os
from typing import Sequence, TYPE_CHECKING

from ..errors import NoProcess, UsageError
from .base import Answer, Arguments, FROM, JSON, OmpdCommand, file_names

if TYPE_CHECKING:
    from ..explain.moved import Whole


class SaveCommand(OmpdCommand):
    """Write the whole stop to a file, to be looked at later or elsewhere.

    Usage: ompd save FILE
    Example: ompd save hang.json

    FILE becomes one JSON document with all that the commands show: status,
    threads, regions, tasks, ICVs, environment, stacks and the verdict.  With
    "-from FILE" they answer as they do now, in any GDB, without the program:
    "ompd why -from FILE", "ompd bt -all -from FILE".  "ompd bt" is that of the
    thread which is selected now.  A file that exists is replaced."""

    name = "ompd save"
    takes_words = True
    takes_files = True

    def run(self, arguments: Arguments) -> Answer:
        from ..host import files
        from ..saved import document, taking
        from .live import LiveStop, circumstances

        if len(arguments.words) != 1:
            raise UsageError(f"Requires the name of the file to write. {self._see_help()}")
        path = os.path.expanduser(arguments.words[0])
        stop = LiveStop()
        if not stop.numbers:
            raise NoProcess()
        contents = taking.taken(stop, circumstances())
        files.replace(path, document.text(contents))
        return [f"Saved to {path}."]


class CompareCommand(OmpdCommand):
    """Say what has moved since a stop that "ompd save" has written.

    Usage: ompd compare [-json] FILE [FILE]
    Example: ompd compare before.json

    The first line says whether the program goes on: nothing moved and nobody can
    (a deadlock), nobody was seen to move though somebody can, the same places are
    visited again (a long loop or a live-lock), or it goes on.  Below it are the
    threads that have not moved, those that did, that came and that went.  With two
    files these are compared, else the file and the program as it is now.

    A thread has moved that is at another instruction of the program's own code, in
    another region, task or state."""

    name = "ompd compare"
    options = {**JSON}
    takes_words = True
    takes_files = True

    def run(self, arguments: Arguments) -> Answer:
        from ..explain.moved import compare as compared
        from ..render import compare
        from ..saved.stop import AnyStop, load
        from ..saved.taking import moment
        from .live import LiveStop, circumstances

        if not 1 <= len(arguments.words) <= 2:
            raise UsageError(f"One file, or two, are to be compared. {self._see_help()}")
        saved = [load(os.path.expanduser(name)) for name in arguments.words]
        moments = [moment(stop, stop.circumstances) for stop in saved]
        prefix = saved[-1].prefix
        if len(saved) == 1:
            live: AnyStop = LiveStop()
            prefix = live.prefix
            moments.append(moment(live, circumstances()))
        found = compared(moments[0], moments[1])
        if arguments.has("-json"):
            return compare.document(found)
        return compare.lines(found, self.style, prefix=prefix)


SINCE, SVG, DOT = "-since", "-svg", "-dot"


class ReportCommand(OmpdCommand):
    """Write the stop as a page that a browser shows.

    Usage: ompd report [-from FILE] [-since FILE] [-svg PICTURE] [-dot GRAPH] FILE
    Example: ompd report hang.html

    FILE becomes one HTML page that needs nothing else: the verdict of "ompd why",
    a picture of the regions with their threads, who waits for whom, the source
    around each place whose file is there, the merged stacks, and tables of
    threads, tasks, ICVs and environment."""

    name = "ompd report"
    options = {
        "-from FILE": 'Show a stop that "ompd save" has written.',
        "-since FILE": 'Say also what has moved since that stop, as "ompd compare" does.',
        "-svg PICTURE": "Write one picture alone: regions, waits or stacks.",
        "-dot GRAPH": "Write a graph for Graphviz: regions or waits.",
    }
    takes_words = True
    takes_files = True

    def run(self, arguments: Arguments) -> Answer:
        from ..host import files, graphviz
        from ..render import page

        if len(arguments.words) != 1:
            raise UsageError(f"Requires the name of the file to write. {self._see_help()}")
        picture, graph = arguments.value(SVG), arguments.value(DOT)
        if picture not in (None, *page.SVG) or graph not in (None, *page.DOT):
            known = ", ".join(page.SVG if picture not in (None, *page.SVG) else page.DOT)
            raise UsageError(f"The picture is to be one of: {known}. {self._see_help()}")
        if picture and graph:
            raise UsageError(f"{SVG} and {DOT} write one picture each. {self._see_help()}")
        whole = self._whole(arguments)
        path = os.path.expanduser(arguments.words[0])
        if picture in page.DRAWN:
            text = page.picture(whole, picture)
        elif picture:
            text = graphviz.svg(page.dot(whole, picture))
        else:
            text = page.dot(whole, graph) if graph else self._page(arguments, whole)
        files.replace(path, text)
        return [f"Written to {path}."]

    def _page(self, arguments: Arguments, whole: "Whole") -> str:
        from ..host.source_text import full_name
        from ..render import page
        from ..saved.sources import excerpts

        is_saved = arguments.value(FROM) is not None
        return page.html(whole, excerpts(whole) if is_saved else excerpts(whole, full_name))

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
        from ..render import page

        if option in (FROM, SINCE):
            return file_names(begun)
        return page.SVG if option == SVG else page.DOT
