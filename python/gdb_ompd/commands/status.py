# SPDX-License-Identifier: Apache-2.0
"""``ompd status``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable

import gdb

from ..host import parameters
from ..errors import OmpdToolError
from ..stop.registry import session_of
from .base import Arguments, OmpdCommand

if TYPE_CHECKING:
    from ..model import Status

NO_PROCESS = "There is no process: start one with 'run', attach, or load a core file."


class StatusCommand(OmpdCommand):
    """Show which OpenMP runtimes the program has, and what serves each.

    Usage: ompd status [-json]

    For each runtime: its file, version and build id, the OMPD library that
    answers for it, where its symbols come from, and whether it tracks states
    and announces events.  For whatever is missing, what to do.

    Options:
      -json
        Print one JSON document."""

    name = "ompd status"
    options = ("-json",)

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Show the status."""
        from ..render import status
        from . import styles

        facts = _status()
        if arguments.has("-json"):
            from ..render import json_document

            return [json_document.dump(json_document.status(facts))]
        return status.lines(facts, styles.current_style())


def _status() -> "Status":
    from ..control import set_event
    from ..model import Status

    settings = tuple(parameters.settings())
    if not gdb.selected_inferior().threads():
        return Status((), settings, (NO_PROCESS,))
    others = sum(1 for inferior in gdb.inferiors() if inferior.threads()) - 1
    notes = (f"This is inferior {gdb.selected_inferior().num}; others run, too.",) if others else ()
    try:
        runtimes = session_of().status()
    except OmpdToolError as error:
        return Status((), settings, (str(error), *notes))
    if not runtimes:
        return Status(runtimes, settings, (_why_none(), *notes))
    return Status(runtimes, settings, (*set_event.event_problems(), *notes))


def _why_none() -> str:
    """Say why no runtime is listed."""
    try:
        session_of().threads(locations=False)
    except OmpdToolError as error:
        return str(error)
    return "No OpenMP runtime is mapped."
