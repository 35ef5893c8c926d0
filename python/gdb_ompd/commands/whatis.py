# SPDX-License-Identifier: Apache-2.0
"""``ompd whatis``."""

from __future__ import annotations

from typing import Iterable, Optional

from ..stop.registry import session_of
from .base import Arguments
from .over_threads import OverThreads


class WhatisCommand(OverThreads):
    """Tell the data-sharing attribute of a variable in the selected frame.

    Usage: ompd whatis [-json] NAME

    Says whether NAME is shared, private, firstprivate, lastprivate, linear, of a
    reduction or threadprivate, and what tells it: the addresses in the threads of the
    team, the debug information, the variable outside of the construct, the clauses of
    the directive.  What these do not tell is unknown.

    Options:
      -json
        Print one JSON document."""

    name = "ompd whatis"
    options = ("-json",)

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Gather the evidence and show what follows."""
        from ..model.values import FoundName, ThreadValue
        from ..render import sharing as shown
        from ..render.json_document import dump
        from ..values.sharing import sharing
        from . import styles
        from .gather import number_prefix

        found = sharing(session_of(), self._rest(arguments, "a name"))
        original: Optional[FoundName] = None
        if found.original is not None:
            at = found.original
            row = ThreadValue(at.gdb_num, None, address=at.address)
            original = FoundName(found.name, row, at.level, at.place)
        answer = (found.name, found.verdict, found.type, found.rows, original)
        if arguments.has("-json"):
            return [dump(shown.document(*answer))]
        return shown.lines(*answer, styles.current_style(), number_prefix())

    def completed_as(self) -> str:
        """Return the command of GDB that takes the same rest of the line."""
        return "whatis"
