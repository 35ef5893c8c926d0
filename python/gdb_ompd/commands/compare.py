# SPDX-License-Identifier: Apache-2.0
"""``ompd compare``."""

from __future__ import annotations

import os
from typing import Iterable

from ..errors import UsageError
from .base import Arguments, OmpdCommand


class CompareCommand(OmpdCommand):
    """Say what has moved since a stop that "ompd save" has written.

    Usage: ompd compare [-json] FILE [FILE]

    The first line says whether the program goes on: nothing moved and nobody can
    (a deadlock), nobody was seen to move though somebody can, the same places are
    visited again (a long loop or a live-lock), or it goes on.  Below it are the
    threads that have not moved, those that did, that came and that went.  With two
    files these are compared, else the file and the program as it is now.

    A thread has moved that is at another instruction of the program's own code, in
    another region, task or state.

    Options:
      -json
        Print one JSON document."""

    name = "ompd compare"
    options = ("-json",)
    takes_words = True
    takes_files = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Compare."""
        from ..explain.moved import compare as compared
        from ..render import compare
        from ..render.json_document import dump
        from ..saved.stop import AnyStop, load
        from ..saved.taking import moment
        from . import styles
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
            return [dump(compare.document(found))]
        return compare.lines(found, styles.current_style(), prefix=prefix, max_width=styles.width())
