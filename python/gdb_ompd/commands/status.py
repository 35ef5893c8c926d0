# SPDX-License-Identifier: Apache-2.0
"""``ompd status``."""

from __future__ import annotations

from typing import Iterable

from .base import Arguments, FROM, OmpdCommand


class StatusCommand(OmpdCommand):
    """Show which OpenMP runtimes the program has, and what serves each.

    Usage: ompd status [-json] [-from FILE]

    For each runtime: its file, version and build id, the OMPD library that
    answers for it, where its symbols come from, and whether it tracks states
    and announces events.  For whatever is missing, what to do.

    Options:
      -json
        Print one JSON document.
      -from FILE
        Answer from a stop that "ompd save" has written."""

    name = "ompd status"
    options = ("-json", FROM)
    valued = (FROM,)

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Show the status."""
        from ..render import status
        from . import styles

        facts = self.stop(arguments).status()
        if arguments.has("-json"):
            from ..render import json_document

            return [json_document.dump(json_document.status(facts))]
        return status.lines(facts, styles.current_style())
