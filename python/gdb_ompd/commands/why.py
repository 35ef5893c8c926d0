# SPDX-License-Identifier: Apache-2.0
"""``ompd why``."""

from __future__ import annotations

from typing import Iterable

from .base import Arguments, FROM, OmpdCommand


class WhyCommand(OmpdCommand):
    """Say why the program does not go on: who waits for whom.

    Usage: ompd why [-json] [-from FILE]

    The first line is the verdict: a deadlock and its members, the thread that the
    others wait for and where it is, "all idle", or "running".  Below it: for each
    team who has come to the barrier and who has not; for each lock and critical
    that is waited for, who waits and who holds it; and each cycle.

    A lock's holder is what the runtime recorded, or "inferred": the thread whose
    place in the code is between the calls that enter and leave.  The default
    locks record no owner.  A thread that was stopped by a SIGSEGV because its stack
    had ended is named first, with what sets the stack's size.

    Options:
      -json
        Print one JSON document.
      -from FILE
        Answer from a stop that "ompd save" has written."""

    name = "ompd why"
    options = ("-json", FROM)
    valued = (FROM,)

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Explain the stop."""
        from ..render import why
        from . import styles

        report = self.stop(arguments).report()
        if arguments.has("-json"):
            from ..render import json_document

            return [json_document.dump(json_document.why(report))]
        return why.lines(report, styles.current_style(), max_width=styles.width())
